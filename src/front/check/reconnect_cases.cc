// More than one controller: what one leaves, the next finds.
#include <memory>
#include <utility>

#include "front/check/check_case.h"
#include "front/check/together.h"

namespace talaria::front::check {
namespace {

Task<void> finds_the_session(Trial& trial) {
  co_await trial.agent().command("export A=left; f() { echo \"f $A\"; }; umask 027");
  Agent second = trial.second_controller();
  trial.equal("the second controller", co_await second.output_of("f; umask"), "f left\n0027");
  co_await second.command("export A=changed");
  co_await trial.shows("the first one", "f", "f changed");
}

Task<void> finds_the_directory(Trial& trial) {
  co_await trial.agent().command("mkdir -p there; cd there");
  Agent second = trial.second_controller();
  const json::object answer = co_await second.terminal({{"command", "pwd"}});
  trial.equal("pwd", text_field(answer, "output"), trial.directory() + "/there");
}

Task<void> session_outlives_its_controller(Trial& trial) {
  Agent gone = trial.second_controller();
  co_await gone.command("export A=kept");
  gone.drop();
  Agent next = trial.second_controller();
  trial.equal("the next controller", co_await next.output_of("echo $A"), "kept");
}

Task<void> process_outlives_its_controller(Trial& trial) {
  Agent gone = trial.second_controller();
  const std::string id =
      co_await gone.start("echo before; until [ -e go ]; do sleep 0.05; done; echo after; exit 4");
  trial.holds(co_await gone.prints(id, "before"), "output", "before", "nothing in time");
  gone.drop();
  Agent next = trial.second_controller();
  const json::object now = co_await next.process("poll", id);
  trial.field(now, "status", "running");
  co_await next.command("touch go");
  const json::object ended = co_await next.wait(id);
  trial.field(ended, "exit_code", 4);
  trial.equal("all its output", text_field(ended, "output"), "before\nafter\n");
}

Task<void> end_is_there_for_the_next(Trial& trial) {
  Agent gone = trial.second_controller();
  const std::string id = co_await gone.start("seq 1 1000; touch ended; exit 6");
  gone.drop();
  co_await trial.shows("the process", "until [ -e ended ]; do sleep 0.05; done; echo ended",
                       "ended");
  Agent next = trial.second_controller();
  const json::object ended = co_await next.wait(id);
  trial.field(ended, "exit_code", 6);
  const json::object read = co_await next.process("read", id, {{"from", 3884}});
  trial.equal("the end of its output", text_field(read, "data"), "999\n1000\n");
}

Task<void> reading_goes_on(Trial& trial) {
  const std::string id =
      co_await trial.agent().start("echo one; until [ -e go ]; do sleep 0.05; done; echo two");
  Agent first = trial.second_controller();
  trial.holds(co_await first.prints(id, "one"), "output", "one", "nothing in time");
  const json::object read = co_await first.process("read", id, {{"from", 0}});
  trial.field(read, "data", "one\n");
  first.drop();
  co_await trial.agent().command("touch go");
  co_await trial.agent().wait(id);
  Agent next = trial.second_controller();
  const json::object rest = co_await next.process("read", id, {{"from", number_of(read, "next")}});
  trial.equal("data for the next one", text_field(rest, "data"), "two\n");
}

// What nobody waits for any more is ended, and the target is as good as before.
Task<void> dropped_command_is_ended(Trial& trial) {
  auto gone = std::make_shared<Agent>(trial.second_controller());
  const auto running = [](const std::shared_ptr<Agent>& agent) -> Task<json::object> {
    return agent->terminal(
        {{"command", "echo $$ > pid; exec sleep 300"}, {"workdir", agent->name().directory}});
  };
  const auto drop = [](Trial& of, std::shared_ptr<Agent> agent) -> Task<json::object> {
    json::object seen =
        co_await of.agent().command("until [ -s pid ]; do sleep 0.05; done; echo on");
    agent->drop();
    co_return seen;
  };
  std::vector<Task<json::object>> both;
  both.push_back(running(gone));
  both.push_back(drop(trial, gone));
  const auto answers = co_await together(std::move(both));
  trial.equal("the command's sign", text_field(answers[1], "output"), "on");
  const std::string look =
      "[ -s pid ] && until " + is_gone("$(cat pid)") + "; do sleep 0.05; done; echo gone";
  co_await trial.shows("its process", look, "gone");
}

Task<void> both_at_once(Trial& trial) {
  Agent second = trial.second_controller();
  std::vector<Task<std::string>> all;
  for (int i = 0; i < 6; ++i) {
    Agent& agent = i % 2 == 0 ? trial.agent() : second;
    const std::string number = std::to_string(i);
    all.push_back(agent.output_of("export V" + number + "=" + number + "; echo " + number));
  }
  const auto answers = co_await together(std::move(all));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    trial.equal("an answer", answers[i], std::to_string(i));
  }
  trial.equal("the session", co_await second.output_of("echo $V0 $V1 $V2 $V3 $V4 $V5"),
              "0 1 2 3 4 5");
}

Task<void> kills_what_another_started(Trial& trial) {
  Agent other = trial.second_controller();
  const std::string id = co_await other.start("echo $$ > pid; echo on; sleep 300");
  co_await trial.awaits(id, "on");
  const json::object killed = co_await trial.agent().process("kill", id);
  trial.field(killed, "status", "killed");
  const json::object seen = co_await other.process("poll", id);
  trial.equal("as the one who started it sees it", text_field(seen, "completion_reason"), "killed");
}

}  // namespace

std::vector<CheckCase> reconnect_cases() {
  return {
      needs_bash(
          {"reconnect", "another-finds-the-session", Ability::controllers, finds_the_session}),
      {"reconnect", "another-finds-the-directory", Ability::controllers, finds_the_directory},
      {"reconnect", "the-session-stays", Ability::controllers, session_outlives_its_controller},
      {"reconnect", "the-process-stays", Ability::controllers, process_outlives_its_controller},
      {"reconnect", "the-end-is-there-later", Ability::controllers, end_is_there_for_the_next},
      {"reconnect", "reading-goes-on-elsewhere", Ability::controllers, reading_goes_on},
      {"reconnect", "a-dropped-command-is-ended", Ability::controllers, dropped_command_is_ended},
      {"reconnect", "two-in-one-session", Ability::controllers, both_at_once},
      {"reconnect", "one-kills-what-another-started", Ability::controllers,
       kills_what_another_started},
  };
}

}  // namespace talaria::front::check
