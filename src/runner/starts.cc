#include "runner/starts.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "base/wall_time.h"
#include "os/file.h"
#include "runner/limits.h"
#include "runner/login/login_state.h"
#include "runner/run_terminal.h"
#include "runner/word_definitions.h"

namespace talaria::runner {
namespace {

Error runner_ends() { return Error(ErrorKind::unavailable, "the runner is shutting down"); }

bool in_background(const link::Start& start) {
  return start.lifetime != link::ProcessLifetime::foreground;
}

std::chrono::milliseconds grace_of(const link::Start& start) {
  return start.grace_ms == 0 ? kDefaultGrace : std::chrono::milliseconds(start.grace_ms);
}

// check_start() has looked at it.
std::optional<link::TerminalSize> wanted_terminal(const link::Start& start) {
  if (!start.pty) return std::nullopt;
  return *terminal_size_or_default(*start.pty);
}

std::string home_in(const shell::NameMap& environment) {
  const auto found = environment.find("HOME");
  return found == environment.end() ? "/" : found->second;
}

// Opens a directory, if its path leads there without a link.
bool pin(const std::string& path, os::UniqueFd& directory) {
  auto opened = os::open_file(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (!opened) return false;
  directory = std::move(*opened);
  return os::without_links("/proc/self/fd/" + std::to_string(directory.get())) == path;
}

}  // namespace

Result<void> check_start(const link::Start& start) {
  if (!is_plain_id(start.start_id)) {
    return fail(ErrorKind::bad_request, "start_id: 1 to 128 letters, digits, '_', '-' and '.'");
  }
  if (start.command.contains('\0')) {
    return fail(ErrorKind::bad_request, "the command contains a NUL byte, which no shell can run");
  }
  if (start.command.size() > kMaxCommandBytes) {
    return fail(ErrorKind::limit, "the command has " + std::to_string(start.command.size()) +
                                      " bytes; at most " + std::to_string(kMaxCommandBytes) +
                                      " can be run: put it in a file");
  }
  for (const std::string& path : {start.cwd.value_or("/"), start.first_cwd, start.move_to}) {
    if (!path.empty() && path.contains('\0')) {
      return fail(ErrorKind::bad_request, "a directory's name cannot contain a NUL byte");
    }
  }
  if (!start.first_cwd.empty() && !start.first_cwd.starts_with('/') && start.first_cwd != "~" &&
      !start.first_cwd.starts_with("~/")) {
    return fail(ErrorKind::bad_request, "first_cwd: a path that begins with / or ~ is required");
  }
  if (start.timeout_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "timeout_ms: at most " + std::to_string(kLongestTimeout));
  }
  if (start.grace_ms > kLongestGrace) {
    return fail(ErrorKind::bad_request, "grace_ms: at most " + std::to_string(kLongestGrace));
  }
  if (start.max_age_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "max_age_ms: at most " + std::to_string(kLongestTimeout));
  }
  if (start.watch.size() > kMaxWatched) {
    return fail(ErrorKind::bad_request, "watch: " + std::to_string(start.watch.size()) +
                                            " patterns; at most " + std::to_string(kMaxWatched));
  }
  for (const std::string& pattern : start.watch) {
    if (pattern.size() <= kMaxWatchedBytes) continue;
    return fail(ErrorKind::bad_request, "watch: a pattern has " + std::to_string(pattern.size()) +
                                            " bytes; at most " + std::to_string(kMaxWatchedBytes));
  }
  if (start.sudo_password && start.lifetime != link::ProcessLifetime::foreground) {
    return fail(ErrorKind::bad_request, "sudo_password: not of a process in the background");
  }
  if (start.script && (start.lifetime != link::ProcessLifetime::foreground || start.hand_over)) {
    return fail(ErrorKind::bad_request, "script: not of a process in the background");
  }
  if (start.pty && start.errors_apart) {
    return fail(ErrorKind::bad_request,
                "errors_apart: a terminal has only one stream for output and errors");
  }
  if (start.pty) {
    if (const auto size = terminal_size_or_default(*start.pty); !size) return fail(size.error());
  }
  return {};
}

