#include "runner/shell/shell_host.h"

#include <unistd.h>

#include <cstdlib>

#include "os/child_process.h"
#include "os/file.h"
#include "os/find_program.h"
#include "os/process_memory.h"
#include "shell/dump.h"

namespace talaria::runner {
namespace {

// PATH without its relative directories, then the usual ones.
std::string places_of_programs() {
  const char* path = std::getenv("PATH");
  std::string places;
  for (const std::string& place : shell::split_options(path == nullptr ? "" : path)) {
    if (place.starts_with('/')) places += place + ":";
  }
  return places + "/usr/bin:/bin:/usr/local/bin";
}

Result<ShellHost> open_host(std::shared_ptr<Nursery> nursery, const std::string& prelude_directory,
                            ShellKind kind, std::string path) {
  ShellHost host{.nursery = std::move(nursery),
                 .kind = kind,
                 .shell_path = std::move(path),
                 .fd_directory = "/proc/" + std::to_string(::getpid()) + "/fd"};
  auto preludes = Preludes::open(prelude_directory, host.shell_path);
  if (!preludes) return fail(preludes.error());
  host.preludes = std::move(*preludes);
  return host;
}

// A bash that prints its options, then waits while its memory is examined.
constexpr const char* kQuestion =
    "printf '%s\\n' \"$SHELLOPTS\" \"$BASHOPTS\"; read -r -t 10 answer; :";

// The default options of bash, and whether its memory can be written.
Result<void> ask_bash(ShellHost& host) {
  auto bash = os::spawn_piped({.path = host.shell_path.c_str(),
                               .argv = {"bash", "-c", kQuestion},
                               .env = {"PATH=/usr/bin:/bin"}});
  if (!bash) return fail(bash.error());
  const std::string set_options = os::read_line(bash->output.get());
  const std::string shopt_options = os::read_line(bash->output.get());
  const std::string expected = std::string("bash\0-c\0", 8) + kQuestion;
  if (auto arguments = os::open_arguments(bash->process.pid(), expected)) {
    host.warm = os::write_argument(*arguments, 0, "bash").has_value();
  }
  bash->input.reset();
  bash->process.wait();
  if (set_options.empty()) {
    return fail(ErrorKind::unavailable, "bash did not report its options");
  }
  host.defaults.set_options = shell::split_options(set_options);
  host.defaults.shopt_options = shell::split_options(shopt_options);
  return {};
}

}  // namespace

Result<ShellHost> sh_host(std::shared_ptr<Nursery> nursery, const std::string& prelude_directory,
                          const std::string& path) {
  return open_host(std::move(nursery), prelude_directory, ShellKind::sh, path);
}

Result<ShellHost> probe_shell_host(std::shared_ptr<Nursery> nursery,
                                   const std::string& prelude_directory) {
  const auto bash = os::find_program("bash", places_of_programs());
  if (!bash) {
    const auto sh = os::find_program("sh", places_of_programs());
    if (sh) return sh_host(std::move(nursery), prelude_directory, *sh);
    return fail(ErrorKind::not_found, "neither bash nor sh is on this target (looked in " +
                                          places_of_programs() + "); install bash there");
  }
  auto host = open_host(std::move(nursery), prelude_directory, ShellKind::bash, *bash);
  if (!host) return host;
  if (const auto asked = ask_bash(*host); !asked) return fail(asked.error());
  return host;
}

}  // namespace talaria::runner
