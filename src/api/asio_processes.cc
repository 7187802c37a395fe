#include "api/asio_processes.h"

#include <algorithm>
#include <utility>

#include "api/call_under_way.h"
#include "api/checks.h"
#include "api/core.h"
#include "base/keep_alive.h"
#include "host/store/event_store.h"
#include "tools/event_view.h"
#include "tools/exec.h"
#include "tools/process_screen.h"
#include "tools/process_service.h"

namespace talaria {

namespace json = boost::json;

namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;
using tool::BackgroundProcess;

// Has `work` do something with a process, for a call that `cancel` cancels.
template <class Work>
std::invoke_result_t<Work, const BackgroundProcess&, CancelToken> with_process(CorePointer core,
                                                                               std::string id,
                                                                               Cancel cancel,
                                                                               Work work) {
  if (const auto& config = core->host().settings.config(); !config) co_return fail(config.error());
  // Where nothing was ever started there is no target to ask.
  if (!core->host().journal.ledger().exists()) {
    co_return fail(ErrorKind::not_found, "No process with ID " + id);
  }
  const CallUnderWay call(core, cancel);
  const auto process =
      co_await core->processes().open(std::move(id), std::string(host::kDefaultTask));
  if (!process) co_return fail(process.error());
  co_return co_await work(*process, call.token());
}

Task<Result<ProcessInfo>> wait_and_report(const BackgroundProcess& process, CancelToken cancel) {
  auto ended = co_await process.watch_end(std::move(cancel));
  if (ended) co_await process.end_reported();
  co_return ended;
}

// What is written is judged by what the process is.
Task<Result<bool>> type_and_end(const BackgroundProcess& process, std::string data, bool end,
                                CancelToken cancel) {
  const auto info = co_await process.find();
  if (!info) co_return fail(info.error());
  if (!info->running || !info->takes_input) co_return false;
  if (!data.empty()) {
    auto taken = co_await process.write_judged(*info, std::move(data), cancel);
    if (!taken || !*taken || !end) co_return taken;
  }
  co_return co_await process.write("", end, std::move(cancel));
}

Task<Result<ScreenView>> screen_of(const BackgroundProcess& process, CancelToken cancel) {
  const auto info = co_await process.find();
  if (!info) co_return fail(info.error());
  if (info->terminal.empty()) {
    co_return fail(ErrorKind::bad_request,
                   "process " + info->id + " has no terminal: it was started without one");
  }
  co_return co_await tool::look_at_screen(process, *info, std::move(cancel));
}

Task<void> look_in(CorePointer core) {
  (void)co_await core->host().environments.with_processes();
  core->host().journal.events().look_again();
}

host::EventStore event_store(const CorePointer& core) {
  return host::EventStore(core->host().journal.ledger().database());
}

Task<Result<std::vector<ProcessEvent>>> recent_in(CorePointer core, std::uint64_t after,
                                                  std::size_t limit) {
  co_await core->host().environments.collect_events();
  co_return event_store(core).newest(after, limit);
}

Task<Result<std::vector<ProcessEvent>>> pending_in(CorePointer core, std::string consumer,
                                                   std::size_t limit) {
  co_await core->host().environments.collect_events();
  co_return event_store(core).pending(consumer, limit);
}

Task<Result<std::string>> start_in(CorePointer core, ProcessStart start, Cancel cancel) {
  for (const Result<void>& fine :
       {check_text("command", start.command), check_task(start.task.value_or("")),
        check_text("session_key", start.session_key),
        check_text("workdir", start.workdir.value_or("")), check_variables(start.variables)}) {
    if (!fine) co_return fail(fine.error());
  }
  const CallUnderWay call(core, cancel);
  const tool::ProcessRun run =
      co_await tool::start_process(core->services(), std::move(start), call.token());
  if (!run.outcome) co_return fail(run.outcome.error());
  co_return run.outcome->id;
}

}  // namespace

AsioProcesses::AsioProcesses(const AsioRuntime& runtime) : core_(runtime.core()) {}

Result<std::string> AsioProcesses::full_id(const std::string& beginning) {
  if (const auto& config = core_->host().settings.config(); !config) return fail(config.error());
  return core_->host().journal.ledger().full_id(beginning);
}

Task<Result<std::string>> AsioProcesses::start(ProcessStart start, Cancel cancel) {
  return start_in(core_, std::move(start), std::move(cancel));
}

Task<Result<ProcessList>> AsioProcesses::list(std::uint64_t tail_limit) {
  return run_call(core_, Cancel(), [core = core_.get(), tail_limit](const CancelToken&) {
    return core->processes().list(tail_limit);
  });
}