Starts::Starts(asio::io_context& loop, const ShellHost& host, std::string directory,
               shell::NameMap environment, Parts parts)
    : loop_(loop),
      host_(host),
      directory_(std::move(directory)),
      environment_(std::move(environment)),
      home_(home_in(environment_)),
      parts_(std::move(parts)),
      askpass_(loop, directory_),
      logins_(loop.get_executor(), host_, directory_ + "/logins") {}

void Starts::close() {
  closed_ = true;
  askpass_.close();
}

Result<Starts::StartedRun> Starts::start(const link::LinkId& link, link::Start start) {
  if (const auto valid = check_start(start); !valid) return fail(valid.error());
  const std::string id = start.start_id;
  const auto begun = parts_.links.starts().begin(link, start.sequence, id, id);
  switch (begun.verdict) {
    case link::StartLedger::Verdict::known:
      if (std::erase(refused_, id) == 0) return find_started(begun.process);
      parts_.links.starts().begin_again(id);  // it did not run, and may run now
      break;
    case link::StartLedger::Verdict::expired:
      return fail(ErrorKind::not_found, "start " + id + " is too old: it has run or was given up");
    case link::StartLedger::Verdict::full:
      return fail(ErrorKind::limit, "too many unfinished commands on this runner");
    case link::StartLedger::Verdict::fresh:
      break;
  }
  os::UniqueFd directory;
  auto unknown = unjudged(start, directory);
  if (unknown && !*unknown) {
    auto run = start_new(link, std::move(start), std::move(directory));
    if (run) return StartedRun{.run = std::move(*run)};
    unknown = fail(run.error());
  }
  parts_.links.starts().finished(id);
  refused_.push_back(id);
  if (refused_.size() > kMaxRefused) refused_.pop_front();
  if (!unknown) return fail(unknown.error());
  return StartedRun{.unjudged = std::move(*unknown)};
}

// It comes again because its answer was lost. It keeps the kind of answer that it had.
Result<Starts::StartedRun> Starts::find_started(const std::string& process) {
  auto run = parts_.runs.get(process);
  if (!run) return fail(run.error());
  return StartedRun{.run = std::move(*run), .known = true};
}

Result<std::optional<link::Unjudged>> Starts::unjudged(const link::Start& start,
                                                       os::UniqueFd& directory) {
  const bool judged = !start.words.empty() || !start.variables.empty() || start.uses_directory;
  if (!judged || closed_) return std::nullopt;
  auto definitions = definitions_for(start, start.uses_directory);
  if (!definitions) return fail(definitions.error());
  const bool same = digest_of_texts(*definitions) == start.definitions &&
                    digest_of_facts(*definitions) == start.facts;
  if (same && (!start.uses_directory || pin(definitions->directory, directory))) {
    return std::nullopt;
  }
  // The next judgement may depend on the directory.
  if (!start.uses_directory) definitions = definitions_for(start, true);
  if (!definitions) return fail(definitions.error());
  return to_link(std::move(*definitions));
}

Result<shell::SessionDefinitions> Starts::definitions_for(const link::Start& start,
                                                          bool with_directory) {
  const auto login = login_of(start);
  if (!login) return fail(login.error());
  const bool from_target = start.env.empty() || start.env_added;
  shell::NameMap inherited;
  add_inherited_functions(start.env, inherited);
  if (from_target) add_inherited_functions(environment_, inherited);
  const StartPlace place = place_of(start);
  return parts_.sessions.get(start.session)
      .definitions_for({.words = start.words,
                        .variables = start.variables,
                        .uses_directory = with_directory,
                        .place = place,
                        .home = home_for(start),
                        .inherited = std::move(inherited),
                        .target = from_target ? &environment_ : nullptr,
                        .login = login->get()});
}

