#include <talaria/asio_processes.h>

#include <algorithm>
#include <utility>

#include "api/call_under_way.h"
#include "api/core.h"
#include "host/store/event_store.h"
#include "tools/event_view.h"

namespace talaria {

namespace json = boost::json;

namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

Error named(const environment::Environment& environment, const Error& error) {
  return Error(error.kind(), "target " + std::string(environment.target()) +
                                 " did not answer: " + error.message());
}

Task<Result<ProcessList>> list_in(CorePointer core, std::uint64_t tail_limit) {
  ProcessList all;
  auto reached = co_await core->host().environments.with_processes();
  if (!reached) co_return fail(reached.error());
  all.away = std::move(reached->out_of_reach);
  for (const auto& [key, environment] : reached->environments) {
    auto some = co_await environment->processes().list({.tail_limit = tail_limit});
    if (!some) all.away.push_back(named(*environment, some.error()));
    if (!some) continue;
    for (ProcessInfo& info : *some) {
      info.target = environment->target();
      all.processes.push_back(std::move(info));
    }
  }
  co_return all;
}

// Why it is not there, as far as is written down.
Error not_there(const CorePointer& core, const std::string& id) {
  const auto known = core->host().journal.ledger().find(id);
  if (known && known->target != core->host().settings.target_of(known->task)) {
    return Error(ErrorKind::not_found, "No process with ID " + id + " at target " +
                                           core->host().settings.target_of(known->task) +
                                           "; it was started at " + known->target);
  }
  return Error(ErrorKind::not_found, "No process with ID " + id);
}

// The environment a process is in; kept by whoever asks it something.
Task<Result<std::shared_ptr<environment::Environment>>> environment_of(CorePointer core,
                                                                       std::string id) {
  // Where nothing was ever started there is nobody to ask.
  if (!core->host().journal.ledger().exists()) {
    co_return fail(ErrorKind::not_found, "No process with ID " + id);
  }
  co_return co_await core->host().environments.of_process(std::move(id),
                                                          std::string(host::kDefaultTask));
}

// What a target says of a process it does not know, in our words.
template <class T>
Result<T> explained(const CorePointer& core, const std::string& id, Result<T> answer) {
  const bool missing = !answer && answer.error().kind() == ErrorKind::not_found;
  return missing ? Result<T>(fail(not_there(core, id))) : std::move(answer);
}

Task<Result<ProcessInfo>> find_in(CorePointer core, std::string id, std::uint64_t tail_limit) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  auto found = co_await (*environment)->processes().list({.id = id, .tail_limit = tail_limit});
  if (!found) co_return fail(found.error());
  if (found->empty()) co_return fail(not_there(core, id));
  found->front().target = (*environment)->target();
  co_return std::move(found->front());
}

Task<Result<ProcessInfo>> watch_end_in(CorePointer core, std::string id, Cancel cancel) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  const CallUnderWay call(core, cancel);
  auto ended = co_await (*environment)->processes().wait({.id = id}, call.token());
  ended = explained(core, id, std::move(ended));
  if (!ended) co_return fail(ended.error());
  co_return co_await find_in(core, id, 0);
}

Task<Result<ProcessInfo>> wait_in(CorePointer core, std::string id, Cancel cancel) {
  auto ended = co_await watch_end_in(core, id, std::move(cancel));
  if (ended) core->host().journal.ledger().end_reported(id);
  co_return ended;
}

Task<Result<KilledProcess>> kill_in(CorePointer core, std::string id, std::string source) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().kill(std::move(id), std::move(source));
}

bool is_meant(const KillAll& which, const ProcessInfo& info) {
  if (!info.running && info.background_children == 0) return false;
  if (which.task && info.task != *which.task) return false;
  return which.kept_too || info.lifespan != Lifespan::keep;
}

Task<Result<KilledAll>> kill_all_in(CorePointer core, KillAll which) {
  auto reached = co_await core->host().environments.with_processes();
  if (!reached) co_return fail(reached.error());
  KilledAll all{.away = std::move(reached->out_of_reach)};
  for (const auto& [key, environment] : reached->environments) {
    const auto listed = co_await environment->processes().list({});
    if (!listed) {
      all.away.push_back(named(*environment, listed.error()));
      continue;
    }
    for (const ProcessInfo& info : *listed) {
      if (!is_meant(which, info)) continue;
      KilledOne one{.id = info.id, .was_running = info.running};
      auto killed = co_await environment->processes().kill(info.id, std::string(kKillAllSource));
      if (killed) {
        one.survivors = std::move(killed->survivors);
      } else {
        one.error = killed.error();
      }
      all.processes.push_back(std::move(one));
    }
  }
  co_return all;
}

Task<Result<void>> signal_in(CorePointer core, std::string id, int number) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().signal(std::move(id), number);
}

Task<Result<OutputRead>> read_in(CorePointer core, OutputQuery query,
                                 std::function<void(std::string_view)> on_output, Cancel cancel) {
  const auto environment = co_await environment_of(core, query.id);
  if (!environment) co_return fail(environment.error());
  const CallUnderWay call(core, cancel);
  const std::string id = query.id;
  const environment::OutputSink sink = [&on_output](std::uint64_t, std::string_view bytes) {
    on_output(bytes);
  };
  auto read = co_await (*environment)->processes().read(std::move(query), sink, call.token());
  co_return explained(core, id, std::move(read));
}

