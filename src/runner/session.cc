#include "runner/session.h"

#include "os/file.h"
#include "runner/limits.h"
#include "shell/effects.h"

namespace talaria {
namespace {

// A directory that is gone is replaced by its nearest ancestor that is there.
std::string nearest_directory(std::string path) {
  while (!path.empty() && !is_directory(path)) {
    const std::size_t slash = path.rfind('/');
    path.erase(slash == std::string::npos ? 0 : slash);
  }
  return path.empty() ? "/" : path;
}

}  // namespace

Session::Session(const asio::any_io_executor& executor, const ShellHost& host, SessionStore& store,
                 std::string id, std::function<void()> on_lost)
    : executor_(executor),
      host_(host),
      store_(store),
      id_(std::move(id)),
      on_lost_(std::move(on_lost)),
      idle_(executor) {}

Session::~Session() { drop_warm_shells(); }

void Session::load() {
  if (std::exchange(loaded_, true) || id_.empty()) return;
  auto stored = store_.load(id_);
  if (!stored) {
    load_notice_ = stored.error().message();
  } else if (stored->has_value()) {
    state_ = std::move(**stored);
  }
}

Result<std::string> Session::directory_for(const RunRequest& request, std::string& notice) const {
  const std::string& wanted = state_.cwd.empty() ? request.first_cwd : state_.cwd;
  if (request.workdir) {
    const bool absolute = request.workdir->starts_with('/');
    std::string directory = absolute ? *request.workdir : wanted + "/" + *request.workdir;
    if (is_directory(directory)) return directory;
    return fail(ErrorKind::not_found, "cd: " + *request.workdir + ": No such file or directory");
  }
  if (is_directory(wanted)) return wanted;
  std::string found = nearest_directory(wanted);
  if (!wanted.empty()) {
    notice = "the working directory " + wanted + " is gone; this command ran in " + found;
  }
  return found;
}

Result<std::shared_ptr<Run>> Session::start(RunRequest request) {
  load();
  std::string notice;
  auto directory = directory_for(request, notice);
  if (!directory) return fail(directory.error());
  if (!id_.empty() && !request.workdir) state_.cwd = *directory;
  if (!id_.empty() && state_.cwd.empty()) state_.cwd = nearest_directory(request.first_cwd);

  ShellState to = state_.over(request.caller);
  to.cwd = std::move(*directory);
  if (!to.umask) to.umask = request.first_umask;
  request.spec.keep_state = !id_.empty() && !leaves_state_alone(request.spec.command, to);
  auto run = start_in_some_shell(request, to);
  if (!run) return run;
  if (caller_ != request.caller) {
    caller_ = std::move(request.caller);
    prepared_is_current_ = false;
  }
  if (!notice.empty()) (*run)->add_notice(std::move(notice));
  if (load_notice_) (*run)->add_notice(*std::exchange(load_notice_, std::nullopt));
  return run;
}

// A waiting shell that turns out to be dead is passed over; one started for the command is the last
// chance.
Result<std::shared_ptr<Run>> Session::start_in_some_shell(RunRequest& request, ShellState& to) {
  const auto hook = [this](Run& ended, const ShellState& before, Result<ShellState> after) {
    command_ended(ended, before, std::move(after));
  };
  while (!request.with_stdin) {
    std::shared_ptr<Run> run = take_warm(to, request.spec.command);
    if (!run) break;
    if (run->dispatch(request.spec, to, request.log, hook)) return run;
    run->kill(Ended::lost, std::chrono::milliseconds(0));
  }
  auto run = launch(to, request);
  if (!run) return run;
  const auto dispatched = (*run)->dispatch(request.spec, to, request.log, hook);
  if (dispatched) return run;
  (*run)->kill(Ended::lost, std::chrono::milliseconds(0));
  return fail(dispatched.error());
}

std::shared_ptr<Run> Session::take_warm(const ShellState& to, std::string_view command) {
  for (auto shell = warm_.begin(); shell != warm_.end(); ++shell) {
    if (!(*shell)->can_take(to, command)) continue;
    std::shared_ptr<Run> run = std::move(*shell);
    warm_.erase(shell);
    return run;
  }
  return nullptr;
}

Result<std::shared_ptr<Run>> Session::launch(const ShellState& to, const RunRequest& request) {
  auto prepared = prepare_state(host_, to, prepared_);
  if (!prepared) return fail(prepared.error());
  prepared_ = std::move(*prepared);
  auto shell = launch_shell(host_, prepared_,
                            {.command = request.spec.command, .with_stdin = request.with_stdin});
  if (!shell) return fail(shell.error());
  auto run = std::make_shared<Run>(executor_, host_, std::move(*shell));
  run->watch_shell();
  return run;
}

void Session::command_ended(Run& run, const ShellState& before, Result<ShellState> after) {
  note_activity();
  if (id_.empty()) {
    run.set_cwd(before.cwd);
    return;
  }
  if (!after && after.error().kind() == ErrorKind::bad_request) {
    run.add_notice("what this command changed in the session was not kept: " +
                   after.error().message());
  }
  const bool changed = after && state_.merge(before, *after);
  if (changed) prepared_is_current_ = false;
  if (!is_directory(state_.cwd)) {
    const std::string found = nearest_directory(state_.cwd);
    run.add_notice("the working directory " + state_.cwd + " is gone; the session goes on in " +
                   found);
    state_.cwd = found;
  }
  if (changed) {
    if (const auto saved = store_.save(id_, state_); !saved) {
      run.add_notice("the session's state is not on disk: " + saved.error().message());
    }
  }
  run.set_cwd(state_.cwd);
}

bool Session::refill_one() {
  if (!host_.warm) return false;
  std::erase_if(warm_, [](const std::shared_ptr<Run>& run) { return run->tree_empty(); });
  if (warm_.size() >= kWarmShellsPerSession) return false;
  if (!prepared_is_current_) {
    auto prepared = prepare_state(host_, state_.over(caller_), prepared_);
    if (!prepared) return false;  // the next command meets the same trouble and reports it
    prepared_ = std::move(*prepared);
    prepared_is_current_ = true;
  }
  auto shell = launch_shell(host_, prepared_, {});
  if (!shell) return false;
  warm_.push_back(std::make_shared<Run>(executor_, host_, std::move(*shell)));
  warm_.back()->on_gone([on_lost = on_lost_](Run& run) {
    if (run.lost()) on_lost();
  });
  warm_.back()->watch_shell();
  return warm_.size() < kWarmShellsPerSession;
}

void Session::drop_warm_shells() {
  for (const auto& run : warm_) run->kill(Ended::killed, std::chrono::milliseconds(0));
  warm_.clear();
}

void Session::abandon() {
  idle_.cancel();
  for (const auto& run : warm_) run->abandon();
  warm_.clear();
}

void Session::note_activity() {
  idle_.expires_after(kWarmShellIdle);
  idle_.async_wait([this](boost::system::error_code error) {
    if (!error) drop_warm_shells();
  });
}

}  // namespace talaria