StartPlace Starts::place_of(const link::Start& start) const {
  return {.workdir = start.cwd,
          .first_cwd = start.first_cwd.empty() ? home_ : start.first_cwd,
          .move_to = start.move_to};
}

// What the caller passes, if anything.
std::string Starts::home_for(const link::Start& start) const {
  constexpr std::string_view kHome = "HOME=";
  const auto given = std::ranges::find_if(
      start.env, [&](const std::string& one) { return one.starts_with(kHome); });
  if (given != start.env.end()) return given->substr(kHome.size());
  return start.env.empty() || start.env_added ? home_ : "/";
}

Result<std::shared_ptr<Run>> Starts::start_new(const link::LinkId& link, link::Start start,
                                               os::UniqueFd directory) {
  if (closed_) return fail(runner_ends());
  if (const auto room = make_room_for(start); !room) return fail(room.error());
  const std::string process = start.start_id;
  const std::string session = start.session;
  const link::ProcessLifetime lifetime = start.lifetime;
  auto run = start_in_session(std::move(start), std::move(directory));
  if (!run) parts_.jobs.forget(process);
  if (!run && (run.error().code() == EMFILE || run.error().code() == ENFILE)) {
    parts_.sessions.drop_warm_shells();
    return fail(ErrorKind::unavailable, run.error().message() + "; " +
                                            std::to_string(parts_.runs.running()) +
                                            " commands run here");
  }
  if (!run) return run;
  parts_.runs.insert(*run);
  parts_.sessions.give_way();
  if (lifetime == link::ProcessLifetime::call) parts_.links.end_with(link, process);
  // A session gets its warm shells back when a command ends, but no link waits for the end of this
  // one. The pause: until the caller has its answer, the command keeps the processors busy enough.
  if (lifetime != link::ProcessLifetime::foreground) {
    parts_.sessions.refill_soon(session, kRefillPause);
  }
  return run;
}

Result<void> Starts::make_room_for(const link::Start& start) {
  if (parts_.runs.running() >= kMaxRunning) {
    return fail(ErrorKind::limit, std::to_string(kMaxRunning) + " commands are already running");
  }
  if (const auto room = parts_.sessions.make_room_for(start.session); !room) return room;
  if (in_background(start) || start.hand_over) parts_.runs.set_limits(start.limits);
  return in_background(start) ? parts_.runs.make_room(start.pty.has_value()) : Result<void>();
}

Result<std::shared_ptr<Run>> Starts::start_in_session(link::Start start, os::UniqueFd directory) {
  auto login = login_of(start);
  if (!login) return fail(login.error());
  const auto sudo = sudo_grant(start);
  if (!sudo) return fail(sudo.error());
  const auto script = script_server(start);
  if (!script) return fail(script.error());
  shell::NameMap given = *sudo ? askpass_.variables(**sudo) : shell::NameMap();
  if (*script) {
    const shell::NameMap variables = (*script)->variables();
    given.insert(variables.begin(), variables.end());
  }
  const std::optional<link::TerminalSize> terminal = wanted_terminal(start);
  StartPlace place = place_of(start);
  RunRequest request{.spec = {.process = start.start_id,
                              .session = start.session,
                              .command = std::move(start.command),
                              .timeout = std::chrono::milliseconds(start.timeout_ms),
                              .grace = grace_of(start),
                              .lifetime = start.lifetime,
                              .max_age = std::chrono::milliseconds(start.max_age_ms),
                              .started_ms = milliseconds_since_1970(),
                              .owner = std::move(start.owner),
                              .watch = std::move(start.watch),
                              .notify = start.notify,
                              .hand_over = start.hand_over,
                              .pty = terminal.has_value(),
                              .first_size = terminal.value_or(link::TerminalSize()),
                              .changes_session = start.changes_session,
                              .spares_session = start.spares_session,
                              .errors_apart = start.errors_apart,
                              .sudo = *sudo,
                              .script = *script,
                              .shown_command = std::move(start.shown_command)},
                     .caller = environment_for(start),
                     .place = std::move(place),
                     .first_umask = start.umask
                                        ? std::optional(static_cast<int>(*start.umask & 0777))
                                        : std::nullopt,
                     .login = std::move(*login),
                     .given = std::move(given),
                     .with_stdin = start.stdin_mode == link::StdinMode::stream,
                     .terminal = terminal ? std::optional(to_window_size(*terminal)) : std::nullopt,
                     .log = make_log(start),
                     .observers = parts_.observers};
  if (directory) {
    request.spec.judged_directory = std::make_shared<os::UniqueFd>(std::move(directory));
  }
  if (*sudo) request.log->hide((*sudo)->password());
  return parts_.sessions.get(start.session).start(std::move(request));
}

