// Processes in the background, as the tools `terminal` and `process` have them.
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include "front/check/check_case.h"
#include "front/check/together.h"

namespace talaria::front::check {
namespace {

Task<void> start_says(Trial& trial) {
  const json::object started = co_await trial.agent().start_answer("sleep 300");
  const std::string id = text_field(started, "session_id");
  trial.field(started, "output", "Background process started");
  trial.holds(id.starts_with("proc_") && id.size() == 17, "session_id", "proc_ and 12 digits", id);
  trial.holds(number_of(started, "pid") > 0, "pid", "a number", "none");
  trial.field(started, "exit_code", 0);
  trial.field(started, "target", trial.bench().target);
  trial.field(started, "transport", trial.bench().transport);
  const json::object now = co_await trial.agent().process("poll", id);
  trial.equal("pid, as a poll says it", number_of(now, "pid"), number_of(started, "pid"));
}

Task<void> runs_on(Trial& trial) {
  const std::string id = co_await trial.agent().start("echo hi; sleep 300");
  co_await trial.awaits(id, "hi");
  const json::object now = co_await trial.agent().process("poll", id);
  trial.field(now, "status", "running");
  trial.field(now, "command", "echo hi; sleep 300");
  trial.holds(!now.contains("exit_code"), "exit_code", "none", "one");
}

Task<void> exits(Trial& trial) {
  for (const int code : {0, 3, 127, 255}) {
    const std::string text = "echo bye; exit " + std::to_string(code);
    const std::string id = co_await trial.agent().start(text);
    const json::object ended = co_await trial.agent().wait(id);
    trial.field(ended, "status", "exited");
    trial.field(ended, "exit_code", code);
    trial.field(ended, "completion_reason", "exited");
    trial.field(ended, "output", "bye\n");
    const json::object later = co_await trial.agent().process("poll", id);
    trial.equal("exit_code of a later poll", number_of(later, "exit_code"), code);
  }
}

Task<void> dies_by_signal(Trial& trial) {
  const json::object ended = co_await trial.agent().result_of("kill -9 $$");
  trial.field(ended, "exit_code", -9);
  trial.field(ended, "completion_reason", "exited");
}

Task<void> wait_ends_in_time(Trial& trial) {
  const std::string id = co_await trial.agent().start("echo on; sleep 300");
  co_await trial.agent().prints(id, "on");
  const json::object waited = co_await trial.agent().process("wait", id, {{"timeout", 1}});
  trial.equal("status of a wait", text_field(waited, "status"), "timeout");
  trial.contains("output", text_field(waited, "output"), "on");
  const json::object now = co_await trial.agent().process("poll", id);
  trial.equal("status after it", text_field(now, "status"), "running");
}

Task<void> has_the_sessions_state(Trial& trial) {
  co_await trial.agent().command("export A='of the session'; f() { echo \"$A\"; }; umask 077");
  const json::object ended = co_await trial.agent().result_of("f; umask; pwd");
  trial.field(ended, "output", "of the session\n0077\n" + trial.directory() + "\n");
}

Task<void> does_not_change_the_session(Trial& trial) {
  co_await trial.agent().command("export A=before");
  const json::object ended = co_await trial.agent().result_of("export A=changed; cd /; echo $A");
  trial.field(ended, "output", "changed\n");
  co_await trial.shows("the next command", "echo $A", "before");
}

Task<void> foreground_goes_on(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("until [ -e go ]; do sleep 0.05; done; echo went");
  co_await trial.shows("a command meanwhile", "touch go; echo done", "done");
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "output", "went\n");
}

Task<void> is_listed(Trial& trial) {
  const std::string id = co_await trial.agent().start("echo listed; sleep 300");
  co_await trial.agent().prints(id, "listed");
  const json::object list = co_await trial.agent().process("list", "");
  const json::value* all = list.if_contains("processes");
  bool found = false;
  if (all != nullptr && all->is_array()) {
    for (const json::value& one : all->get_array()) {
      if (!one.is_object() || text_field(one.get_object(), "session_id") != id) continue;
      found = true;
      trial.equal("status", text_field(one.get_object(), "status"), "running");
      trial.equal("cwd", text_field(one.get_object(), "cwd"), trial.directory());
      trial.contains("output_preview", text_field(one.get_object(), "output_preview"), "listed");
    }
  }
  trial.holds(found, "the list", id, "a list without it");
}

Task<void> log_has_pages(Trial& trial) {
  const std::string id = co_await trial.agent().start("printf 'a\\nb\\nc\\n'");
  co_await trial.agent().wait(id);
  struct Page {
    int offset;
    int limit;
    const char* output;
  };
  for (const Page& page : {Page{0, 2, "b\nc"}, Page{1, 1, "b"}, Page{1, 200, "b\nc"}}) {
    const json::object log =
        co_await trial.agent().process("log", id, {{"offset", page.offset}, {"limit", page.limit}});
    trial.field(log, "total_lines", 3);
    trial.field(log, "output", page.output);
  }
}

Task<void> input_is_typed(Trial& trial) {
  const std::string id = co_await trial.agent().start(
      "while read -r line; do echo \"got $line\"; done; echo end", {{"stdin", true}});
  const json::object wrote = co_await trial.agent().process("submit", id, {{"data", "eins zwöi"}});
  trial.field(wrote, "status", "ok");
  co_await trial.awaits(id, "got eins zwöi");
  co_await trial.agent().process("write", id, {{"data", "two "}});
  co_await trial.agent().process("submit", id, {{"data", "parts"}});
  co_await trial.agent().process("close", id);
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "output", "got eins zwöi\ngot two parts\nend\n");
}

