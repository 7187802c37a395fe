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

// In which words to say that the files did not run to their end.
std::string cut_short(const Run& run, const shell::LoginTrace& trace, bool left_state) {
  const std::string where = trace.last.empty() ? "a login file" : trace.last;
  const std::string then = left_state ? "; new sessions start with what was set by then"
                                      : "; new sessions start without what the files would set";
  if (run.how_ended() == link::Ended::timed_out) {
    return "the login files took more than " +
           std::to_string(
               std::chrono::duration_cast<std::chrono::seconds>(run.spec().timeout).count()) +
           " s and were stopped in " + where + then;
  }
  return where +
         " ended the shell that read the login files, or left it unable to go on (exit, "
         "exec, set -n, ...)" +
         then;
}

}  // namespace

Result<Logins::Begun> Logins::begin(LoginQuestion question, std::chrono::milliseconds patience) {
  const auto same = std::ranges::find(open_, question, &OpenLogin::question);
  if (same != open_.end()) return Begun{*same};
  auto login = std::make_shared<OpenLogin>(std::move(question));
  auto run = start(login, patience);
  if (!run) return fail(run.error());
  login->run = std::move(*run);
  open_.push_back(login);
  return Begun{.login = std::move(login), .fresh = true};
}

std::string Logins::text_for(const shell::LoginPlan& plan, const Reading& reading) const {
  if (host_.kind == ShellKind::sh) return shell::sh_login_text(plan, reading.nonce);
  return shell::login_text(
      plan, {.nonce = reading.nonce, .trace_path = host_.path_of(reading.trace.get())});
}

Result<std::shared_ptr<Run>> Logins::start(const std::shared_ptr<OpenLogin>& login,
                                           std::chrono::milliseconds patience) {
  auto trace = os::make_bounded_memory_file("talaria-login", kLoginTrace);
  if (!trace) return fail(trace.error());
  const auto reading = std::make_shared<Reading>(os::random_hex(kIdBytes), std::move(*trace));
  reading->started = file_clock();

  const shell::LoginPlan& plan = login->question.plan;
  shell::ShellState to{.variables = login->question.caller,
                       .cwd = os::check_directory(plan.home) ? plan.home : "/"};
  RunSpec spec{.process = "login_" + reading->nonce,
               .command = text_for(plan, *reading),
               .timeout = patience,
               .grace = kDefaultGrace,
               .keep_state = true,
               .is_login = true};
  auto log = std::make_unique<OutputLog>(kOutputHead, kOutputTail, SpillOptions{});
  auto prepared = prepare_state(host_, to);
  if (!prepared) return fail(prepared.error());
  auto run = Run::launch(executor_, host_, std::move(*prepared), {.command = spec.command});
  if (!run) return run;
  const auto hook = [this, weak = std::weak_ptr(login), reading](Run& ended_run,
                                                                 const shell::ShellState& before,
                                                                 Result<shell::ShellState> after) {
    if (const auto open = weak.lock()) {
      ended(*open, *reading, ended_run, before, std::move(after));
    }
  };
  const auto dispatched = (*run)->dispatch(spec, to, log, hook);
  if (dispatched) return run;
  (*run)->kill(link::Ended::lost, std::chrono::milliseconds(0));
  return fail(dispatched.error());
}

void Logins::ended(OpenLogin& login, const Reading& reading, const Run& run,
                   const shell::ShellState& before, Result<shell::ShellState> after) {
  std::erase_if(open_, [&](const auto& other) { return other.get() == &login; });
  // Nobody waited for it any more, or it never ran.
  if (run.how_ended() == link::Ended::killed || run.how_ended() == link::Ended::lost) return;
  const std::string text =
      written_part(os::read_whole(reading.trace.get(), kLoginTrace).value_or(std::string()));
  const shell::LoginTrace trace = shell::parse_trace(text, reading.nonce);
  const bool left_none = !after;
  shell::LoginChange change =
      shell::login_change(before, left_none ? shell::ShellState(before) : std::move(*after),
                          reading.nonce, login.question.withheld);
  auto state = std::make_shared<LoginState>();
  state->id = os::random_hex(kIdBytes);
  state->state = std::move(change.state);
  note_origin(*state, login.question, trace, reading.started);
  if (!change.reached_end) state->notices.push_back(cut_short(run, trace, !left_none));
  // What the files started (an agent, say) ends with this runner, so the state must, too. And a
  // trace without its end may lack files that count.
  state->lasting = run.how_ended() == link::Ended::exited && run.children() == 0 && trace.whole;
  login.state = state;
  cache_.keep(std::move(state));
}

}  // namespace talaria::runner