Task<Result<bool>> write_in(CorePointer core, std::string id, std::string data, bool end) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  const CallUnderWay call(core, Cancel());  // the end of the runtime ends it
  co_return co_await (*environment)
      ->processes()
      .write(std::move(id), std::move(data), end, call.token());
}

Task<Result<void>> resize_in(CorePointer core, std::string id, ScreenSize size) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().resize(std::move(id), size);
}

Task<Result<void>> follow_in(CorePointer core, EventOptions options,
                             std::function<bool(const ProcessEvent&)> sink, Cancel cancel) {
  const CallUnderWay call(core, cancel);
  co_return co_await core->host().environments.deliver_events(std::move(options), std::move(sink),
                                                              call.token());
}

Task<void> look_in(CorePointer core) {
  (void)co_await core->host().environments.with_processes();
  core->host().journal.events().look_again();
}

Task<Result<std::vector<ProcessEvent>>> recent_in(CorePointer core, std::uint64_t after,
                                                  std::size_t limit) {
  co_await core->host().environments.collect_events();
  co_return host::EventStore(core->host().journal.ledger().database()).newest(after, limit);
}

Task<Result<std::vector<ProcessEvent>>> pending_in(CorePointer core, std::string consumer,
                                                   std::size_t limit) {
  co_await core->host().environments.collect_events();
  co_return host::EventStore(core->host().journal.ledger().database()).pending(consumer, limit);
}

}  // namespace

AsioProcesses::AsioProcesses(const AsioRuntime& runtime) : core_(runtime.core()) {}

Task<Result<ProcessList>> AsioProcesses::list(std::uint64_t tail_limit) {
  return list_in(core_, tail_limit);
}

Task<Result<ProcessInfo>> AsioProcesses::find(std::string id, std::uint64_t tail_limit) {
  return find_in(core_, std::move(id), tail_limit);
}

Task<Result<ProcessInfo>> AsioProcesses::wait(std::string id, Cancel cancel) {
  return wait_in(core_, std::move(id), std::move(cancel));
}

Task<Result<ProcessInfo>> AsioProcesses::watch_end(std::string id, Cancel cancel) {
  return watch_end_in(core_, std::move(id), std::move(cancel));
}

Task<Result<KilledProcess>> AsioProcesses::kill(std::string id, std::string source) {
  return kill_in(core_, std::move(id), std::move(source));
}

Task<Result<KilledAll>> AsioProcesses::kill_all(KillAll which) {
  return kill_all_in(core_, std::move(which));
}

Task<Result<void>> AsioProcesses::signal(std::string id, int number) {
  return signal_in(core_, std::move(id), number);
}

Task<Result<OutputRead>> AsioProcesses::read(OutputQuery query,
                                             std::function<void(std::string_view)> on_output,
                                             Cancel cancel) {
  return read_in(core_, std::move(query), std::move(on_output), std::move(cancel));
}

Task<Result<bool>> AsioProcesses::write(std::string id, std::string data, bool end) {
  return write_in(core_, std::move(id), std::move(data), end);
}

Task<Result<void>> AsioProcesses::resize(std::string id, ScreenSize size) {
  return resize_in(core_, std::move(id), size);
}

Result<std::uint64_t> AsioProcesses::mark(const std::string& id, const std::string& name) {
  return core_->host().journal.ledger().mark(id, name);
}

Result<void> AsioProcesses::set_mark(const std::string& id, const std::string& name,
                                     std::uint64_t cursor) {
  return core_->host().journal.ledger().set_mark(id, name, cursor);
}

Task<Result<void>> AsioProcesses::follow_events(EventOptions options,
                                                std::function<bool(const ProcessEvent&)> sink,
                                                Cancel cancel) {
  return follow_in(core_, std::move(options), std::move(sink), std::move(cancel));
}

Task<void> AsioProcesses::look_for_targets() { return look_in(core_); }

Result<void> AsioProcesses::acknowledge(const std::string& consumer, std::uint64_t event) {
  host::EventStore store(core_->host().journal.ledger().database());
  // One that does not exist yet cannot have been had.
  const auto newest = store.last();
  if (!newest) return fail(newest.error());
  return store.move_cursor(consumer, std::min(event, *newest));
}

Task<Result<std::vector<ProcessEvent>>> AsioProcesses::recent_events(std::uint64_t after,
                                                                     std::size_t limit) {
  return recent_in(core_, after, limit);
}

Task<Result<std::vector<ProcessEvent>>> AsioProcesses::pending_events(std::string consumer,
                                                                      std::size_t limit) {
  return pending_in(core_, std::move(consumer), limit);
}

std::string event_text(const ProcessEvent& event) { return tool::notification(event); }

json::object AsioProcesses::describe(const ProcessEvent& event) const {
  const Result<host::Config>& config = core_->host().settings.config();
  return tool::view_of(event, !config || config->redact_secrets);
}

}  // namespace talaria
