#include "runner/serve/serve.h"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>

#include "base/text.h"
#include "base/version.h"
#include "os/cgroup.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/own_process.h"
#include "os/random.h"
#include "os/spawn.h"
#include "rendezvous/command_groups.h"
#include "rendezvous/runner_place.h"
#include "runner/limits.h"
#include "runner/runner_parts.h"
#include "runner/serve/place_keeper.h"
#include "runner/serve/residence.h"
#include "runner/serve/server.h"

namespace talaria::runner {
namespace {

constexpr int kReadyFd = 3;
constexpr auto kShutdownPatience = std::chrono::seconds(2);

void say(int fd, const std::string& line) { (void)os::write_all(fd, line + "\n"); }

Result<ServeArguments> parse(int argc, char** argv) {
  if (argc != 4) return fail(ErrorKind::bad_request, "usage: talaria-runner serve DIR SECONDS");
  return parse_serve_arguments(argv[2], argv[3]);
}

Result<void> check_descriptors() {
  const std::uint64_t limit = os::descriptor_limit();
  if (limit >= kLeastDescriptors) return {};
  return fail(ErrorKind::limit, "a program may have " + std::to_string(limit) +
                                    " open files here, and a runner needs " +
                                    std::to_string(kLeastDescriptors) +
                                    "; raise the limit (ulimit -n)");
}

// What an earlier runner left: texts for shells that are gone, and a state it was killed over while
// writing it.
void clean_up(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove_all(directory + "/prelude", ignored);
  const std::filesystem::path sessions = directory + "/sessions";
  for (const std::string& name : os::names_in(sessions)) {
    if (name.ends_with(".new")) std::filesystem::remove(sessions / name, ignored);
  }
}

void leave_the_caller(const rendezvous::RunnerPlace& place) {
  os::leave_directory();
  // SIGCHLD: reapers report on their channels; none shall stay a zombie.
  os::ignore_signals({SIGPIPE, SIGHUP, SIGINT, SIGXFSZ, SIGCHLD});
  os::become_subreaper(rendezvous::kRunnerProcessName);
  os::mark_descendants();
  os::append_errors_to(place.log());
}

Result<void> supervise(const ServeArguments& arguments, os::UniqueFd& ready) {
  const std::string& directory = arguments.place.directory;
  auto residence = Residence::take(arguments.place);
  if (!residence) return fail(residence.error());
  if (!*residence) return fail(ErrorKind::unavailable, rendezvous::taken_line(directory));
  clean_up(directory);
  (void)rendezvous::end_stale_groups(arguments.place, kLostPatience);
  leave_the_caller(arguments.place);

  auto nursery = Nursery::start();  // before anything else is in this process
  if (!nursery) return fail(nursery.error());
  auto host =
      probe_shell_host(std::make_shared<Nursery>(std::move(*nursery)), directory + "/prelude");
  if (!host) return fail(host.error());
  host->soft_descriptors = os::raise_descriptor_limit();
  const std::string cgroup = os::own_cgroup().value_or("");
  if (!cgroup.empty()) host->cgroup_stem = rendezvous::group_stem(arguments.place, cgroup);
  asio::io_context loop(1);
  const std::string instance = os::random_hex(16);
  SupervisorOptions options{
      .directory = directory, .instance = instance, .lifetime = arguments.lifetime};
  for (const std::string_view entry : os::own_environment()) {
    if (!entry.starts_with("TALARIA_")) options.environment.emplace_back(entry);
  }
  RunnerParts parts(loop, std::move(*host), std::move(options));
  auto listener = (*residence)
                      ->open(std::to_string(::getpid()) + "\n" + instance + "\n" +
                             std::string(kVersion) + "\n" + cgroup + "\n");
  if (!listener) return fail(listener.error());
  Server server(loop, parts, std::move(*listener));
  PlaceKeeper keeper(loop, **residence, server);
  say(ready.get(), rendezvous::ready_line(instance));
  ready.reset();
  loop.run();
  (*residence)->leave();
  // Everything that waits is stopped, and runs to its end while the objects it uses still exist.
  keeper.close();
  server.close();
  parts.shut_down();
  loop.restart();
  loop.run_for(kShutdownPatience);
  return {};
}

}  // namespace

Result<ServeArguments> parse_serve_arguments(const char* directory, const char* seconds) {
  const auto number = parse_integer<long>(seconds);
  if (!number || *number < 0) {
    return fail(ErrorKind::bad_request,
                std::string("lifetime: not a number of seconds: ") + seconds);
  }
  return ServeArguments{{directory}, std::chrono::seconds(*number)};
}

int supervise_main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  os::UniqueFd ready(kReadyFd);
  const Result<void> done = arguments ? supervise(*arguments, ready) : fail(arguments.error());
  if (done) return 0;
  if (ready) say(ready.get(), done.error().message());
  return 1;
}

int serve_main(int argc, char** argv) {
  const auto arguments = parse(argc, argv);
  if (!arguments) {
    say(STDOUT_FILENO, arguments.error().message());
    return 2;
  }
  if (const auto enough = check_descriptors(); !enough) {
    say(STDOUT_FILENO, enough.error().message());
    return 1;
  }
  // The runner itself prints "ready" on our standard output, and is not a child of our caller. We
  // wait for its first line, so that our exit status is right.
  auto said = os::make_pipe();
  if (!said) {
    say(STDOUT_FILENO, said.error().message());
    return 1;
  }
  const std::string program = os::own_program();
  const os::SpawnSpec spec{.path = program.c_str(),
                           .argv = {"talaria-runner", "supervise", argv[2], argv[3]},
                           .env = os::own_environment(),
                           .fds = {-1, -1, -1, said->writer.get()}};
  const auto pid = os::spawn_process(spec);
  if (!pid) {
    say(STDOUT_FILENO, pid.error().message());
    return 1;
  }
  said->writer.reset();
  const std::string line = os::read_line(said->reader.get());
  say(STDOUT_FILENO, line.empty() ? program + " ended without a message" : line);
  return rendezvous::read_serve_line(line) == rendezvous::Served::ready ? 0 : 1;
}

}  // namespace talaria::runner
