// What an answer of the terminal tool says beside the output.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

Task<void> names_its_target(Trial& trial) {
  const json::object answer = co_await trial.agent().command("exit 3");
  trial.field(answer, "target", trial.bench().target);
  trial.field(answer, "transport", trial.bench().transport);
  trial.field(answer, "exit_code", 3);
  trial.holds(answer.contains("error") && answer.at("error").is_null(), "error", "null",
              text_field(answer, "error"));
}

Task<void> says_how_long(Trial& trial) {
  const json::object answer = co_await trial.agent().command("sleep 0.3");
  const std::int64_t took = number_of(answer, "duration_ms");
  trial.holds(took >= 300 && took < 10'000, "duration_ms", "300 and a little more",
              std::to_string(took));
}

Task<void> explains_exit_codes(Trial& trial) {
  const json::object answer = co_await trial.agent().command("grep x /dev/null");
  trial.field(answer, "exit_code", 1);
  trial.field(answer, "exit_code_meaning", "No matches found (not an error)");
}

Task<void> refuses_long_timeouts(Trial& trial) {
  const json::object answer =
      co_await trial.agent().terminal({{"command", "touch ran"}, {"timeout", 1'000'000'000}});
  trial.contains("error", text_field(answer, "error"), "exceeds the maximum");
  co_await trial.shows("files it made", "ls; echo end", "end");
}

Task<void> gives_advice(Trial& trial) {
  json::object answer = co_await trial.agent().terminal({{"command", "nohup sleep 300"}});
  trial.equal("exit_code of nohup", number_of(answer, "exit_code"), -1);
  trial.contains("error of nohup", text_field(answer, "error"), "background=true");
  answer = co_await trial.agent().terminal({{"command", "sleep 300 &"}});
  trial.contains("error of an ampersand", text_field(answer, "error"), "background=true");
  co_await trial.still_works();
}

Task<void> masks_secrets(Trial& trial) {
  const std::string shown = co_await trial.agent().output_of(
      "a=abcdefghijkl; echo before; echo OPENAI_API_KEY=sk-${a}mnopqrstuvwx; echo after");
  trial.contains("output", shown, "before");
  trial.contains("output", shown, "after");
  trial.lacks("output", shown, "abcdefghijklmnopqrstuvwx");
}

Task<void> counts_children(Trial& trial) {
  const json::object answer =
      co_await trial.agent().command("sleep 300 >/dev/null 2>&1 & echo $! > pid; echo started");
  trial.field(answer, "output", "started");
  trial.field(answer, "background_children", 1);
  const std::string end =
      "kill -9 $(cat pid); until " + is_gone("$(cat pid)") + "; do sleep 0.05; done; echo gone";
  co_await trial.shows("the child, once killed", end, "gone");
}

Task<void> outcome_is_typed(Trial& trial) {
  const Result<Outcome> outcome = co_await trial.agent().run({.text = "printf out; cd /; exit 7"});
  if (!trial.holds(outcome.has_value(), "outcome", "one",
                   outcome ? "" : outcome.error().message())) {
    co_return;
  }
  trial.equal("exit_code", outcome->exit_code, 7);
  trial.equal("output", outcome->output, "out");
  trial.equal("output_bytes", static_cast<std::int64_t>(outcome->output_bytes), 3);
  trial.equal("cwd", outcome->cwd, "/");
  trial.equal("target", outcome->target, trial.bench().target);
  trial.equal("transport", outcome->transport, trial.bench().transport);
}

}  // namespace

std::vector<CheckCase> result_cases() {
  return {
      {"result", "names-its-target", Ability::commands, names_its_target},
      {"result", "says-how-long-it-took", Ability::commands, says_how_long},
      {"result", "explains-exit-codes", Ability::commands, explains_exit_codes},
      {"result", "refuses-long-timeouts", Ability::commands, refuses_long_timeouts},
      {"result", "gives-advice-to-models", Ability::processes, gives_advice},
      {"result", "masks-secrets", Ability::commands, masks_secrets},
      {"result", "counts-children-it-left", Ability::trees, counts_children},
      {"result", "outcome-is-typed", Ability::sessions, outcome_is_typed},
  };
}

}  // namespace talaria::front::check
