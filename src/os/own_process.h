// This process: its environment, its machine, and what it is to the kernel.
#pragma once

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace talaria::os {

void ignore_signals(std::initializer_list<int> signals);

// Orphans among our descendants become our children. `name` is what /proc and ps show.
void become_subreaper(const char* name);

// Changes to "/", so that no directory of the caller stays busy.
void leave_directory();

// Standard error goes to the end of that file, if it can be opened.
void append_errors_to(const std::string& path);

// The file mode creation mask. Safe while other threads create files. Nothing if the kernel does
// not report it.
std::optional<std::uint32_t> own_umask();

// Raises the OOM score of this process and its children to at least `score` (-1000 to 1000).
void offer_memory(int score);

// A mark that everything this process starts from now on carries, and that no program without
// privileges takes off: not by a new session or namespace, nor by ending its ancestors. It is a
// limit on the time of real-time threads, ages long: such a limit can be lowered, never raised.
void mark_descendants();
bool is_marked(pid_t pid);  // false also if it may not be looked at

// Raises the limit of open descriptors as far as allowed. Returns the old limit, for the programs
// we start; 0 if it is unknown.
std::uint64_t raise_descriptor_limit();
// What it can be raised to.
std::uint64_t descriptor_limit();

// The processor architecture, as `uname -m` prints it.
inline std::string machine_name() {
  utsname machine{};
  ::uname(&machine);
  return machine.machine;
}

// Overrides own_program(): under an emulator /proc/self/exe is the emulator itself.
inline constexpr const char* kOwnProgramVariable = "TALARIA_RUNNER_PROGRAM";

// The program that runs, to start it again in another mode.
inline std::string own_program() {
  if (const char* given = std::getenv(kOwnProgramVariable)) return given;
  return "/proc/self/exe";  // the file may have been replaced or removed since: this still works
}

// The variables this process was started with, as NAME=value. Borrowed: valid until the environment
// changes.
inline std::vector<const char*> own_environment() {
  std::vector<const char*> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) entries.push_back(*entry);
  return entries;
}

// The same, but `added` (NAME=value, also borrowed) replaces variables of the same names.
inline std::vector<const char*> own_environment_with(const std::vector<std::string>& added) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<const char*> entries = own_environment();
  for (const std::string& entry : added) {
    std::erase_if(entries, [&](const char* other) { return name_of(other) == name_of(entry); });
    entries.push_back(entry.c_str());
  }
  return entries;
}

// The caller may have closed standard input, output or error. Opens /dev/null in its place, so that
// no other file gets that number. To be called before any other descriptor is opened.
inline void fill_standard_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) < 0) std::ignore = ::open("/dev/null", O_RDWR);
  }
}

}  // namespace talaria::os
