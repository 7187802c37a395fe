// Environments, their overrides, and what they get of this machine.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "front/lines/line_methods.h"
#include "front/totals_json.h"
#include "front/unix_seconds.h"

namespace talaria::front::lines {
namespace {

json::object shown_environment(const EnvironmentInfo& environment) {
  json::array tasks(environment.tasks.begin(), environment.tasks.end());
  return {{"id", environment.id},
          {"target", environment.target},
          {"transport", environment.transport},
          {"place", environment.place},
          {"persistent", environment.persistent},
          {"tasks", std::move(tasks)},
          {"last_use", unix_seconds(environment.last_use)},
          {"calls", environment.calls}};
}

Task<Result<json::object>> list_environments(MethodCall call) {
  json::array environments;
  for (const EnvironmentInfo& one : call.services.runtime.environments()) {
    environments.push_back(shown_environment(one));
  }
  json::object answer{{"environments", std::move(environments)}};
  const EnvironmentTotals totals = co_await call.services.runtime.environment_totals();
  add_totals(answer, totals);
  co_return answer;
}

Task<Result<json::object>> remove_environment(MethodCall call) {
  AsioRuntime& runtime = call.services.runtime;
  const Removal how{.everything = call.params.flag("force")};
  if (call.params.flag("all")) {
    co_return json::object{{"removed", co_await runtime.remove_all_environments(how)}};
  }
  const auto id = call.params.given_text("id");
  if (!id) co_return fail(param_error("id", "expected a string"));
  const Result<void> removed = co_await runtime.remove_environment(*id, how);
  if (!removed) co_return fail(removed.error());
  co_return json::object{{"removed", 1}};
}

Result<json::object> override_task(MethodCall& call) {
  AsioRuntime& runtime = call.services.runtime;
  const std::string task = call.params.text("task");
  const json::value& overrides = *call.params.find("overrides");
  if (overrides.is_null()) {
    runtime.clear_override(task);
    return json::object();
  }
  if (const auto stored = runtime.override_task(task, overrides.get_object()); !stored) {
    return fail(stored.error());
  }
  return json::object();
}

Result<json::object> list_overrides(MethodCall& call) {
  return json::object{{"overrides", call.services.runtime.overrides()}};
}

Result<json::object> pass_through(MethodCall& call) {
  json::array refused;
  for (const json::value& name : call.params.find("names")->get_array()) {
    const bool is_text = name.is_string();
    const Result<void> passes =
        is_text ? call.services.runtime.pass_through(name.get_string())
                : Result<void>(fail(ErrorKind::bad_request, "expected a string"));
    if (!passes) refused.push_back({{"name", name}, {"reason", passes.error().message()}});
  }
  return json::object{{"refused", std::move(refused)}};
}

Result<json::object> share_files(MethodCall& call) {
  json::array missing;
  const json::array& files = call.params.find("files")->get_array();
  for (const RefusedFile& one : call.services.runtime.share_files(files)) {
    missing.push_back({{"path", one.path}, {"reason", one.reason}});
  }
  return json::object{{"missing", std::move(missing)}};
}

constexpr auto kEnvMethods = std::to_array<Method>({
    of_home(method_soon("env.list", "", list_environments)),
    of_home(method_soon("env.remove", "id:name all:flag force:flag", remove_environment)),
    of_home(method_at_once("env.override", "task!:name overrides!?:object", override_task)),
    of_home(method_at_once("env.overrides", "", list_overrides)),
    of_home(method_at_once("env.pass_through", "names!:list", pass_through)),
    of_home(method_at_once("files.share", "files!:list", share_files)),
});

}  // namespace

std::span<const Method> env_methods() { return kEnvMethods; }

}  // namespace talaria::front::lines
