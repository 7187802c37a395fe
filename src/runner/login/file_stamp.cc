#include "runner/login/file_stamp.h"

#include <sys/stat.h>
#include <time.h>

namespace talaria::runner {
namespace {

std::int64_t stamp_of_time(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileStamp stamp_file(std::string path, bool content) {
  FileStamp stamp{.path = std::move(path), .content = content};
  struct stat info{};
  if (::stat(stamp.path.c_str(), &info) < 0) return stamp;
  stamp.mode = info.st_mode;
  stamp.empty = S_ISREG(info.st_mode) && info.st_size == 0;
  if (!content) return stamp;
  stamp.device = info.st_dev;
  stamp.inode = info.st_ino;
  stamp.size = static_cast<std::uint64_t>(info.st_size);
  stamp.modified_ns = stamp_of_time(info.st_mtim);
  stamp.changed_ns = stamp_of_time(info.st_ctim);
  return stamp;
}

std::int64_t file_clock() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return stamp_of_time(now);
}

}  // namespace talaria::runner
