// The routes about execs.
#include <algorithm>

#include <boost/json/array.hpp>

#include "base/base64.h"
#include "base/off_loop.h"
#include "base/signal_name.h"
#include "base/to_number.h"
#include "front/gateway/gateway_json.h"
#include "front/gateway/limits.h"
#include "front/gateway/output_stream.h"
#include "front/gateway/request_fields.h"
#include "front/gateway/routes.h"

namespace talaria::front::gateway {
namespace {

namespace json = boost::json;

constexpr std::string_view kIdLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-";

bool is_exec_id(std::string_view id) {
  return !id.empty() && id.size() <= 128 &&
         id.find_first_not_of(kIdLetters) == std::string_view::npos;
}

bool is_variable_name(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
             std::string_view::npos;
}

// `?wait=`, or `usual` without it.
Result<std::chrono::milliseconds> wait_of(const ServedRequest& request,
                                          std::chrono::milliseconds usual) {
  const auto found = request.query.find("wait");
  if (found == request.query.end()) return usual;
  const auto count = to_number<std::uint64_t>(found->second);
  if (!count) return fail(ErrorKind::bad_request, "wait must be a number of milliseconds");
  return std::chrono::milliseconds(
      std::min<std::uint64_t>(*count, static_cast<std::uint64_t>(kLongestWait.count())));
}

void read_variables(RequestFields& fields, std::vector<std::string>& variables) {
  const json::object* env = fields.object("env");
  if (!env) return;
  if (env->size() > kMaxExecVariables) fields.flawed("env has too many variables");
  for (const auto& [name, value] : *env) {
    const bool fine = is_variable_name(name) && value.is_string() &&
                      !std::string_view(value.get_string()).contains('\0');
    if (!fine) return fields.flawed("env must be an object of variable names and strings");
    variables.push_back(std::string(name) + "=" + std::string(value.get_string()));
  }
}

// W3C trace context: the command belongs to the same trace.
void add_trace(const ServedRequest& request, std::vector<std::string>& variables) {
  for (const auto& [header, name] :
       {std::pair("traceparent", "TRACEPARENT"), std::pair("tracestate", "TRACESTATE")}) {
    const std::string value = request.header(header);
    if (!value.empty() && value.size() <= 1024) {
      variables.push_back(std::string(name) + "=" + value);
    }
  }
}

// Cancelled when the client has disconnected.
Cancel gone_with(ServedRequest& request) {
  Cancel gone;
  request.gone.on_cancel([gone] { gone.cancel(); });
  return gone;
}

ServedResponse exec_response(const Result<ExecInfo>& exec, int status_of_live) {
  if (!exec) return error_response(exec.error());
  return json_response(has_ended(exec->state) ? 200 : status_of_live, exec_json(*exec, true));
}

// Commands and input may have megabytes.
Task<RequestFields> fields_of(const std::string& body) {
  co_return co_await off_loop_if_large(body.size(), [&] { return RequestFields(body); });
}

}  // namespace

Task<ServedResponse> start_exec(Gateway& gateway, GatewayCall& call) {
  const auto wait = wait_of(call.request, kStartWait);
  if (!wait) co_return error_response(wait.error());
  RequestFields fields = co_await fields_of(call.request.body);
  ExecSpec spec{.id = fields.text("execId"),
                .command = fields.text("command"),
                .cwd = fields.optional_text("cwd"),
                .stdin_data = fields.optional_text("stdinData"),
                .takes_input = fields.flag("stdin"),
                .timeout = fields.milliseconds("timeoutMs"),
                .changes_session = fields.flag("session", true)};
  add_trace(call.request, spec.variables);
  read_variables(fields, spec.variables);
  if (!is_exec_id(spec.id)) {
    fields.flawed(std::string("execId ") + (spec.id.empty() ? "is required" : "is invalid") +
                  ": 1 to 128 letters, digits, '.', '_', ':' and '-'");
  }
  if (!fields.find("command")) fields.flawed("command is required");
  if (spec.command.contains('\0') || spec.cwd.value_or("").contains('\0')) {
    fields.flawed("command and cwd cannot contain a NUL byte");
  }
  if (spec.cwd.value_or("").size() > kMaxSandboxText) fields.flawed("cwd has at most 4096 bytes");
  if (!fields.check()) co_return error_response(fields.check().error());
  if (gateway.stopping()) co_return error_response(503, "the gateway is stopping");
  call.exec = spec.id;
  const Cancel gone = gone_with(call.request);
  co_return exec_response(
      co_await gateway.sandboxes().start(call.owner(), call.sandbox, std::move(spec), *wait,
                                         call.token.scope, gone),
      202);
}

Task<ServedResponse> list_execs(Gateway& gateway, GatewayCall& call) {
  const auto found = gateway.sandboxes().execs(call.owner(), call.sandbox);
  if (!found) co_return error_response(found.error());
  json::array list;
  for (const ExecInfo& one : *found) list.push_back(exec_json(one, false));
  co_return json_response(200, json::object{{"execs", std::move(list)}});
}

Task<ServedResponse> poll_exec(Gateway& gateway, GatewayCall& call) {
  const auto wait = wait_of(call.request, std::chrono::milliseconds(0));
  if (!wait) co_return error_response(wait.error());
  const Cancel gone = gone_with(call.request);
  co_return exec_response(
      co_await gateway.sandboxes().exec(call.owner(), call.sandbox, call.exec, *wait, gone), 200);
}

Task<ServedResponse> cancel_exec(Gateway& gateway, GatewayCall& call) {
  const auto exec = co_await gateway.sandboxes().cancel(call.owner(), call.sandbox, call.exec);
  if (!exec || has_ended(exec->state)) co_return exec_response(exec, 200);
  co_return json_response(202, json::object{{"execId", exec->id}, {"status", "cancelling"}});
}

Task<ServedResponse> write_exec(Gateway& gateway, GatewayCall& call) {
  RequestFields fields = co_await fields_of(call.request.body);
  std::string data = fields.text("data");
  if (const auto coded = fields.optional_text("dataBase64")) {
    if (auto decoded = base64_decode(*coded)) {
      data += *decoded;
    } else {
      fields.flawed("dataBase64 is not valid base64");
    }
  }
  const bool end = fields.flag("end");
  if (!fields.check()) co_return error_response(fields.check().error());
  const auto taken = co_await gateway.sandboxes().write(call.owner(), call.sandbox, call.exec,
                                                        std::move(data), end);
  if (!taken) co_return error_response(taken.error());
  if (!*taken) co_return error_response(409, "the command does not accept input");
  co_return json_response(200, json::object{{"taken", true}});
}

Task<ServedResponse> signal_exec(Gateway& gateway, GatewayCall& call) {
  RequestFields fields(call.request.body);
  const json::value* signal = fields.find("signal");
  std::optional<int> number;
  if (signal && signal->is_string()) {
    number = signal_number(std::string_view(signal->get_string()));
  }
  if (signal && signal->is_int64() && signal->get_int64() > 0 && signal->get_int64() < 65) {
    number = static_cast<int>(signal->get_int64());
  }
  if (!number) fields.flawed("signal must be a name or a number: \"INT\", 2");
  if (!fields.check()) co_return error_response(fields.check().error());
  const auto sent =
      co_await gateway.sandboxes().signal(call.owner(), call.sandbox, call.exec, *number);
  if (!sent) co_return error_response(sent.error());
  co_return json_response(200, json::object{{"sent", true}});
}

Task<ServedResponse> stream_exec(Gateway& gateway, GatewayCall& call) {
  std::string text = call.request.header("last-event-id");
  const auto asked = call.request.query.find("from");
  if (text.empty() && asked != call.request.query.end()) text = asked->second;
  const auto from = text.empty() ? 0 : to_number<std::uint64_t>(text);
  if (!from) co_return error_response(400, "from must be a byte offset of at least 0");
  const auto encoding = call.request.query.find("encoding");
  const bool bytes = encoding != call.request.query.end();
  if (bytes && encoding->second != "base64") {
    co_return error_response(400, "encoding must be base64, or absent");
  }
  const auto exec = co_await gateway.sandboxes().exec(call.owner(), call.sandbox, call.exec,
                                                      std::chrono::milliseconds(0));
  if (!exec) co_return error_response(exec.error());
  ServedResponse response{.type = "text/event-stream"};
  response.stream = [&gateway, owner = call.owner(), sandbox = call.sandbox, id = call.exec,
                     from = *from, bytes, gone = call.request.gone](ServedSink sink) {
    return stream_output(gateway, {owner, sandbox, id, from, bytes, gone}, std::move(sink));
  };
  co_return response;
}

}  // namespace talaria::front::gateway
