#include "os/process_memory.h"

#include <unistd.h>

#include <string>

#include "os/file.h"
#include "os/proc.h"

namespace talaria::os {
namespace {

// The kernel still works on the exec when the process that made the child continues. It measures
// the argument strings after that, and would find the environment in the wrong place if one had
// been shortened meanwhile.
Result<std::uint64_t> start_after_exec(pid_t pid) {
  const auto stat = read_process_stat(pid);
  if (!stat) return fail(stat.error());
  if (stat->argument_start == 0) {
    return fail(ErrorKind::denied, "the kernel hides where a child's arguments lie");
  }
  if (stat->environment_end == 0) {
    return fail(ErrorKind::unavailable, "a child's exec has not finished");
  }
  return stat->argument_start;
}

}  // namespace

Result<ArgumentMemory> open_arguments(pid_t pid, std::string_view expected) {
  const auto start = start_after_exec(pid);
  if (!start) return fail(start.error());
  auto memory = open_file("/proc/" + std::to_string(pid) + "/mem", O_RDWR);
  if (!memory) return fail(memory.error());

  std::string found(expected.size(), '\0');
  const ssize_t size =
      ::pread(memory->get(), found.data(), found.size(), static_cast<off_t>(*start));
  if (size < 0) return fail(Error::from_errno("read a child's arguments"));
  if (found != expected) {
    return fail(ErrorKind::system, "a child's arguments are not where the kernel says");
  }
  return ArgumentMemory{std::move(*memory), *start};
}

Result<void> write_argument(const ArgumentMemory& arguments, std::uint64_t offset,
                            std::string_view bytes) {
  const ssize_t size = ::pwrite(arguments.memory.get(), bytes.data(), bytes.size(),
                                static_cast<off_t>(arguments.start + offset));
  if (size < 0) return fail(Error::from_errno("write a child's arguments"));
  if (static_cast<std::size_t>(size) != bytes.size()) {
    return fail(ErrorKind::system, "the child is gone");
  }
  return {};
}

}  // namespace talaria::os
