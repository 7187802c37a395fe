// Background processes.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_processes.h"
#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

Task<Result<json::object>> kill_all(MethodCall call) {
  KillAll which{.include_keep = call.params.flag("all")};
  if (call.params.has("task") || call.params.has("sandbox")) {
    const auto place = co_await place_of(call);
    if (!place) co_return fail(place.error());
    which.task = place->task;
  }
  const auto killed = co_await AsioProcesses(call.services.runtime).kill_all(std::move(which));
  if (!killed) co_return fail(killed.error());
  std::size_t ended = 0;
  std::size_t survivors = 0;
  json::array errors;
  for (const KilledOne& one : killed->processes) {
    if (one.was_running && !one.error) ++ended;
    survivors += one.survivors.size();
    if (one.error) errors.emplace_back(one.id + ": " + one.error->message());
  }
  for (const Error& error : killed->away) errors.emplace_back(error.message());
  json::object answer{{"killed", ended}, {"survivors", survivors}};
  if (!errors.empty()) answer["errors"] = std::move(errors);
  co_return answer;
}

constexpr auto kProcessMethods = std::to_array<Method>({
    method_soon("processes.kill_all", "task:name sandbox:name all:flag", kill_all),
});

}  // namespace

std::span<const Method> process_methods() { return kProcessMethods; }

}  // namespace talaria::front::lines
