// The greeting, the streams of requests in progress, and what needs no target.
#include <talaria/version.h>

#include <array>
#include <string>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "api/asio_texts.h"
#include "base/limits.h"
#include "front/lines/line_methods.h"
#include "json/json_text.h"

namespace talaria::front::lines {
namespace {

// Versions of the protocol that we speak.
constexpr std::uint64_t kProtocol = 1;

json::array listed_methods(bool sees_all) {
  json::array names;
  std::string all = method_names(sees_all);
  std::string_view rest = all;
  while (!rest.empty()) {
    const std::size_t end = rest.find(", ");
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 2);
  }
  return names;
}

Result<json::object> hello(MethodCall& call) {
  const std::uint64_t wanted = call.params.whole("protocol").value_or(kProtocol);
  if (wanted != kProtocol) {
    return fail(param_error("protocol", "version " + std::to_string(wanted) +
                                            " is not spoken here; this program speaks 1"));
  }
  const AsioRuntime::Facts facts = call.services.runtime.facts();
  json::object answer{{"protocol", kProtocol},
                      {"version", kVersion},
                      {"program", "talaria"},
                      {"transport", call.services.places.transport()},
                      {"methods", listed_methods(call.services.places.sees_all())},
                      {"target", facts.target},
                      {"isolated", facts.isolated}};
  for (auto& [name, value] : call.services.places.describe()) answer[name] = value;
  return answer;
}

// A request in progress that the parameter `request` names.
Result<std::shared_ptr<LineRequest>> named_request(const MethodCall& call) {
  const json::value& id = *call.params.find("request");
  const auto& requests = call.services.requests;
  const auto found = requests.find(to_line(id));
  if (found != requests.end()) return found->second;
  return fail(ErrorKind::not_found, "params.request: request " + to_line(id) +
                                        " is not in progress: it has been answered, or never was");
}

// One that has been answered needs no more.
Result<json::object> more(MethodCall& call) {
  if (const auto request = named_request(call)) (*request)->allow(*call.params.whole("bytes"));
  return json::object();
}

Task<Result<json::object>> write_input(MethodCall call) {
  const auto request = named_request(call);
  if (!request) co_return fail(request.error());
  const auto channel = (*request)->input();
  if (!channel) {
    co_return fail(param_error("request", "request " + (*request)->key() +
                                              " takes no input: it was not made with stdin_open"));
  }
  std::string data = call.params.text("data");
  if (auto bytes = call.params.bytes("data64")) {
    if (call.params.has("data")) {
      co_return fail(ErrorKind::bad_request, "params: give data or data64, not both");
    }
    data = std::move(*bytes);
  }
  if (call.services.waiting_input() + data.size() > kMaxWaitingInput) {
    co_return fail(ErrorKind::limit,
                   "over " + std::to_string(kMaxWaitingInput) +
                       " bytes of input wait already; wait for answers before you send more");
  }
  const bool taken = co_await ByteChannel::write(channel, std::move(data), call.params.flag("end"));
  co_return json::object{{"taken", taken}};
}

Result<json::object> list_tools(MethodCall& call) {
  std::optional<std::vector<std::string>> only;
  if (call.params.has("tools")) only = call.params.texts("tools");
  json::array tools;
  for (const ToolInfo& tool : call.services.runtime.tools(only)) {
    tools.push_back({{"name", tool.name},
                     {"description", tool.description},
                     {"parameters", json::parse(tool.schema)}});
  }
  return json::object{{"tools", std::move(tools)}};
}

Result<json::object> redact(MethodCall& call) {
  return json::object{{"text", without_secrets(call.params.text("text"))}};
}

Result<json::object> strip(MethodCall& call) {
  return json::object{{"text", without_escapes(call.params.text("text"))}};
}

constexpr auto kBasicMethods = std::to_array<Method>({
    method_at_once("hello", "protocol:whole client:text", hello),
    method_at_once("stream.more", "request!:any bytes!:whole", more),
    method_soon("stream.write", "request!:any data:text data64:base64 end:flag", write_input),
    method_at_once("tools.list", "tools:texts", list_tools),
    method_at_once("text.redact", "text!:text", redact),
    method_at_once("text.strip", "text!:text", strip),
});

}  // namespace

std::span<const Method> basic_methods() { return kBasicMethods; }

}  // namespace talaria::front::lines
