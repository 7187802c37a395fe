// How processes in the background are ended: all of their tree, at the target.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

// Starts it, waits until it says that it is there, kills it.
Task<json::object> killed(Trial& trial, std::string command) {
  const std::string id = co_await trial.agent().start(std::move(command));
  co_await trial.awaits(id, "on");
  json::object answer = co_await trial.agent().process("kill", id);
  trial.equal("status of the kill", text_field(answer, "status"), "killed");
  const json::object after = co_await trial.agent().process("poll", id);
  trial.field(after, "exit_code", -15);
  trial.field(after, "completion_reason", "killed");
  trial.field(after, "termination_source", "process.kill");
  co_return answer;
}

Task<void> expect_all_gone(Trial& trial, int count) {
  const std::string look = "wc -l < pids | tr -d ' '; while read p; do " + is_gone("$p") +
                           " || echo $p lives; done < pids";
  co_await trial.shows("its processes, and those that live", look, std::to_string(count));
}

Task<void> kill_ends_it(Trial& trial) {
  co_await killed(trial, "echo $$ >> pids; echo on; sleep 300");
  co_await expect_all_gone(trial, 1);
}

Task<void> kill_ends_the_stubborn(Trial& trial) {
  co_await killed(trial,
                  "trap '' TERM INT HUP; echo $$ >> pids; echo on; while :; do sleep 1; done");
  co_await expect_all_gone(trial, 1);
}

Task<void> kill_ends_the_tree(Trial& trial) {
  co_await killed(trial,
                  "setsid sh -c 'echo $$ >> pids; exec sleep 300' & "
                  "(setsid sh -c 'trap \"\" TERM; echo $$ >> pids; sleep 300' >/dev/null 2>&1 &); "
                  "until [ $(wc -l < pids) = 2 ] 2>/dev/null; do sleep 0.05; done; echo on; "
                  "sleep 300");
  co_await expect_all_gone(trial, 2);
}

Task<void> kill_of_what_ended(Trial& trial) {
  const std::string id = co_await trial.agent().start("exit 7");
  co_await trial.agent().wait(id);
  const json::object again = co_await trial.agent().process("kill", id);
  trial.field(again, "status", "already_exited");
  trial.field(again, "exit_code", 7);
}

Task<void> children_do_not_hold_its_end(Trial& trial) {
  const std::string id = co_await trial.agent().start("(sleep 300 & echo $! >> pids); exit 5");
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "status", "exited");
  trial.field(ended, "exit_code", 5);
  co_await trial.agent().process("kill", id);
  co_await expect_all_gone(trial, 1);
}

Task<void> grows_too_old(Trial& trial) {
  const json::object ended = co_await trial.agent().result_of("sleep 300", {{"max_age", 1}});
  trial.field(ended, "exit_code", -15);
  trial.field(ended, "termination_source", "max_age");
}

Task<void> all_of_a_task(Trial& trial) {
  Agent other = trial.agent().with_task("other");
  const std::string mine = co_await trial.agent().start("sleep 300");
  const std::string permanent = co_await trial.agent().start("sleep 300", {{"lifetime", "keep"}});
  const std::string theirs = co_await other.start("sleep 300");
  const Result<KilledAll> ended =
      co_await trial.agent().processes().kill_all({.task = trial.agent().name().task});
  trial.equal("processes that were ended",
              ended ? static_cast<std::int64_t>(ended->processes.size()) : kNoNumber, 1);
  const auto status = [&](const std::string& id) -> Task<std::string> {
    const json::object now = co_await trial.agent().process("poll", id);
    co_return text_field(now, "status");
  };
  trial.equal("the task's", co_await status(mine), "exited");
  trial.equal("the task's with lifetime keep", co_await status(permanent), "running");
  trial.equal("another task's", co_await status(theirs), "running");
}

Task<void> last_output(Trial& trial) {
  for (int i = 0; i < 8; ++i) {
    const std::string word = "last words " + std::to_string(i);
    const std::string id = co_await trial.agent().start("seq 1 9000; printf '" + word + "'");
    const json::object ended = co_await trial.agent().wait(id);
    if (!trial.holds(text_field(ended, "output").ends_with(word), "its end", word,
                     "something else")) {
      co_return;
    }
  }
}

}  // namespace

std::vector<CheckCase> process_end_cases() {
  return {
      {"process-end", "kill-ends-it", Ability::processes, kill_ends_it},
      {"process-end", "kill-ends-the-stubborn", Ability::processes, kill_ends_the_stubborn},
      {"process-end", "kill-ends-the-tree", Ability::processes, kill_ends_the_tree},
      {"process-end", "kill-of-what-ended-says-so", Ability::processes, kill_of_what_ended},
      {"process-end", "children-do-not-hold-it", Ability::processes, children_do_not_hold_its_end},
      {"process-end", "it-may-grow-so-old", Ability::processes, grows_too_old},
      {"process-end", "all-of-a-task", Ability::processes, all_of_a_task},
      {"process-end", "last-words-are-there", Ability::processes, last_output},
  };
}

}  // namespace talaria::front::check
