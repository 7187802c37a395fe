// Sandboxes: places of their own for commands, by id.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "front/lines/line_methods.h"

namespace talaria::front::lines {
namespace {

std::string_view state_name(SandboxState state) {
  switch (state) {
    case SandboxState::creating:
      return "creating";
    case SandboxState::running:
      return "running";
    case SandboxState::terminating:
      return "terminating";
    case SandboxState::terminated:
      break;
  }
  return "terminated";
}

double in_whole_seconds(std::chrono::milliseconds time) {
  return std::chrono::duration<double>(time).count();
}

json::object shown_sandbox(const HomeSandbox& sandbox) {
  const SandboxInfo& info = sandbox.info;
  json::object variables;
  for (const std::string& variable : sandbox.variables) {
    const std::size_t equals = variable.find('=');
    variables[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  json::object shown{
      {"id", info.id},
      {"name", sandbox.name},
      {"target", info.target},
      {"image", info.spec.image},
      {"isolated", info.isolated},
      {"cwd", info.directory},
      {"state", state_name(info.state)},
      {"created", std::chrono::duration<double>(info.created.time_since_epoch()).count()}};
  if (info.spec.lifetime.count() > 0) shown["ttl"] = in_whole_seconds(info.spec.lifetime);
  if (info.spec.idle.count() > 0) shown["idle"] = in_whole_seconds(info.spec.idle);
  shown["limits"] = {{"cpu", info.limits.cpu},
                     {"memory_mb", info.limits.memory_mib},
                     {"disk_mb", info.limits.disk_mib}};
  shown["env"] = std::move(variables);
  return shown;
}

Task<Result<json::object>> create_sandbox(MethodCall call) {
  const AsioWatch watch = watch_preparing(call);
  const auto made = co_await call.services.places.create(call.params);
  if (!made) co_return fail(made.error());
  co_return json::object{{"sandbox", shown_sandbox(*made)}};
}

Result<json::object> list_sandboxes(MethodCall& call) {
  json::array list;
  for (const HomeSandbox& one : call.services.places.sandboxes())
    list.push_back(shown_sandbox(one));
  return json::object{{"sandboxes", std::move(list)}};
}

Result<json::object> get_sandbox(MethodCall& call) {
  const auto found = call.services.places.sandbox(call.params.text("sandbox"));
  if (!found) return fail(found.error());
  return json::object{{"sandbox", shown_sandbox(*found)}};
}

Task<Result<json::object>> remove_sandbox(MethodCall call) {
  const auto removed = co_await call.services.places.remove(call.params.text("sandbox"),
                                                            call.params.flag("snapshot"));
  if (!removed) co_return fail(removed.error());
  co_return json::object{{"removed", *removed}};
}

constexpr auto kSandboxMethods = std::to_array<Method>({
    method_work("sandboxes.create",
                "target:text image:text cwd:text cpu:number memory_mb:number disk_mb:number "
                "ttl:time idle:time env:map name:text persistent:flag key:text",
                create_sandbox),
    method_at_once("sandboxes.list", "", list_sandboxes),
    method_at_once("sandboxes.get", "sandbox!:name", get_sandbox),
    method_soon("sandboxes.remove", "sandbox!:name snapshot:flag", remove_sandbox),
});

}  // namespace

Result<SandboxSpec> sandbox_spec(const LineParams& params) {
  const std::string cwd = params.text("cwd");
  if (!cwd.empty() && !cwd.starts_with('/') && !cwd.starts_with('~')) {
    return fail(param_error("cwd", "expected an absolute path, or one that begins with ~"));
  }
  using std::chrono::milliseconds;
  return SandboxSpec{.image = params.text("image"),
                     .cwd = cwd,
                     .cpu = params.number("cpu").value_or(0),
                     .memory_mib = params.number("memory_mb").value_or(0),
                     .disk_mib = params.number("disk_mb").value_or(0),
                     .lifetime = params.time("ttl").value_or(milliseconds(0)),
                     .idle = params.time("idle").value_or(milliseconds(0))};
}

std::span<const Method> sandbox_methods() { return kSandboxMethods; }

}  // namespace talaria::front::lines
