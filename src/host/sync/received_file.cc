#include "host/sync/received_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "base/wall_time.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/part_name.h"
#include "os/random.h"

namespace talaria::host {
namespace {

Result<os::UniqueFd> create_in(const std::string& directory, const std::string& name) {
  const auto made = os::make_private_directory(directory);
  if (!made) return fail(made.error());
  return os::open_file(directory + "/" + name, O_RDWR | O_CREAT | O_EXCL, 0600);
}

}  // namespace

std::string parts_directory(const std::string& home) { return home + "/talaria/sync/parts"; }
std::string kept_directory(const std::string& home) { return home + "/talaria/sync/kept"; }

Result<ReceivedFile> ReceivedFile::open(const std::string& home) {
  const std::string name = os::part_name();
  auto file = create_in(parts_directory(home), name);
  if (!file) return fail(file.error());
  return ReceivedFile(parts_directory(home) + "/" + name, std::move(*file));
}

ReceivedFile::~ReceivedFile() {
  if (file_) os::remove_file(path_);
}

Result<void> ReceivedFile::put_in_place(const os::PlaceBelow& place, const os::FileFacts& facts) {
  const auto old = os::file_facts(place.directory.get(), place.name);
  if (old && old->kind != os::FileKind::file) {
    return fail(ErrorKind::denied, "it is not a regular file here");
  }
  const mode_t mode = old ? old->mode & 0777 : (facts.mode & 0755) | 0600;
  const timespec times[2] = {os::to_timespec(facts.mtime_ns), os::to_timespec(facts.mtime_ns)};
  if (::fchmod(fd(), mode) < 0 || ::futimens(fd(), times) < 0) {
    return fail(Error::from_errno("write " + path_));
  }
  return move_to(place);
}

Result<void> ReceivedFile::move_to(const os::PlaceBelow& place) {
  const int directory = place.directory.get();
  if (::renameat(AT_FDCWD, path_.c_str(), directory, place.name.c_str()) == 0) {
    file_.reset();
    return {};
  }
  if (errno == EXDEV) return copy_to(place);
  return fail(Error::from_errno("rename"));
}

// On another filesystem: it has a name beside its place only between two system calls, if that
// filesystem permits.
Result<void> ReceivedFile::copy_to(const os::PlaceBelow& place) const {
  const int directory = place.directory.get();
  const std::string name = os::part_name();
  auto copy = os::open_file_at(directory, ".", O_TMPFILE | O_WRONLY, 0600);
  const bool nameless = copy.has_value();
  if (!nameless) copy = os::open_file_at(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!copy) return fail(copy.error());
  const auto facts = os::file_facts(fd());
  const timespec time = os::to_timespec(facts ? facts->mtime_ns : 0);
  const timespec times[2] = {time, time};
  Result<void> done = ::lseek(fd(), 0, SEEK_SET) < 0 ? fail(Error::from_errno("lseek"))
                                                     : os::copy_bytes(fd(), copy->get());
  if (done &&
      (!facts || ::fchmod(copy->get(), facts->mode) < 0 || ::futimens(copy->get(), times) < 0)) {
    done = fail(Error::from_errno("write"));
  }
  const std::string handle = "/proc/self/fd/" + std::to_string(copy->get());
  if (done && nameless &&
      ::linkat(AT_FDCWD, handle.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) < 0) {
    return fail(Error::from_errno("link"));
  }
  if (done && ::renameat(directory, name.c_str(), directory, place.name.c_str()) < 0) {
    done = fail(Error::from_errno("rename"));
  }
  if (!done) ::unlinkat(directory, name.c_str(), 0);
  return done;
}

Result<KeptFile> KeptFile::open(const std::string& home) {
  const std::string directory = kept_directory(home);
  if (const auto made = os::make_private_directory(directory); !made) return fail(made.error());
  if (auto file = os::open_file(directory, O_TMPFILE | O_RDWR, 0600)) {
    return KeptFile(directory, "", std::move(*file));
  }
  const std::string part = os::part_name();  // where the filesystem has no files without a name
  auto file = create_in(parts_directory(home), part);
  if (!file) return fail(file.error());
  return KeptFile(directory, parts_directory(home) + "/" + part, std::move(*file));
}

KeptFile::~KeptFile() {
  if (file_ && !part_.empty()) os::remove_file(part_);
  // Stays if something is in it.
  if (file_) ::rmdir(directory_.c_str());
}

Result<std::string> KeptFile::keep_as(const std::string& name) {
  std::string path = directory_ + "/" + name;
  const std::string handle = "/proc/self/fd/" + std::to_string(file_.get());
  const int linked =
      part_.empty() ? ::linkat(AT_FDCWD, handle.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW)
                    : ::link(part_.c_str(), path.c_str());
  if (linked < 0 && errno != EEXIST) return fail(Error::from_errno("link " + path));
  return path;
}

Result<std::string> keep_copy(const std::string& home, const os::PlaceBelow& place) {
  const auto from = os::open_regular_file(place.directory.get(), place.name);
  if (!from) return fail(from.error());
  auto copy = KeptFile::open(home);
  if (!copy) return fail(copy.error());
  const auto copied = os::copy_bytes(from->get(), copy->fd());
  if (!copied) return fail(copied.error());
  return copy->keep_as(utc_time(std::chrono::system_clock::now()) + "-" + os::random_hex(2) + "-" +
                       sanitize_utf8(place.name));
}

void remove_parts(const std::string& home) {
  const std::string directory = parts_directory(home);
  for (const std::string& name : os::names_in(directory)) os::remove_file(directory + "/" + name);
  ::rmdir(directory.c_str());
  ::rmdir((home + "/talaria/sync").c_str());  // stays if copies are kept in it
}

}  // namespace talaria::host