Result<std::shared_ptr<const LoginState>> Starts::login_of(const link::Start& start) {
  if (start.login.empty()) return nullptr;
  auto login = logins_.find(start.login);
  if (!login)
    return fail(ErrorKind::unavailable, "login " + start.login + " is unknown to this runner");
  return login;
}

Result<std::shared_ptr<SudoGrant>> Starts::sudo_grant(link::Start& start) {
  if (!start.sudo_password) return nullptr;
  Secret password(*start.sudo_password);
  wipe(*start.sudo_password);
  return askpass_.grant(std::move(password));
}

Result<std::shared_ptr<ScriptServer>> Starts::script_server(const link::Start& start) {
  if (!start.script) return nullptr;
  const ScriptServer::Place place{.directory = directory_ + "/scripts/" + start.start_id,
                                  .socket = directory_ + "/rpc-" + std::to_string(++scripts_)};
  return ScriptServer::open(loop_, place, *start.script);
}

std::unique_ptr<OutputLog> Starts::make_log(const link::Start& start) const {
  const bool background = in_background(start);
  SpillOptions spill{.path = directory_ + "/spill/" + start.start_id,
                     .quota = start.spill_quota,
                     .after = kSpillAfter,
                     .rolls = background};
  const std::size_t tail = start.stream_output ? kStreamedTail
                           : background        ? kBackgroundTail
                                               : kOutputTail;
  return std::make_unique<OutputLog>(background ? 0 : kOutputHead, tail, std::move(spill));
}

// Commands whose caller passes nothing, or only additions, get the environment of the target.
shell::NameMap Starts::caller_environment(const std::vector<std::string>& env, bool added) const {
  if (env.empty()) return environment_;
  shell::NameMap environment = shell::parse_environment(env);
  if (added) environment.insert(environment_.begin(), environment_.end());
  return environment;
}

// The output of Python in the background shall be visible at once.
const shell::NameMap& Starts::environment_for(const link::Start& start) {
  const bool background = in_background(start);
  const bool same = passed_.added == start.env_added && passed_.background == background &&
                    passed_.env == start.env && !start.env.empty();
  if (same) return passed_.variables;
  passed_ = {start.env, start.env_added, background,
             caller_environment(start.env, start.env_added)};
  if (background) passed_.variables.try_emplace("PYTHONUNBUFFERED", "1");
  return passed_.variables;
}

Result<Starts::LoginAnswer> Starts::login(const link::Login& request) {
  if (closed_) return fail(runner_ends());
  if (!request.session.empty() && !parts_.sessions.get(request.session).is_new()) {
    return LoginAnswer();
  }
  auto question =
      login_question(request, caller_environment(request.env, request.env_added), host_.kind);
  if (!question) return fail(question.error());
  if (auto known = logins_.known(*question)) return LoginAnswer(std::move(known));
  const auto patience = request.timeout_ms == 0 ? std::chrono::milliseconds(kLoginPatience)
                                                : std::chrono::milliseconds(request.timeout_ms);
  auto begun = logins_.begin(std::move(*question), patience, parts_.observers);
  if (!begun) return fail(begun.error());
  if (begun->fresh) parts_.runs.insert(begun->login->run);
  return LoginAnswer(std::move(begun->login));
}

}  // namespace talaria::runner
