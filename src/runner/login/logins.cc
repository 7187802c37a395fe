#include "runner/login/logins.h"

#include <algorithm>

#include "os/file.h"
#include "os/random.h"
#include "runner/limits.h"
#include "shell/sh_script.h"

namespace talaria::runner {
namespace {

constexpr int kIdBytes = 8;

// What is left of a file that was made with room to spare.
std::string written_part(std::string bytes) {
  bytes.resize(bytes.find_last_not_of('\0') + 1);
  return bytes;
}

// The notice that the files did not run to their end.
std::string cut_short(const Run& run, const shell::LoginTrace& trace, bool left_state) {
  const std::string where = trace.last.empty() ? "a login file" : trace.last;
  const std::string then = left_state ? "; new sessions start with what was set by then"
                                      : "; new sessions start without what the files would set";
  if (run.exit()->how == link::Ended::timed_out) {
    return "the login files took more than " +
           std::to_string(
               std::chrono::duration_cast<std::chrono::seconds>(run.spec().timeout).count()) +
           " s and were stopped in " + where + then;
  }
  return where +
         " ended the shell that read the login files, or left it unable to continue (exit, "
         "exec, set -n, ...)" +
         then;
}

}  // namespace

void OpenLogin::command_ended(Run& ended, const shell::ShellState& before,
                              Result<shell::ShellState>& after) {
  logins.ended(*this, ended, before, after);
}

Result<Logins::Begun> Logins::begin(LoginQuestion question, std::chrono::milliseconds patience,
                                    const std::vector<RunObserver*>& observers) {
  const auto same = std::ranges::find(open_, question, &OpenLogin::question);
  if (same != open_.end()) return Begun{*same};
  auto login = std::make_shared<OpenLogin>(*this, std::move(question));
  auto run = start(*login, patience, observers);
  if (!run) return fail(run.error());
  login->run = std::move(*run);
  open_.push_back(login);
  return Begun{.login = std::move(login), .fresh = true};
}

std::string Logins::text_for(const OpenLogin& login) const {
  const shell::LoginPlan& plan = login.question.plan;
  if (host_.kind == ShellKind::sh) return shell::sh_login_text(plan, login.nonce);
  return shell::login_text(plan,
                           {.nonce = login.nonce, .trace_path = host_.path_of(login.trace.get())});
}

Result<std::shared_ptr<Run>> Logins::start(OpenLogin& login, std::chrono::milliseconds patience,
                                           const std::vector<RunObserver*>& observers) {
  auto trace = os::make_bounded_memory_file("talaria-login", kLoginTrace);
  if (!trace) return fail(trace.error());
  login.nonce = os::random_hex(kIdBytes);
  login.trace = std::move(*trace);
  login.started = file_clock();

  const std::string& home = login.question.plan.home;
  CommandStart start{
      .spec = {.process = "login_" + login.nonce,
               .command = text_for(login),
               .timeout = patience,
               .grace = kDefaultGrace,
               .keep_state = true,
               .is_login = true},
      .from = {.variables = login.question.caller, .cwd = os::check_directory(home) ? home : "/"},
      .log = std::make_unique<OutputLog>(kOutputHead, kOutputTail, SpillOptions{}),
      .observers = observers};
  start.observers.insert(start.observers.begin(), &login);
  auto prepared = prepare_state(host_, start.from);
  if (!prepared) return fail(prepared.error());
  auto run = Run::launch(executor_, host_, std::move(*prepared), {.command = start.spec.command});
  if (!run) return run;
  const auto dispatched = (*run)->dispatch(start);
  if (dispatched) return run;
  (*run)->kill(link::Ended::lost, std::chrono::milliseconds(0));
  return fail(dispatched.error());
}

void Logins::ended(OpenLogin& login, const Run& run, const shell::ShellState& before,
                   Result<shell::ShellState>& after) {
  const auto open = std::ranges::find(open_, &login, &std::shared_ptr<OpenLogin>::get);
  if (open == open_.end()) return;
  const std::shared_ptr<OpenLogin> alive = std::move(*open);
  open_.erase(open);
  // It was not needed any more, or never ran.
  const Run::Exit& exit = *run.exit();
  if (exit.how == link::Ended::killed || exit.how == link::Ended::lost) return;
  const std::string text =
      written_part(os::read_whole(login.trace.get(), kLoginTrace).value_or(std::string()));
  const shell::LoginTrace trace = shell::parse_trace(text, login.nonce);
  const bool left_none = !after;
  shell::LoginChange change =
      shell::login_change(before, left_none ? shell::ShellState(before) : std::move(*after),
                          login.nonce, login.question.withheld);
  auto state = std::make_shared<LoginState>();
  state->id = os::random_hex(kIdBytes);
  state->state = std::move(change.state);
  note_origin(*state, login.question, trace, login.started);
  if (!change.reached_end) state->notices.push_back(cut_short(run, trace, !left_none));
  // A process that the files started (an agent, say) ends with this runner, so the state must not
  // outlive it. And a trace that was cut may lack files that the state depends on.
  state->lasting = exit.how == link::Ended::exited && exit.children == 0 && trace.whole;
  login.state = state;
  cache_.keep(std::move(state));
}

}  // namespace talaria::runner
