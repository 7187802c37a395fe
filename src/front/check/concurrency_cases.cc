// Many things at once, in one session and in many.
#include <utility>

#include "front/check/check_case.h"
#include "front/check/together.h"

namespace talaria::front::check {
namespace {

Task<void> eight_sessions(Trial& trial) {
  const auto work = [](Agent agent, int number) -> Task<std::string> {
    const std::string own = std::to_string(number);
    co_await agent.command("export WHO=" + own);
    std::string seen;
    for (int i = 0; i < 3; ++i) seen += co_await agent.output_of("echo \"$WHO\"") + " ";
    co_return seen;
  };
  std::vector<Task<std::string>> all;
  for (int i = 0; i < 8; ++i) {
    all.push_back(work(trial.agent().with_task(std::to_string(i)), i));
  }
  const auto seen = co_await together(std::move(all));
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::string own = std::to_string(i) + " ";
    trial.equal("what session " + own + "saw", seen[i], own + own + own);
  }
}

Task<void> twenty_commands(Trial& trial) {
  std::vector<Task<std::string>> all;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    all.push_back(trial.agent().output_of("export V" + number + "=" + number +
                                          "; sleep 0.2; echo done " + number));
  }
  const auto answers = co_await together(std::move(all));
  std::string names, expected;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string number = std::to_string(i);
    trial.equal("output of command " + number, answers[i], "done " + number);
    names += "$V" + number + " ";
    expected += number + (i + 1 < answers.size() ? " " : "");
  }
  co_await trial.shows("what the session kept of them", "echo " + names, expected);
}

// One that changes nothing and ends last must not bring back what was.
Task<void> unchanged_erases_nothing(Trial& trial) {
  co_await trial.agent().command("export A=old B=old");
  std::vector<Task<std::string>> both;
  both.push_back(trial.agent().output_of(
      "export B=slow; touch began; until [ -e go ]; do sleep 0.05; done; echo $A"));
  both.push_back(trial.agent().output_of(
      "until [ -e began ]; do sleep 0.05; done; export A=new; unset C; touch go; echo fast"));
  const auto answers = co_await together(std::move(both));
  trial.equal("the slow one", answers[0], "old");
  trial.equal("the fast one", answers[1], "fast");
  co_await trial.shows("the session", "echo $A $B", "new slow");
}

Task<void> outputs_do_not_mix(Trial& trial) {
  std::vector<Task<std::string>> all;
  for (int i = 0; i < 6; ++i) {
    const std::string letter(1, static_cast<char>('a' + i));
    all.push_back(trial.agent().bytes_of("head -c 300000 /dev/zero | tr '\\0' " + letter));
  }
  const auto answers = co_await together(std::move(all));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    trial.equal("bytes", answers[i], std::string(300'000, static_cast<char>('a' + i)));
  }
}

// The slow one ends only because the quick ones were not held up.
Task<void> slow_holds_nobody(Trial& trial) {
  const auto quick = [](Trial& of) -> Task<std::string> {
    std::string all;
    for (int i = 0; i < 5; ++i) all += co_await of.agent().output_of("echo " + std::to_string(i));
    co_await of.agent().command("touch go");
    co_return all;
  };
  std::vector<Task<std::string>> both;
  both.push_back(trial.agent().output_of("until [ -e go ]; do sleep 0.05; done; echo slow"));
  both.push_back(quick(trial));
  const auto answers = co_await together(std::move(both));
  trial.equal("the slow one", answers[0], "slow");
  trial.equal("the quick ones", answers[1], "01234");
}

Task<void> loud_holds_nobody(Trial& trial) {
  const std::string loud = co_await trial.agent().start("while :; do echo noise; done");
  co_await trial.awaits(loud, "noise");
  for (int i = 0; i < 5; ++i) {
    const std::string word = "quiet " + std::to_string(i);
    if (!trial.equal("a command beside it", co_await trial.agent().output_of("echo " + word), word))
      break;
  }
  const json::object killed = co_await trial.agent().process("kill", loud);
  trial.equal("status of its kill", text_field(killed, "status"), "killed");
}

Task<void> twelve_processes(Trial& trial) {
  const auto work = [](Trial& of, int number) -> Task<std::string> {
    const std::string id =
        co_await of.agent().start("echo begun; sleep 0.2; echo end " + std::to_string(number) +
                                  "; exit " + std::to_string(number));
    const json::object ended = co_await of.agent().wait(id);
    co_return text_field(ended, "output") + std::to_string(number_of(ended, "exit_code"));
  };
  std::vector<Task<std::string>> all;
  for (int i = 0; i < 12; ++i) all.push_back(work(trial, i));
  const auto answers = co_await together(std::move(all));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::string number = std::to_string(i);
    trial.equal("process " + number, answers[i], "begun\nend " + number + "\n" + number);
  }
}

}  // namespace

std::vector<CheckCase> concurrency_cases() {
  return {
      {"concurrency", "eight-sessions", Ability::sessions, eight_sessions},
      {"concurrency", "twenty-commands-in-one-session", Ability::concurrency, twenty_commands},
      {"concurrency", "changes-are-merged", Ability::concurrency, unchanged_erases_nothing},
      {"concurrency", "outputs-do-not-mix", Ability::exact_bytes, outputs_do_not_mix},
      {"concurrency", "a-slow-command-holds-nobody", Ability::concurrency, slow_holds_nobody},
      {"concurrency", "a-loud-process-holds-nobody", Ability::processes, loud_holds_nobody},
      {"concurrency", "twelve-processes", Ability::processes, twelve_processes},
  };
}

}  // namespace talaria::front::check
