#include "runner/session.h"

#include "base/secret_name.h"
#include "base/sha256.h"
#include "os/file.h"
#include "runner/limits.h"
#include "runner/word_definitions.h"
#include "shell/effects.h"
#include "shell/quote.h"

namespace talaria::runner {
namespace {

// A directory that is gone or closed is replaced by its nearest ancestor that can be used.
std::string nearest_directory(std::string path) {
  while (!path.empty() && !os::check_directory(path)) {
    const std::size_t slash = path.rfind('/');
    path.erase(slash == std::string::npos ? 0 : slash);
  }
  return path.empty() ? "/" : path;
}

constexpr const char* kNoBash =
    "this target has no bash, so commands run in sh: features of bash ([[ ]], arrays, `source`, "
    "<(...), ...) fail, and functions are not kept between commands; install bash there to use "
    "them";

// How sh ends when it cannot read a command, or does not find one.
bool may_miss_bash(const ExitStatus& status) {
  const auto* exited = std::get_if<Exited>(&status);
  return exited != nullptr && (exited->code == 2 || exited->code == 127);
}

constexpr const char* kTerminalName = "xterm-256color";

// "~" and "~/x" as a shell reads them.
std::string below_home(const std::string& path, const std::string& home) {
  const bool is_home = path == "~" || path.starts_with("~/");
  return is_home ? home + path.substr(1) : path;
}

std::string below(const std::string& directory, const std::string& path) {
  return path.starts_with('/') ? path : directory + "/" + path;
}

// If the requested directory is missing, the shell reports that instead of running the command.
std::string failing_cd(const std::string& directory) {
  const std::string name = directory == "-" ? "./-" : directory;  // to cd it would be another
  return "CDPATH= \\command cd -- " + shell::single_quote(name) + "; \\command exit 126";
}

// The user's home directory, as a command will see it.
std::string home_in(const shell::SessionState& state, const std::string& inherited) {
  const auto changed = state.variables.find("HOME");
  return changed == state.variables.end() ? inherited : changed->second.value_or("/");
}

// A secret stays here: what others need is whether it is the same. A path is none, whatever its
// variable is called.
std::string reported(const std::string& name, const std::string& value) {
  if (is_path_value(value) || secret_name(name) == SecretName::none) return value;
  return std::string(shell::kDigestMark) + sha256_hex(value);
}

std::string left_directory(const std::string& path, const Error& reason) {
  return "the working directory " + path +
         (reason.code() == ENOENT ? " does not exist"
                                  : " cannot be used (" + reason.message() + ")");
}

}  // namespace

Session::Session(const asio::any_io_executor& executor, const ShellHost& host, SessionStore& store,
                 std::string id, SpareShells& spare, SessionEvents events)
    : executor_(executor),
      host_(host),
      store_(store),
      id_(std::move(id)),
      events_(std::move(events)),
      spare_(spare),
      warm_(spare.all()) {}

Session::~Session() {
  for (const auto& weak : observed_) {
    if (const auto run = weak.lock()) run->remove_observer(*this);
  }
}

Result<void> Session::load() {
  if (loaded_ || id_.empty()) return {};
  auto stored = store_.load(id_);
  if (!stored) {
    return fail(Error(ErrorKind::unavailable,
                      "the session's state cannot be read now: " + stored.error().message(),
                      stored.error().code()));
  }
  loaded_ = true;
  load_notice_ = std::move(stored->damage);
  on_disk_ = stored->state.has_value();
  if (stored->state) state_ = std::move(*stored->state);
  return {};
}

SessionPlace place_in(const shell::SessionState& state) {
  SessionPlace place{.directory = state.cwd};
  const auto home = state.variables.find("HOME");
  if (home != state.variables.end()) place.home = home->second.value_or("/");
  if (state.umask) place.umask = static_cast<std::uint32_t>(*state.umask);
  return place;
}

Result<SessionPlace> Session::place() {
  if (const auto loaded = load(); !loaded) return fail(loaded.error());
  return place_in(state_);
}

bool Session::is_new() {
  const bool known = load().has_value();
  return known && state_.cwd.empty();
}

// Nothing has run in it yet.
void Session::begin_with(const RunRequest& request) {
  if (request.login) state_ = request.login->state;
  if (!state_.umask) state_.umask = request.first_umask;
}

// Where a command starts, as things are now.
Session::Whereabouts Session::whereabouts(const StartPlace& place, const std::string& home) const {
  Whereabouts found;
  std::string wanted = state_.cwd.empty() ? below_home(place.first_cwd, home) : state_.cwd;
  if (!id_.empty() && !place.move_to.empty()) {
    const std::string asked = below_home(place.move_to, home);
    if (const std::string directory = below(wanted, asked); os::check_directory(directory)) {
      found.session = wanted = directory;
    } else {
      found.missing = asked;
    }
  }
  if (place.workdir) {
    const std::string asked = below_home(*place.workdir, home);
    found.directory = below(wanted, asked);
    if (os::check_directory(found.directory)) return found;
    found.missing = asked;
  }
  const auto usable = os::check_directory(wanted);
  found.directory = usable ? wanted : nearest_directory(wanted);
  if (!usable && !wanted.empty() && found.missing.empty()) {
    found.notice =
        left_directory(wanted, usable.error()) + ", so this command ran in " + found.directory;
  }
  if (!place.workdir) found.session = found.directory;
  return found;
}

Result<shell::SessionDefinitions> Session::definitions_for(const StartQuestion& question) {
  if (const auto loaded = load(); !loaded) return fail(loaded.error());
  const bool begins = !id_.empty() && state_.cwd.empty() && question.login != nullptr;
  const shell::SessionState& state = begins ? question.login->state : state_;
  shell::SessionDefinitions found =
      definitions_of(question.words, state, question.inherited, host_.kind);
  for (const std::string& name : question.variables) {
    if (const auto own = state.variables.find(name); own != state.variables.end()) {
      if (own->second) found.variables.try_emplace(name, reported(name, *own->second));
    } else if (question.target != nullptr && question.target->contains(name)) {
      found.variables.try_emplace(name, reported(name, question.target->find(name)->second));
    }
  }
  if (question.uses_directory) {
    const std::string home = home_in(state, question.home);
    found.directory = os::without_links(whereabouts(question.place, home).directory);
  }
  return found;
}

Result<std::shared_ptr<Run>> Session::start(RunRequest request) {
  if (const auto loaded = load(); !loaded) return fail(loaded.error());
  const auto now = std::chrono::steady_clock::now();
  if (last_start_) pace_ = now - *last_start_;
  last_start_ = now;
  if (!id_.empty() && state_.cwd.empty()) {
    begin_with(request);
    if (host_.kind == ShellKind::sh) {
      load_notice_ += (load_notice_.empty() ? "" : "; ") + std::string(kNoBash);
    }
  }
  const auto inherited = request.caller.find("HOME");
  const std::string home =
      home_in(state_, inherited == request.caller.end() ? "/" : inherited->second);
  Whereabouts at = whereabouts(request.place, home);
  if (!at.missing.empty() && request.spec.background()) {
    return fail(ErrorKind::bad_request,
                "the working directory " + at.missing +
                    " does not exist or cannot be used; the process was not started");
  }
  if (!at.missing.empty()) {
    if (request.spec.shown_command.empty()) request.spec.shown_command = request.spec.command;
    request.spec.command = failing_cd(at.missing);
  }
  if (!id_.empty() && !at.session.empty()) move_to(at.session);
  if (!id_.empty() && state_.cwd.empty()) {
    move_to(nearest_directory(below_home(request.place.first_cwd, home)));
  }

  shell::ShellState to = state_over(request.caller);
  to.cwd = std::move(at.directory);
  if (!to.umask) to.umask = request.first_umask;
  if (request.terminal) name_terminal(to);
  for (const auto& [name, value] : request.given) to.variables.insert_or_assign(name, value);
  // A command in the background ends at an unexpected time, so it usually leaves the session alone.
  const bool alone = request.spec.leaves_session_alone();
  request.spec.keep_state = !alone && !id_.empty() && !request.spec.script &&
                            !shell::leaves_state_alone(request.spec.command, to);
  auto run = start_in_some_shell(request, std::move(to));
  if (!run) {
    note_activity();
    return run;
  }
  observed_.push_back(*run);
  if (alone) {
    note_activity();
  } else {
    ++running_;
    if (events_.on_busy) events_.on_busy(*this);
  }
  if (caller_ != request.caller) {
    caller_ = std::move(request.caller);
    prepared_is_current_ = false;
  }
  if (!at.notice.empty()) (*run)->record().add_notice(std::move(at.notice));
  if (!load_notice_.empty()) (*run)->record().add_notice(std::exchange(load_notice_, {}));
  return run;
}

shell::ShellState Session::state_over(const shell::NameMap& caller) {
  if (!over_.caller.shares_with(caller) || !over_.own.shares_with(state_.variables)) {
    over_ = {caller, state_.variables, state_.variables_over(caller)};
  }
  return state_.with(over_.all);
}

// The caller's own TERM describes another terminal. A session that chose one keeps it.
void Session::name_terminal(shell::ShellState& to) const {
  const auto chosen = state_.variables.find("TERM");
  const std::string name =
      chosen == state_.variables.end() ? std::string() : chosen->second.value_or("");
  to.variables.insert_or_assign("TERM", name.empty() || name == "dumb" ? kTerminalName : name);
}

// A waiting shell that turns out to be dead is skipped; a shell started for the command is the last
// chance.
Result<std::shared_ptr<Run>> Session::start_in_some_shell(RunRequest& request,
                                                          shell::ShellState to) {
  CommandStart start{.spec = std::move(request.spec),
                     .from = std::move(to),
                     .log = std::move(request.log),
                     .observers = std::move(request.observers)};
  start.observers.insert(start.observers.begin(), this);
  while (!request.with_stdin && !request.terminal) {
    std::shared_ptr<Run> run = warm_.take(start.from, start.spec.command);
    if (!run) run = spare_.take(request.caller, request.login, start.from, start.spec.command);
    if (!run) break;
    if (run->dispatch(start)) return run;
    run->kill(link::Ended::lost, std::chrono::milliseconds(0));
  }
  auto run = launch(start, request);
  if (!run) return run;
  const auto dispatched = (*run)->dispatch(start);
  if (dispatched) return run;
  (*run)->kill(link::Ended::lost, std::chrono::milliseconds(0));
  return fail(dispatched.error());
}

Result<std::shared_ptr<Run>> Session::launch(const CommandStart& start, const RunRequest& request) {
  auto prepared = prepare_state(host_, start.from, prepared_);
  if (!prepared) return fail(prepared.error());
  // The next command most likely has no terminal: its shells start from something else.
  if (!request.terminal) prepared_ = *prepared;
  return Run::launch(executor_, host_, std::move(*prepared),
                     {.command = start.spec.command,
                      .with_stdin = request.with_stdin,
                      .terminal = request.terminal});
}

// What it was started from may be gone from disk.
void Session::start_failed() {
  prepared_.reset();
  prepared_is_current_ = false;
  drop_warm_shells();
}

void Session::stop_observing(Run& run) {
  run.remove_observer(*this);
  std::erase_if(observed_, [&](const auto& weak) { return weak.lock().get() == &run; });
}

void Session::foreground_left() {
  --running_;
  note_activity();
}

void Session::run_handed_over(Run& run) {
  stop_observing(run);
  foreground_left();
  if (!id_.empty()) keep_changes(run, false);
}

void Session::command_ended(Run& run, const shell::ShellState& before,
                            Result<shell::ShellState>& after) {
  stop_observing(run);
  const bool alone = run.spec().leaves_session_alone();
  if (!alone) foreground_left();
  if (run.start_failure()) return start_failed();
  if (alone) return;
  if (host_.kind == ShellKind::sh && may_miss_bash(run.exit()->status)) {
    run.record().add_notice(kNoBash);
  }
  if (id_.empty()) return;
  if (!after && after.error().kind() == ErrorKind::bad_request) {
    run.record().add_notice("what this command changed in the session was not saved: " +
                            after.error().message());
  }
  if (after) shell::drop_inherited_functions(before, *after);
  keep_changes(run, after && state_.merge(before, *after));
}

void Session::keep_changes(Run& run, bool changed) {
  if (changed) prepared_is_current_ = false;
  if (const auto usable = os::check_directory(state_.cwd); !usable) {
    const std::string found = nearest_directory(state_.cwd);
    run.record().add_notice(left_directory(state_.cwd, usable.error()) +
                            ", so the session continues in " + found);
    move_to(found);
  }
  if (changed || !on_disk_) {
    if (const auto saved = save(); !saved) {
      run.record().add_notice("the session's state is only in memory, not on disk: " +
                              saved.error().message());
    }
  }
  run.record().cwd = state_.cwd;
}

void Session::move_to(const std::string& directory) {
  if (state_.cwd == directory) return;
  state_.cwd = directory;
  on_disk_ = false;
}

Result<void> Session::save() {
  const auto saved = store_.save(id_, state_);
  on_disk_ = saved.has_value();
  return saved;
}

bool Session::retire() {
  if (running_ > 0) return false;
  const bool known_on_disk = id_.empty() || !loaded_ || on_disk_;
  if (!known_on_disk && !save()) return false;
  drop_warm_shells();
  return true;
}

bool Session::end() {
  if (running_ > 0) return false;
  drop_warm_shells();
  return true;
}

bool Session::refill_one() {
  if (!host_.warm) return false;
  warm_.get_ready();
  if (warm_.size() >= kWarmShellsPerSession) return false;
  if (!prepared_is_current_) {
    auto prepared = prepare_state(host_, state_over(caller_), prepared_);
    if (!prepared) return false;  // the next command has the same problem and reports it
    prepared_ = std::move(*prepared);
    prepared_is_current_ = true;
  }
  auto shell = Run::launch(executor_, host_, prepared_, {});
  if (!shell) return false;
  warm_.add(std::move(*shell));
  return warm_.size() < kWarmShellsPerSession;
}

void Session::abandon() {
  if (loaded_ && !on_disk_) (void)save();  // no one is left to report a failure to
  warm_.abandon();
}

void Session::note_activity() {
  last_active_ = std::chrono::steady_clock::now();
  if (running_ == 0 && events_.on_idle) events_.on_idle(*this);
}

}  // namespace talaria::runner
