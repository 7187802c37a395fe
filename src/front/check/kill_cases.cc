// Timeouts and cancellation end the whole tree of a command at the target, whatever it did to get
// away, and keep what it had printed.
#include <memory>
#include <utility>

#include "front/check/check_case.h"
#include "front/check/together.h"

namespace talaria::front::check {
namespace {

struct Escape {
  const char* name;
  const char* command;  // writes its pid to the file pid, then stays
};

constexpr Escape kEscapes[] = {
    {"a-child", "sh -c 'echo $$ > pid; exec sleep 300'"},
    {"a-background-child", "sh -c 'echo $$ > pid; exec sleep 300' & sleep 300"},
    {"a-session-of-its-own", "setsid sh -c 'echo $$ > pid; exec sleep 300' & sleep 300"},
    {"a-daemon", "(setsid sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1 &) & sleep 300"},
    {"an-orphan", "(sh -c 'echo $$ > pid; exec sleep 300' & exit); sleep 300"},
    {"one-that-ignores-term", "sh -c 'trap \"\" TERM; echo $$ > pid; while :; do sleep 1; done'"},
    {"a-shell-that-ignores-all", "trap '' TERM INT HUP; echo $$ > pid; while :; do sleep 1; done"},
    {"a-stopped-one", "sh -c 'echo $$ > pid; kill -STOP $$; sleep 300'"},
    {"nohup", "(trap '' HUP; exec sh -c 'echo $$ > pid; exec sleep 300' >/dev/null 2>&1)"},
};

Task<void> expect_gone(Trial& trial) {
  const std::string look = "[ -s pid ] && " + is_gone("$(cat pid)") + " && echo gone";
  co_await trial.shows("the process, right after the answer", look, "gone");
}

Task<json::object> with_timeout(Trial& trial, std::string text, int seconds) {
  return trial.agent().terminal({{"command", std::move(text)},
                                 {"workdir", trial.directory()},
                                 {"timeout", seconds},
                                 {"force", true}});
}

Task<void> ends_by_timeout(Trial& trial, const Escape& row) {
  const json::object answer = co_await with_timeout(trial, row.command, 1);
  trial.field(answer, "exit_code", 124);
  trial.holds(!answer.contains("survivors"), "survivors", "none", "some");
  co_await expect_gone(trial);
}

// The call that is cancelled, beside the one that cancels it.
Task<json::object> cancelled_when(Trial& trial, std::string text, std::string sign) {
  const Cancel cancel;
  const auto other = std::make_shared<Agent>(trial.agent().with_task("other"));
  std::vector<Task<json::object>> both;
  both.push_back(trial.agent().terminal(
      {{"command", std::move(text)}, {"workdir", trial.directory()}, {"force", true}}, cancel));
  const auto give_up = [](std::shared_ptr<Agent> agent, Cancel what,
                          std::string file) -> Task<json::object> {
    const std::string wait =
        "for i in $(seq 1 400); do [ -s " + file + " ] && break; sleep 0.05; done; echo seen";
    json::object seen = co_await agent->command(wait);
    what.cancel();
    co_return seen;
  };
  both.push_back(give_up(other, cancel, std::move(sign)));
  auto answers = co_await together(std::move(both));
  co_return std::move(answers.front());
}

Task<void> cancel_ends_the_tree(Trial& trial) {
  const json::object answer = co_await cancelled_when(
      trial, "echo begun; setsid sh -c 'trap \"\" TERM; echo $$ > pid; sleep 300' & sleep 300",
      "pid");
  trial.field(answer, "exit_code", 130);
  trial.contains("output", text_field(answer, "output"), "begun");
  co_await expect_gone(trial);
}

Task<void> cancel_hits_one_call(Trial& trial) {
  Agent other = trial.agent().with_task("bystander");
  const auto cancel_and_let_go = [](Trial& of) -> Task<json::object> {
    json::object answer = co_await cancelled_when(of, "echo $$ > pid; sleep 300", "pid");
    co_await of.agent().command("touch go");
    co_return answer;
  };
  std::vector<Task<json::object>> both;
  both.push_back(cancel_and_let_go(trial));
  both.push_back(other.command("until [ -e go ]; do sleep 0.05; done; echo whole"));
  const auto answers = co_await together(std::move(both));
  trial.equal("exit_code of the cancelled one", number_of(answers[0], "exit_code"), 130);
  trial.equal("output of the other", text_field(answers[1], "output"), "whole");
}

Task<void> timeout_keeps_output(Trial& trial) {
  const json::object answer = co_await with_timeout(trial, "echo partial; sleep 300", 1);
  trial.field(answer, "exit_code", 124);
  trial.field(answer, "output", "partial\n\n[Command timed out after 1s]");
}

Task<void> may_tidy_up(Trial& trial) {
  const json::object answer = co_await with_timeout(
      trial, "trap 'echo tidy > tidied; exit' TERM; while :; do sleep 0.05; done", 1);
  trial.field(answer, "exit_code", 124);
  co_await trial.shows("what its trap wrote", "cat tidied", "tidy");
}

Task<void> session_goes_on(Trial& trial) {
  co_await trial.agent().command("export A=kept");
  const json::object answer = co_await with_timeout(trial, "export B=1; sleep 300", 1);
  trial.field(answer, "exit_code", 124);
  co_await trial.shows("the next command", "echo $A", "kept");
}

Task<void> many_children(Trial& trial) {
  const json::object answer = co_await with_timeout(
      trial, "for i in $(seq 1 40); do sh -c 'echo $$ >> pids; exec sleep 300' & done; wait", 2);
  trial.field(answer, "exit_code", 124);
  const std::string look = "sort -u pids | wc -l | tr -d ' '; while read p; do " + is_gone("$p") +
                           " || echo $p lives; done < pids";
  co_await trial.shows("children, and those that live", look, "40");
}

Task<void> timeout_of_run(Trial& trial) {
  const Result<Outcome> outcome = co_await trial.agent().run(
      {.text = "echo on; sleep 300", .timeout = std::chrono::milliseconds(500)});
  const bool late = outcome && outcome->ended == CommandEnd::timed_out;
  trial.holds(late, "how it ended", "timed out", outcome ? "otherwise" : outcome.error().message());
  trial.equal("exit_code", outcome ? outcome->exit_code : kNoNumber, 124);
  trial.contains("output", outcome ? outcome->output : "", "on");
}

Task<void> next_timeout_is_its_own(Trial& trial) {
  const json::object first = co_await with_timeout(trial, "sleep 300", 1);
  trial.equal("exit_code of the first", number_of(first, "exit_code"), 124);
  co_await trial.shows("the next one", "sleep 1.2; echo whole", "whole");
}

}  // namespace

std::vector<CheckCase> kill_cases() {
  std::vector<CheckCase> cases;
  for (const Escape& row : kEscapes) {
    cases.push_back({"kill", std::string("timeout-ends-") + row.name, Ability::trees,
                     [&row](Trial& trial) { return ends_by_timeout(trial, row); }});
  }
  cases.push_back({"kill", "timeout-ends-many-children", Ability::trees, many_children});
  cases.push_back({"kill", "timeout-keeps-the-output", Ability::trees, timeout_keeps_output});
  cases.push_back({"kill", "timeout-lets-it-tidy-up", Ability::trees, may_tidy_up});
  cases.push_back({"kill", "timeout-spares-the-session", Ability::trees, session_goes_on});
  cases.push_back({"kill", "timeout-is-for-one-command", Ability::trees, next_timeout_is_its_own});
  cases.push_back({"kill", "timeout-below-a-second", Ability::trees, timeout_of_run});
  cases.push_back({"kill", "cancel-ends-the-tree", Ability::trees, cancel_ends_the_tree});
  cases.push_back({"kill", "cancel-hits-one-call", Ability::trees, cancel_hits_one_call});
  return cases;
}

}  // namespace talaria::front::check
