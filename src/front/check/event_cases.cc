// Events of processes.
#include <memory>
#include <utility>

#include <boost/json/array.hpp>

#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

// Listener: follows the events of one case while it lives, under a name of its own.
class Listener {
 public:
  static Task<std::unique_ptr<Listener>> follow(Agent& agent) {
    auto listener = std::unique_ptr<Listener>(new Listener(agent));
    spawn(co_await asio::this_coro::executor, listener->state_->run(listener->state_));
    co_return listener;
  }
  ~Listener() { state_->cancel.cancel(); }

  // The event of that type about a process. Its absence is a mismatch.
  Task<std::optional<ProcessEvent>> expect(Trial& trial, std::string process, EventType type) {
    std::optional<ProcessEvent> found;
    const auto look = [&]() -> Task<bool> {
      for (const ProcessEvent& event : state_->events) {
        if (!found && event.process == process && event.type == type) found = event;
      }
      co_return found.has_value();
    };
    co_await eventually(state_->agent, look);
    trial.holds(found.has_value(), event_name(type), "an event", "none in time");
    co_return found;
  }

  std::int64_t count(const std::string& process, EventType type) const {
    return std::ranges::count_if(state_->events, [&](const ProcessEvent& event) {
      return event.process == process && event.type == type;
    });
  }

 private:
  struct State {
    explicit State(const Agent& its_agent) : agent(its_agent), processes(its_agent.processes()) {}

    Task<void> run(std::shared_ptr<State>) {
      const std::string key = agent.name().session_key;
      EventOptions options{.consumer = key, .session_key = key};
      auto sink = [this, key](const ProcessEvent& event) {
        if (event.session_key == key) events.push_back(event);
        return true;
      };
      co_await processes.follow_events(std::move(options), std::move(sink), cancel);
    }

    Agent agent;
    AsioProcesses processes;
    Cancel cancel;
    std::vector<ProcessEvent> events;
  };

  explicit Listener(const Agent& agent) : state_(std::make_shared<State>(agent)) {}

  std::shared_ptr<State> state_;
};

Task<void> end_is_reported(Trial& trial) {
  const auto listener = co_await Listener::follow(trial.agent());
  const std::string id =
      co_await trial.agent().start("echo out; exit 3", {{"notify_on_complete", true}});
  const auto event = co_await listener->expect(trial, id, EventType::completion);
  if (!event) co_return;
  trial.equal("exit_code", event->exit_code, 3);
  trial.equal("output", event->output, "out\n");
  trial.equal("target", event->target, trial.bench().target);
  trial.contains("text for a model", event_text(*event), "exit code 3");
}

Task<void> match_is_reported(Trial& trial) {
  const auto listener = co_await Listener::follow(trial.agent());
  const std::string id = co_await trial.agent().start(
      "echo starting; until [ -e go ]; do sleep 0.05; done; echo 'Listening on 80'; sleep 300",
      {{"watch_patterns", json::array{"Listening"}}});
  co_await trial.agent().prints(id, "starting");
  co_await trial.agent().command("touch go");
  const auto event = co_await listener->expect(trial, id, EventType::watch_match);
  if (!event) co_return;
  trial.equal("pattern", event->pattern, "Listening");
  trial.contains("output", event->output, "Listening on 80");
}

Task<void> kill_is_reported_once(Trial& trial) {
  const auto listener = co_await Listener::follow(trial.agent());
  const std::string id = co_await trial.agent().start("trap 'exit 0' TERM; echo on; sleep 300",
                                                      {{"notify_on_complete", true}});
  co_await trial.agent().prints(id, "on");
  co_await trial.agent().process("kill", id);
  const auto event = co_await listener->expect(trial, id, EventType::completion);
  if (!event) co_return;
  trial.holds(event->ended == ProcessEnd::killed, "how it ended", "killed", end_name(event->ended));
  trial.equal("source", event->source, "process.kill");
  trial.equal("events of its end", listener->count(id, EventType::completion), 1);
}

// The process that is announced ends after the one that is not, so its event would come later.
Task<void> silence_is_kept(Trial& trial) {
  const auto listener = co_await Listener::follow(trial.agent());
  const std::string silent = co_await trial.agent().start("true");
  const json::object ended = co_await trial.agent().wait(silent);
  trial.field(ended, "status", "exited");
  const std::string loud = co_await trial.agent().start("true", {{"notify_on_complete", true}});
  co_await listener->expect(trial, loud, EventType::completion);
  trial.equal("events of the silent one", listener->count(silent, EventType::completion), 0);
}

Task<void> reported_to_a_late_consumer(Trial& trial) {
  const std::string id = co_await trial.agent().start("exit 6", {{"notify_on_complete", true}});
  AsioProcesses processes = trial.agent().processes();
  const Result<ProcessInfo> ended = co_await processes.watch_end(id, trial.cancel());
  trial.equal("exit_code", ended ? ended->exit_code : kNoNumber, 6);
  const auto listener = co_await Listener::follow(trial.agent());
  const auto event = co_await listener->expect(trial, id, EventType::completion);
  trial.equal("exit_code in the event", event ? event->exit_code : kNoNumber, 6);
}

}  // namespace

std::vector<CheckCase> event_cases() {
  return {
      {"event", "an-end-is-reported", Ability::events, end_is_reported},
      {"event", "a-match-is-reported", Ability::events, match_is_reported},
      {"event", "a-kill-is-reported-once", Ability::events, kill_is_reported_once},
      {"event", "silence-is-kept", Ability::events, silence_is_kept},
      {"event", "reported-to-a-late-consumer", Ability::events, reported_to_a_late_consumer},
  };
}

}  // namespace talaria::front::check
