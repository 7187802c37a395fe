#include "environment/local/local_environment.h"

#include <algorithm>
#include <array>
#include <vector>

#include "environment/link_environment.h"
#include "environment/runner_image.h"
#include "environment/runner_stream.h"
#include "os/file.h"
#include "os/own_process.h"
#include "os/unix_socket.h"
#include "rendezvous/find_runner.h"
#include "rendezvous/runner_place.h"

namespace talaria::environment::local {
namespace {

constexpr std::size_t kLongestDirectory = 90;  // a socket's path has 108 bytes

// <home>/talaria/run/local, or what stands in for it where a socket cannot be there.
Result<std::string> runner_directory(const std::string& home, const std::string& name) {
  const std::string run = home + "/talaria/run";
  const std::string wanted = run + "/" + name;
  for (const std::string& part : {home + "/talaria", home + "/talaria/bin", run, wanted}) {
    if (const auto made = os::make_private_directory(part); !made) return fail(made.error());
  }
  return rendezvous::socket_directory(wanted, kLongestDirectory);
}

// The runner outlives us and every command can read its parent's environment, so it gets nothing it
// does not need; commands get theirs with each call.
bool runner_needs(std::string_view entry) {
  const std::string_view name = entry.substr(0, entry.find('='));
  constexpr std::array<std::string_view, 9> kNeeded{
      "PATH", "HOME", "LANG", "TMPDIR", "USER", "LOGNAME", "SHELL", "TZ", os::kOwnProgramVariable};
  return std::ranges::find(kNeeded, name) != kNeeded.end() || name.starts_with("LC_") ||
         name.ends_with("SAN_OPTIONS");
}

std::vector<const char*> runner_environment() {
  std::vector<const char*> entries = os::own_environment();
  std::erase_if(entries, [](const char* entry) { return !runner_needs(entry); });
  return entries;
}

// The runner's program for this machine, written to <home>/talaria/bin if it is not there.
Result<std::string> install_own_runner(const std::string& home) {
  const auto image = runner_image(os::machine_name());
  if (!image) return fail(image.error());
  return install_runner(*image, home + "/talaria/bin");
}

Task<Result<link::ByteStream>> connect_to_runner(rendezvous::RunnerSearch search) {
  auto socket = co_await rendezvous::find_or_start_runner(search);
  if (!socket) co_return fail(socket.error());
  co_return runner_stream(co_await asio::this_coro::executor, std::move(*socket), search.place);
}

}  // namespace

Result<std::unique_ptr<Environment>> make_local_environment(const asio::any_io_executor& executor,
                                                            const EnvironmentSpec& spec) {
  auto directory = runner_directory(spec.home, spec.runner);
  if (!directory) return fail(directory.error());
  TargetOptions options{.target = "local",
                        .reach_socket =
                            [directory = *directory](const std::string& name) {
                              return os::connect_to_socket(directory + "/" + name);
                            },
                        .login = spec.login};
  link::LinkDriver::Connect connect =
      [search = rendezvous::RunnerSearch{
           .place = {std::move(*directory)},
           .program = [home = spec.home] { return install_own_runner(home); },
           .environment = runner_environment(),
           .lifetime = spec.lifetime}] { return connect_to_runner(search); };
  return std::make_unique<LinkEnvironment>(executor, std::move(options), std::move(connect));
}

}  // namespace talaria::environment::local
