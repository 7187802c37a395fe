// Files, pipes and memory files, opened with an owner and closed on exec. Every call retries EINTR.
#pragma once

#include <fcntl.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/unique_fd.h"

namespace talaria::os {

struct Pipe {
  UniqueFd reader;
  UniqueFd writer;
};

Result<UniqueFd> open_file(const std::string& path, int flags, mode_t mode = 0);
// A name in an open directory.
Result<UniqueFd> open_file_at(int directory, const std::string& name, int flags, mode_t mode = 0);

// To read it. Refuses anything but a regular file: a FIFO would block us for ever. Does not
// follow a link.
Result<UniqueFd> open_regular_file(const std::string& path);
Result<UniqueFd> open_regular_file(int directory, const std::string& name);

// Both ends close on exec. `capacity` is asked of the kernel, which may grant less.
Result<Pipe> make_pipe(int capacity = 0);
void widen_pipe(int fd, int capacity);  // likewise; no effect on anything but a pipe

// A file that lives in memory and has no name; `name` is for people who read /proc.
Result<UniqueFd> make_memory_file(const char* name, std::string_view content = {});

// The same with room for `size` bytes and no more: a writer who wants more gets an error.
Result<UniqueFd> make_bounded_memory_file(const char* name, std::size_t size);

Result<void> write_all(int fd, std::string_view bytes);

// Everything from offset 0, without moving the file's position. An error when it is over `limit`.
Result<std::string> read_whole(int fd, std::size_t limit);
Result<std::string> read_file(const std::string& path, std::size_t limit);

// Whether the file is there and holds exactly these bytes.
bool has_content(const std::string& path, std::string_view bytes);

// Up to the first newline, which is left out, or the end of the stream.
std::string read_line(int fd);

// False if within `patience` there is neither a byte to read nor the end of the stream.
bool wait_readable(int fd, std::chrono::milliseconds patience);

// Replaces `path` in one step: a reader sees the old bytes or the new ones, also after a crash of
// this process. The file is 0600. One writer at a time.
Result<void> replace_file(const std::string& path, std::string_view content);

// Not an error if it does not exist.
void remove_file(const std::string& path);

// mkdir -p with mode 0700 for what it creates. An existing directory must be ours and closed to
// others, or it is refused.
// `most_made`: how many of the last parts of the path it may make; fails if more are missing.
Result<void> make_private_directory(const std::string& path,
                                    std::size_t most_made = std::string::npos);

// Whether we could work in it. The error is only the reason: "No such file or directory", ...
Result<void> check_directory(const std::string& path);

// The same place without symbolic links, `.` and `..`; `path` itself if there is no such place.
std::string without_links(const std::string& path);

void set_nonblocking(int fd);
void set_blocking(int fd);

// Another descriptor of the same open file.
Result<UniqueFd> duplicate(int fd);

// How much a read of the pipe or socket would give now.
std::size_t bytes_waiting(int fd);

// From the position of the file to its end, in pieces, for files that may not fit into memory.
// Stops at the first piece for which `take` fails.
Result<void> read_pieces(int fd, const std::function<Result<void>(std::string_view)>& take);

Result<void> copy_bytes(int from, int to);

// SHA-256 of them, in hexadecimal.
Result<std::string> digest_of(int fd);

}  // namespace talaria::os