Task<void> much_input(Trial& trial) {
  const std::string id = co_await trial.agent().start("wc -c | tr -d ' '", {{"stdin", true}});
  for (int i = 0; i < 4; ++i) {
    const json::object wrote =
        co_await trial.agent().process("write", id, {{"data", std::string(250'000, 'x')}});
    trial.field(wrote, "status", "ok");
  }
  co_await trial.agent().process("close", id);
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "output", "1000000\n");
}

Task<void> no_input_unless_asked(Trial& trial) {
  const json::object ended = co_await trial.agent().result_of("cat; echo end");
  trial.field(ended, "output", "end\n");
  const std::string stays = co_await trial.agent().start("sleep 300");
  const json::object refused = co_await trial.agent().process("write", stays, {{"data", "x"}});
  trial.equal("status of a write", text_field(refused, "status"), "error");
}

Task<void> unknown_is_not_found(Trial& trial) {
  const std::string known = co_await trial.agent().start("sleep 300");
  const json::object now = co_await trial.agent().process("poll", known);
  trial.equal("status of one that is known", text_field(now, "status"), "running");
  for (const char* action : {"poll", "log", "wait", "kill", "read"}) {
    const json::object answer = co_await trial.agent().process(action, "proc_ffffffffffff");
    trial.equal(std::string("status of ") + action, text_field(answer, "status"), "not_found");
  }
}

Task<void> handed_over(Trial& trial) {
  const json::object answer = co_await trial.agent().terminal(
      {{"command", "echo begun; until [ -e go ]; do sleep 0.05; done; echo done"},
       {"workdir", trial.directory()},
       {"timeout", 1},
       {"on_timeout", "background"}});
  const std::string id = text_field(answer, "session_id");
  trial.field(answer, "status", "running");
  trial.contains("output", text_field(answer, "output"), "begun");
  co_await trial.agent().command("touch go");
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "exit_code", 0);
  trial.equal("all its output", text_field(ended, "output"), "begun\ndone\n");
}

Task<void> signals(Trial& trial) {
  const std::string id = co_await trial.agent().start(
      "trap 'echo usr; exit 5' USR1; echo on; while :; do sleep 0.05; done");
  co_await trial.agent().prints(id, "on");
  const json::object sent = co_await trial.agent().process("signal", id, {{"signal", "USR1"}});
  trial.field(sent, "status", "ok");
  const json::object ended = co_await trial.agent().wait(id);
  trial.field(ended, "exit_code", 5);
  trial.contains("output", text_field(ended, "output"), "usr");
}

}  // namespace

std::vector<CheckCase> process_cases() {
  return {
      {"process", "a-start-says-what-it-is", Ability::processes, start_says},
      {"process", "runs-while-nobody-waits", Ability::processes, runs_on},
      {"process", "exits-with-its-code", Ability::processes, exits},
      {"process", "dies-by-a-signal", Ability::processes, dies_by_signal},
      {"process", "a-wait-ends-in-time", Ability::processes, wait_ends_in_time},
      needs_bash({"process", "has-the-sessions-state", Ability::processes, has_the_sessions_state}),
      {"process", "does-not-change-the-session", Ability::processes, does_not_change_the_session},
      {"process", "lets-commands-run-meanwhile", Ability::processes, foreground_goes_on},
      {"process", "is-listed", Ability::processes, is_listed},
      {"process", "its-log-has-pages", Ability::processes, log_has_pages},
      {"process", "takes-input", Ability::processes, input_is_typed},
      {"process", "takes-a-megabyte-of-input", Ability::processes, much_input},
      {"process", "has-no-input-unless-asked", Ability::processes, no_input_unless_asked},
      {"process", "an-unknown-one-is-not-found", Ability::processes, unknown_is_not_found},
      {"process", "is-handed-over-at-a-timeout", Ability::processes, handed_over},
      {"process", "gets-signals", Ability::processes, signals},
  };
}

}  // namespace talaria::front::check
