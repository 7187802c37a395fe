#include "environment/runner_control.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <boost/asio/steady_timer.hpp>

#include "environment/end_runner.h"
#include "environment/runner_image.h"
#include "environment/runner_stream.h"
#include "os/directory.h"
#include "os/file.h"
#include "os/file_lock.h"
#include "os/own_process.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/unix_socket.h"
#include "rendezvous/command_groups.h"
#include "rendezvous/find_runner.h"
#include "rendezvous/runner_place.h"
#include "rendezvous/session_file.h"

namespace talaria::environment {
namespace {

namespace fs = std::filesystem;

constexpr auto kAnswerPatience = std::chrono::milliseconds(3'000);
constexpr auto kEndPatience = std::chrono::milliseconds(10'000);
constexpr auto kPause = std::chrono::milliseconds(10);
constexpr std::size_t kLargestSession = 64u << 20;

Error silent(const rendezvous::RunnerPlace& place, const std::string& why) {
  return Error(ErrorKind::unavailable,
               "the runner in " + place.directory + " (" + rendezvous::describe_holder(place) +
                   ") does not answer: " + why + "; wait until it ends, or end it");
}

Task<Result<link::ByteStream>> connect(rendezvous::RunnerPlace place) {
  auto socket = os::connect_to_socket(place.socket());
  if (!socket) co_return fail(socket.error());
  co_return runner_stream(co_await asio::this_coro::executor, std::move(*socket), place);
}

// A link to the runner that is there; null if none is.
Task<Result<std::shared_ptr<link::LinkDriver>>> link_to(rendezvous::RunnerPlace place) {
  const auto socket = os::connect_to_socket(place.socket());
  if (!socket) {
    if (!os::is_locked(place.lock())) co_return nullptr;
    co_return fail(silent(place, socket.error().message()));
  }
  co_return std::make_shared<link::LinkDriver>(
      co_await asio::this_coro::executor, [place] { return connect(place); },
      link::LinkDriverOptions{.client = link_identity(),
                              .patience = kAnswerPatience,
                              .ask_after = kAnswerPatience,
                              .answer_within = kAnswerPatience});
}

std::chrono::milliseconds in_ms(std::uint64_t count) {
  return std::chrono::milliseconds(static_cast<std::int64_t>(count));
}

bool runs(const os::ProcessStat& process) {
  const auto now = os::read_process_stat(process.pid);
  return now && now->start_time == process.start_time && now->state != 'Z';
}

Task<bool> wait_gone(os::ProcessStat process) {
  asio::steady_timer pause(co_await asio::this_coro::executor);
  const auto give_up_at = std::chrono::steady_clock::now() + kEndPatience;
  while (runs(process)) {
    if (std::chrono::steady_clock::now() >= give_up_at) co_return false;
    pause.expires_after(kPause);
    co_await pause.async_wait(as_values);
  }
  co_return true;
}

// Renamed first: a program that looks for a runner meanwhile makes a new directory, and not files
// in this one.
Result<void> remove_tree(const std::string& path) {
  const std::string aside = fs::path(path).parent_path().parent_path().string() + "/" +
                            std::string(kRemovedPrefix) + os::random_hex(8);
  std::error_code error;
  fs::rename(path, aside, error);
  if (!error) fs::remove_all(aside, error);
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ErrorKind::system, "remove " + path + ": " + error.message());
  }
  return {};
}

RunnerReport report_of(const link::StatusReport& status, const link::ListReport& list) {
  RunnerReport report{.pid = status.pid,
                      .version = status.version,
                      .uptime = in_ms(status.uptime_ms),
                      .links = status.links > 0 ? status.links - 1 : 0};
  for (const link::ProcessEntry& entry : list.processes) {
    if (!entry.running) continue;
    report.commands.push_back({entry.session, entry.command, entry.pid, in_ms(entry.age_ms)});
  }
  return report;
}

}  // namespace

std::string runner_home(const std::string& directory) { return rendezvous::moved_place(directory); }

Task<Result<std::optional<RunnerReport>>> look_at_runner(std::string directory) {
  const rendezvous::RunnerPlace place{std::move(directory)};
  const auto link = co_await link_to(place);
  if (!link) co_return fail(link.error());
  if (!*link) co_return std::nullopt;
  const auto status = co_await ask<link::StatusReport>(*link, link::Status{});
  if (!status) co_return fail(silent(place, status.error().message()));
  const auto list = co_await ask<link::ListReport>(*link, link::List{});
  (*link)->disconnect();
  if (!list) co_return fail(silent(place, list.error().message()));
  co_return report_of(*status, *list);
}

Task<Result<void>> stop_runner(std::string directory, bool kill_commands) {
  const rendezvous::RunnerPlace place{std::move(directory)};
  const auto link = co_await link_to(place);
  if (!link) co_return fail(link.error());
  if (!*link) co_return Result<void>();
  const auto status = co_await ask<link::StatusReport>(*link, link::Status{});
  if (!status) co_return fail(silent(place, status.error().message()));
  const auto process = os::read_process_stat(static_cast<pid_t>(status->pid));
  const Result<void> ended = co_await end_runner(*link, kill_commands);
  if (!ended) {
    co_return fail(ended.error().kind() == ErrorKind::denied
                       ? ended.error()
                       : silent(place, ended.error().message()));
  }
  if (!process || co_await wait_gone(*process)) co_return Result<void>();
  co_return fail(silent(place, "it was asked to end and did not"));
}

std::vector<std::string> left_processes(const std::string& directory) {
  std::vector<std::string> left;
  for (const rendezvous::CommandGroup& group : rendezvous::stale_groups({directory})) {
    for (const pid_t pid : group.processes) {
      const auto stat = os::read_process_stat(pid);
      if (stat && stat->state != 'Z') left.push_back(std::to_string(pid) + " (" + stat->name + ")");
    }
  }
  return left;
}

bool end_left_processes(const std::string& directory) {
  return rendezvous::end_stale_groups({directory}, kAnswerPatience);
}

std::vector<StoredSession> stored_sessions(const std::string& directory) {
  std::vector<StoredSession> sessions;
  const std::string folder = directory + "/sessions";
  for (const std::string& name : os::names_in(folder)) {
    if (name.contains('.')) continue;  // set aside, or being written
    const auto file = os::open_regular_file(folder + "/" + name);
    if (!file) continue;
    const auto bytes = os::read_whole(file->get(), kLargestSession);
    if (!bytes) continue;
    const auto session = rendezvous::decode_session_file(*bytes);
    if (!session) continue;
    std::error_code ignored;
    const auto written = fs::last_write_time(folder + "/" + name, ignored);
    sessions.push_back({session->id, session->cwd, std::chrono::file_clock::to_sys(written)});
  }
  std::ranges::sort(sessions, {}, &StoredSession::id);
  return sessions;
}

Task<Result<void>> remove_runner(std::string directory, bool kill_commands) {
  const rendezvous::RunnerPlace place{runner_home(directory)};
  const auto lock = os::try_lock_file(place.start_lock());
  if (!lock) co_return fail(lock.error());
  if (!*lock) {
    co_return fail(ErrorKind::unavailable,
                   "another process (" + os::describe_lock(place.start_lock()) +
                       ") is just starting a runner in " + place.directory + "; try again");
  }
  const auto stopped = co_await stop_runner(place.directory, kill_commands);
  if (!stopped) co_return stopped;
  if (place.directory != directory) {  // one of its own below /var/tmp
    std::error_code ignored;
    fs::remove_all(place.directory, ignored);
  }
  co_return remove_tree(directory);
}

Task<Result<void>> try_runner(std::string directory) {
  const rendezvous::RunnerPlace place{directory + "/run"};
  const auto socket = co_await rendezvous::find_or_start_runner(
      {.place = place,
       .program = [directory]() -> Result<std::string> {
         const auto image = runner_image(os::machine_name());
         if (!image) return fail(image.error());
         return install_runner(*image, directory + "/bin");
       },
       .environment = os::own_environment(),
       .lifetime = std::chrono::seconds(10)});
  if (!socket) co_return fail(socket.error());
  const auto seen = co_await look_at_runner(place.directory);
  if (!seen) co_return fail(seen.error());
  co_return co_await stop_runner(place.directory, true);
}

}  // namespace talaria::environment