Task<Result<ProcessInfo>> AsioProcesses::find(std::string id, std::uint64_t tail_limit) {
  return with_process(core_, std::move(id), Cancel(),
                      [tail_limit](const BackgroundProcess& process, const CancelToken&) {
                        return process.find(tail_limit);
                      });
}

Task<Result<ProcessInfo>> AsioProcesses::wait(std::string id, Cancel cancel) {
  return with_process(core_, std::move(id), std::move(cancel), wait_and_report);
}

Task<Result<ProcessInfo>> AsioProcesses::watch_end(std::string id, Cancel cancel) {
  return with_process(core_, std::move(id), std::move(cancel),
                      [](const BackgroundProcess& process, CancelToken token) {
                        return process.watch_end(std::move(token));
                      });
}

Task<Result<KilledProcess>> AsioProcesses::kill(std::string id, std::string source) {
  return with_process(
      core_, std::move(id), Cancel(),
      [source = std::move(source)](const BackgroundProcess& process, const CancelToken&) {
        return process.kill(source);
      });
}

Task<Result<KilledAll>> AsioProcesses::kill_all(KillAll which) {
  return run_call(core_, Cancel(),
                  [core = core_.get(), which = std::move(which)](const CancelToken&) {
                    return core->processes().kill_all(which);
                  });
}

Task<Result<void>> AsioProcesses::signal(std::string id, int number) {
  return with_process(core_, std::move(id), Cancel(),
                      [number](const BackgroundProcess& process, const CancelToken&) {
                        return process.signal(number);
                      });
}

Task<Result<OutputRead>> AsioProcesses::read(OutputQuery query,
                                             std::function<void(std::string_view)> on_output,
                                             Cancel cancel) {
  return read_at(
      std::move(query),
      [on_output = std::move(on_output)](std::uint64_t, std::string_view bytes) {
        on_output(bytes);
      },
      std::move(cancel));
}

Task<Result<OutputRead>> AsioProcesses::read_at(
    OutputQuery query, std::function<void(std::uint64_t, std::string_view)> on_output,
    Cancel cancel) {
  std::string id = query.id;
  return with_process(core_, std::move(id), std::move(cancel),
                      [query = std::move(query), on_output = std::move(on_output)](
                          const BackgroundProcess& process, CancelToken token) {
                        return process.read(query, on_output, std::move(token));
                      });
}

Task<Result<bool>> AsioProcesses::write(std::string id, std::string data, bool end) {
  return with_process(
      core_, std::move(id), Cancel(),
      [data = std::move(data), end](const BackgroundProcess& process, CancelToken token) {
        return process.write(data, end, std::move(token));
      });
}

Task<Result<bool>> AsioProcesses::write_judged(std::string id, std::string data, bool end,
                                               Cancel cancel) {
  return with_process(
      core_, std::move(id), std::move(cancel),
      [data = std::move(data), end](const BackgroundProcess& process, CancelToken token) {
        return type_and_end(process, data, end, std::move(token));
      });
}

Task<Result<ScreenView>> AsioProcesses::screen(std::string id) {
  return with_process(core_, std::move(id), Cancel(), screen_of);
}

Task<Result<void>> AsioProcesses::resize(std::string id, ScreenSize size) {
  return with_process(core_, std::move(id), Cancel(),
                      [size](const BackgroundProcess& process, const CancelToken&) {
                        return process.resize(size);
                      });
}

Result<std::uint64_t> AsioProcesses::mark(const std::string& id, const std::string& name) {
  return core_->host().journal.ledger().mark(id, name);
}

Task<Result<void>> AsioProcesses::set_mark(std::string id, std::string name, std::uint64_t cursor) {
  host::ProcessLedger& ledger = core_->host().journal.ledger();
  return keep_alive(core_, ledger.set_mark(std::move(id), std::move(name), cursor));
}

Task<Result<void>> AsioProcesses::follow_events(EventOptions options,
                                                std::function<bool(const ProcessEvent&)> sink,
                                                Cancel cancel) {
  return run_call(core_, std::move(cancel),
                  [core = core_.get(), options = std::move(options),
                   sink = std::move(sink)](CancelToken token) {
                    return core->host().environments.deliver_events(options, sink,
                                                                    std::move(token));
                  });
}

Task<void> AsioProcesses::look_for_targets() { return look_in(core_); }

Task<Result<void>> AsioProcesses::acknowledge(std::string consumer, std::uint64_t event) {
  const auto& database = core_->host().journal.ledger().database();
  return database->patiently(
      [store = event_store(core_), consumer = std::move(consumer), event]() mutable {
        // Not beyond the newest one: later events would be lost.
        const auto newest = store.last();
        if (!newest) return Result<void>(fail(newest.error()));
        return store.move_cursor(consumer, std::min(event, *newest));
      });
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
