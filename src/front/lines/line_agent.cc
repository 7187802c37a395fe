// What an agent takes part in: passwords for sudo, its own tools in scripts, its settings.
#include <array>
#include <string>

#include <boost/json/array.hpp>

#include "api/asio_settings.h"
#include "front/lines/line_methods.h"
#include "json/json_text.h"

namespace talaria::front::lines {
namespace {

Result<json::object> subscribe_sudo(MethodCall& call) {
  return call.services.sudo.subscribe(call.params.text("session_key"));
}

Result<json::object> unsubscribe_sudo(MethodCall& call) {
  return call.services.sudo.unsubscribe(call.params.text("session_key"));
}

Result<json::object> answer_sudo(MethodCall& call) {
  return call.services.sudo.answer(call.params.text("id"), call.params.text("password"));
}

Result<json::object> serve_tools(MethodCall& call) {
  return call.services.tools.serve(call.params.find("tools")->get_array());
}

Result<json::object> answer_tool(MethodCall& call) {
  const std::string id = call.params.text("id");
  if (const auto error = call.params.given_text("error")) {
    if (call.params.has("result")) {
      return fail(ErrorKind::bad_request, "params: give result or error, not both");
    }
    return call.services.tools.answer(id, fail(ErrorKind::system, *error));
  }
  const json::value* const result = call.params.find("result");
  return call.services.tools.answer(id, result ? to_line(*result) : "null");
}

Result<json::object> set_settings(MethodCall& call) {
  const auto changed =
      AsioSettings(call.services.runtime).set(call.params.find("settings")->get_object());
  if (!changed) return fail(changed.error());
  json::array later;
  for (const auto& [name, reason] : changed->later) {
    later.push_back({{"name", name}, {"reason", reason}});
  }
  return json::object{{"applied", json::array(changed->applied.begin(), changed->applied.end())},
                      {"later", std::move(later)}};
}

Result<json::object> get_settings(MethodCall& call) {
  auto found = AsioSettings(call.services.runtime).get(call.params.texts("names"));
  if (!found) return fail(found.error());
  return json::object{{"settings", std::move(*found)}};
}

constexpr auto kAgentMethods = std::to_array<Method>({
    of_home(method_at_once("settings.set", "settings!:object", set_settings)),
    of_home(method_at_once("settings.get", "names:texts", get_settings)),
    of_home(method_at_once("sudo.subscribe", "session_key:text", subscribe_sudo)),
    of_home(method_at_once("sudo.unsubscribe", "session_key:text", unsubscribe_sudo)),
    of_home(method_at_once("sudo.answer", "id!:name password:text", answer_sudo)),
    method_at_once("tools.serve", "tools!:list", serve_tools),
    method_at_once("tools.answer", "id!:name result?:any error:text", answer_tool),
});

}  // namespace

std::span<const Method> agent_methods() { return kAgentMethods; }

}  // namespace talaria::front::lines
