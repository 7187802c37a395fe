#include "runner/bash/shell_host.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "os/cgroup.h"
#include "os/file.h"
#include "os/process_memory.h"
#include "os/spawn.h"
#include "shell/dump.h"

namespace talaria {
namespace {

Result<std::string> find_bash() {
  std::string places;
  if (const char* path = std::getenv("PATH")) places = path;
  places += ":/usr/bin:/bin:/usr/local/bin";
  for (const std::string& place : split_options(places)) {
    std::string candidate = place + "/bash";
    if (place.starts_with('/') && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return fail(ErrorKind::not_found,
              "no bash on this target (looked in " + places + "); install bash there");
}

// A bash that says what it is, then waits for us to look at its memory.
constexpr const char* kQuestion =
    "printf '%s\\n' \"$SHELLOPTS\" \"$BASHOPTS\"; read -r -t 10 answer; :";

Result<std::string> first_lines(int fd, int lines) {
  std::string text;
  while (lines > 0) {
    char c = 0;
    const ssize_t size = ::read(fd, &c, 1);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return fail(ErrorKind::unavailable, "bash said nothing about itself");
    if (c == '\n') --lines;
    text += c;
  }
  return text;
}

std::string take_line(std::string& text) {
  const std::size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text.erase(0, end + 1);
  return line;
}

}  // namespace

Result<ShellHost> probe_shell_host(std::shared_ptr<Nursery> nursery,
                                   const std::string& prelude_directory) {
  ShellHost host{.nursery = std::move(nursery),
                 .fd_directory = "/proc/" + std::to_string(::getpid()) + "/fd"};
  auto bash = find_bash();
  if (!bash) return fail(bash.error());
  host.bash_path = *bash;
  auto preludes = Preludes::open(prelude_directory, host.bash_path);
  if (!preludes) return fail(preludes.error());
  host.preludes = std::move(*preludes);

  auto out = make_pipe();
  auto in = make_pipe();
  if (!out || !in) return fail(!out ? out.error() : in.error());
  const SpawnSpec spec{.path = host.bash_path.c_str(),
                       .argv = {"bash", "-c", kQuestion},
                       .env = {"PATH=/usr/bin:/bin"},
                       .fds = {in->reader.get(), out->writer.get(), -1}};
  const auto pid = spawn_process(spec);
  if (!pid) return fail(pid.error());
  out->writer.reset();
  auto answer = first_lines(out->reader.get(), 2);
  const std::string expected = std::string("bash\0-c\0", 8) + kQuestion;
  if (auto arguments = open_arguments(*pid, expected)) {
    host.warm = write_argument(*arguments, 0, "bash").has_value();
  }
  in->writer.reset();
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!answer) return fail(answer.error());

  host.defaults.set_options = split_options(take_line(*answer));
  host.defaults.shopt_options = split_options(take_line(*answer));
  if (const auto cgroup = own_cgroup()) host.cgroup_parent = *cgroup;
  return host;
}

}  // namespace talaria
