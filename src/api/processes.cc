#include <talaria/asio_processes.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/call_under_way.h"
#include "api/core.h"
#include "tools/event_view.h"

namespace talaria {
namespace {

using CorePointer = std::shared_ptr<AsioRuntime::Core>;

// The environment a process is in; kept by whoever asks it something.
Task<Result<std::shared_ptr<Environment>>> environment_of(CorePointer core, std::string id) {
  co_return co_await core->host().environment_of(std::move(id), std::string(kDefaultTask));
}

Task<Result<std::vector<ProcessInfo>>> list_in(CorePointer core, std::uint64_t tail_limit) {
  std::vector<ProcessInfo> all;
  for (const auto& environment : co_await core->host().environments_with_processes()) {
    auto some = co_await environment->processes().list({.tail_limit = tail_limit});
    if (!some) co_return fail(some.error());
    std::ranges::move(*some, std::back_inserter(all));
  }
  co_return all;
}

Task<Result<ProcessInfo>> find_in(CorePointer core, std::string id, std::uint64_t tail_limit) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  auto found = co_await (*environment)->processes().list({.id = id, .tail_limit = tail_limit});
  if (!found) co_return fail(found.error());
  if (found->empty()) co_return fail(ErrorKind::not_found, "No process with ID " + id);
  co_return std::move(found->front());
}

Task<Result<ProcessInfo>> wait_in(CorePointer core, std::string id, Cancel cancel) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  const CallUnderWay call(core, cancel);
  auto ended = co_await (*environment)->processes().wait({.id = id}, call.token());
  if (!ended) co_return fail(ended.error());
  core->host().ledger().end_reported(id);
  co_return co_await find_in(core, id, 0);
}

Task<Result<KilledProcess>> kill_in(CorePointer core, std::string id) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().kill(std::move(id), "process.kill");
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
  co_return co_await (*environment)
      ->processes()
      .read(std::move(query), std::move(on_output), call.token());
}

Task<Result<bool>> write_in(CorePointer core, std::string id, std::string data, bool end) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().write(std::move(id), std::move(data), end);
}

Task<Result<void>> resize_in(CorePointer core, std::string id, ScreenSize size) {
  const auto environment = co_await environment_of(core, id);
  if (!environment) co_return fail(environment.error());
  co_return co_await (*environment)->processes().resize(std::move(id), size);
}

Task<Result<void>> follow_in(CorePointer core, EventOptions options,
                             std::function<bool(const ProcessEvent&)> sink, Cancel cancel) {
  const CallUnderWay call(core, cancel);
  co_return co_await core->host().deliver_events(std::move(options), std::move(sink), call.token());
}

Task<Result<std::vector<ProcessEvent>>> recent_in(CorePointer core, std::uint64_t after,
                                                  std::size_t limit) {
  co_await core->host().collect_events();
  const auto store = core->host().ledger().store();
  if (!store) co_return fail(store.error());
  co_return (*store)->newest_events(after, limit);
}

}  // namespace

AsioProcesses::AsioProcesses(const AsioRuntime& runtime) : core_(runtime.core()) {}

Task<Result<std::vector<ProcessInfo>>> AsioProcesses::list(std::uint64_t tail_limit) {
  return list_in(core_, tail_limit);
}

Task<Result<ProcessInfo>> AsioProcesses::find(std::string id, std::uint64_t tail_limit) {
  return find_in(core_, std::move(id), tail_limit);
}

Task<Result<ProcessInfo>> AsioProcesses::wait(std::string id, Cancel cancel) {
  return wait_in(core_, std::move(id), std::move(cancel));
}

Task<Result<KilledProcess>> AsioProcesses::kill(std::string id) {
  return kill_in(core_, std::move(id));
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

Task<Result<void>> AsioProcesses::follow_events(EventOptions options,
                                                std::function<bool(const ProcessEvent&)> sink,
                                                Cancel cancel) {
  return follow_in(core_, std::move(options), std::move(sink), std::move(cancel));
}

Result<void> AsioProcesses::acknowledge(const std::string& consumer, std::uint64_t event) {
  const auto store = core_->host().ledger().store();
  if (!store) return fail(store.error());
  return (*store)->move_cursor(consumer, event);
}

Task<Result<std::vector<ProcessEvent>>> AsioProcesses::recent_events(std::uint64_t after,
                                                                     std::size_t limit) {
  return recent_in(core_, after, limit);
}

std::string event_text(const ProcessEvent& event) { return notification(event); }

json::object describe_event(const ProcessEvent& event) { return view_of(event); }

}  // namespace talaria
