#include "runner/files/line_index.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "os/file_facts.h"
#include "runner/limits.h"

namespace talaria::runner {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

ssize_t read_at(int fd, char* to, std::size_t size, std::uint64_t offset) {
  ssize_t got = -1;
  do {
    got = ::pread(fd, to, size, static_cast<off_t>(offset));
  } while (got < 0 && errno == EINTR);
  return got;
}

std::size_t bytes_of(const LineIndex& index) {
  return sizeof(LineIndex) + index.before.capacity() * sizeof(std::uint64_t);
}

}  // namespace

FileIdentity identity_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .size = static_cast<std::uint64_t>(info.st_size),
          .modified_ns = nanoseconds(info.st_mtim),
          .changed_ns = nanoseconds(info.st_ctim)};
}

std::optional<std::uint64_t> LineIndex::begin_of(int fd, std::uint64_t line) const {
  if (line <= 1 || size == 0) return 0;
  if (line > lines()) return size;
  const std::uint64_t wanted = line - 1;  // it begins behind this newline
  const auto behind = std::ranges::lower_bound(before, wanted);
  const auto number = static_cast<std::uint64_t>(behind - before.begin()) - 1;  // before[0] is 0
  std::uint64_t left = wanted - before[number];
  std::vector<char> buffer(kReadChunk);
  const std::uint64_t end = std::min(size, (number + 1) * block);
  for (std::uint64_t at = number * block; at < end;) {
    const ssize_t got = read_at(fd, buffer.data(), std::min(end - at, buffer.size()), at);
    if (got <= 0) return std::nullopt;
    const char* const stop = buffer.data() + got;
    for (const char* next = buffer.data(); next < stop; ++next) {
      next =
          static_cast<const char*>(std::memchr(next, '\n', static_cast<std::size_t>(stop - next)));
      if (next == nullptr) break;
      if (--left == 0) return at + static_cast<std::uint64_t>(next - buffer.data()) + 1;
    }
    at += static_cast<std::uint64_t>(got);
  }
  return std::nullopt;
}

LineScan::LineScan(int fd, const struct stat& info)
    : fd_(fd), unknown_size_(info.st_size == 0), index_(std::make_shared<LineIndex>()) {
  index_->file = identity_of(info);
  index_->block = kLineBlock;
  while (index_->file.size / index_->block >= kMaxLineBlocks) index_->block *= 2;
}

Result<bool> LineScan::go_on() {
  static std::vector<char> buffer(kReadChunk);
  const std::uint64_t until = unknown_size_ ? kMaxUnsizedFile : index_->file.size;
  for (std::size_t done = 0; done < kDigestPerTurn;) {
    if (index_->size >= until) return true;
    if (index_->size % index_->block == 0) index_->before.push_back(index_->newlines);
    // Never over the end of a block.
    const std::uint64_t room = index_->block - index_->size % index_->block;
    const std::size_t want = std::min({room, until - index_->size, std::uint64_t{buffer.size()}});
    const ssize_t got = read_at(fd_, buffer.data(), want, index_->size);
    if (got < 0) return fail(Error::from_errno("read"));
    if (got == 0) return true;
    const char* const stop = buffer.data() + got;
    index_->newlines +=
        static_cast<std::uint64_t>(std::count<const char*>(buffer.data(), stop, '\n'));
    index_->ends_with_newline = stop[-1] == '\n';
    index_->size += static_cast<std::uint64_t>(got);
    done += static_cast<std::size_t>(got);
  }
  return false;
}

std::shared_ptr<const LineIndex> LineIndexes::find(const FileIdentity& file) {
  const auto found =
      std::ranges::find_if(indexes_, [&](const auto& one) { return one->file == file; });
  if (found == indexes_.end()) return nullptr;
  indexes_.splice(indexes_.begin(), indexes_, found);
  return indexes_.front();
}

void LineIndexes::keep(std::shared_ptr<const LineIndex> index) {
  // What the file was before is of no use to anyone.
  std::erase_if(indexes_, [&](const auto& one) {
    const bool same =
        one->file.device == index->file.device && one->file.inode == index->file.inode;
    if (same) bytes_ -= bytes_of(*one);
    return same;
  });
  bytes_ += bytes_of(*index);
  indexes_.push_front(std::move(index));
  while (indexes_.size() > kMaxLineIndexes ||
         (bytes_ > kMaxLineIndexBytes && indexes_.size() > 1)) {
    bytes_ -= bytes_of(*indexes_.back());
    indexes_.pop_back();
  }
}

}  // namespace talaria::runner
