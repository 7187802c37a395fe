#include "environment/managed/gateway_client.h"

#include <talaria/version.h>

#include <algorithm>
#include <utility>

#include <boost/json/array.hpp>

#include "base/sha256.h"
#include "environment/managed/gateway_error.h"
#include "http/url.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::environment::managed {
namespace {

using std::chrono::milliseconds;

constexpr auto kCreateTime = milliseconds(60'000);
constexpr auto kStartTime = milliseconds(10'000);
constexpr auto kTerminateTime = milliseconds(60'000);
// An answer holds all the output of a command.
constexpr std::size_t kMaxAnswer = 64u << 20;

constexpr std::string_view kCreateFailed = "Managed Modal create failed";
constexpr std::string_view kExecFailed = "Managed Modal exec failed";
constexpr std::string_view kPollFailed = "Managed Modal exec poll failed";

milliseconds in_ms(double seconds) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
}

// Requests may be repeated: the ids are ours.
http::HttpChannel::Options time_limits(milliseconds connect, milliseconds answer) {
  return {.connect = connect, .answer = answer, .repeatable = true};
}

std::string sandbox_path(const std::string& sandbox) {
  return "/v1/sandboxes/" + http::percent_encode(sandbox);
}

std::string exec_path(const std::string& sandbox, const std::string& exec) {
  return sandbox_path(sandbox) + "/execs/" + http::percent_encode(exec);
}

std::string wait_query(GatewayClient::Wait wait) {
  return wait ? "?wait=" + std::to_string(wait->count()) : "";
}

ExecReply refused(std::string message) {
  return {.kind = ExecReply::Kind::refused, .message = std::move(message)};
}

// An answer without an error status that is invalid.
ExecReply nonsense(std::string message) {
  return {.kind = ExecReply::Kind::refused, .message = std::move(message), .may_run = true};
}

ExecReply unreachable(std::string_view prefix, const Error& error) {
  return {.kind = ExecReply::Kind::unavailable,
          .message = std::string(prefix) + ": " + error.message(),
          .may_run = true,
          .silent = true};
}

// Statuses of a server or proxy that is overloaded.
bool is_passing(unsigned status) {
  return status == 429 || status == 502 || status == 503 || status == 504;
}

int returncode_of(const json::object& body) {
  const json::value* const found = body.if_contains("returncode");
  if (!found) return 1;
  boost::system::error_code no_number;
  const auto code = found->to_number<int>(no_number);
  return no_number ? 1 : code;
}

bool has_ended(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled" ||
         status == "timeout";
}

// The state of an exec, from an answer without an error status.
ExecReply state_of(std::string_view prefix, const http::HttpResponse& response) {
  const ParsedJson parsed = parse_json(response.body);
  if (!parsed.value || !parsed.value->is_object()) {
    return nonsense(std::string(prefix) + ": the gateway's answer is not a JSON object");
  }
  const json::object& body = parsed.value->get_object();
  ExecReply reply{.kind = ExecReply::Kind::running, .status = text_field(body, "status")};
  if (!has_ended(reply.status)) return reply;
  const json::value* const output = body.if_contains("output");
  if (output && !output->is_string()) {
    return nonsense(std::string(prefix) + ": the gateway's answer has no output (it is " +
                    python_json(*output).substr(0, 100) + ")");
  }
  reply.kind = ExecReply::Kind::ended;
  reply.output = text_field(body, "output");
  reply.returncode = returncode_of(body);
  return reply;
}

GatewaySandbox read_sandbox(const json::object& body) {
  GatewaySandbox sandbox{.id = text_field(body, "id"), .cwd = text_field(body, "cwd")};
  if (const json::value* const isolated = body.if_contains("isolated")) {
    if (isolated->is_bool()) sandbox.isolated = isolated->get_bool();
  }
  const json::value* const features = body.if_contains("features");
  if (!features || !features->is_array()) return sandbox;
  for (const json::value& feature : features->get_array()) {
    if (feature.is_string()) sandbox.features.emplace_back(feature.get_string());
  }
  return sandbox;
}

}  // namespace

bool GatewaySandbox::can(std::string_view feature) const {
  return std::ranges::find(features, feature) != features.end();
}

GatewaySandbox sandbox_of(std::string_view text) {
  const ParsedJson parsed = parse_json(text);
  if (!parsed.value || !parsed.value->is_object()) return {};
  return read_sandbox(parsed.value->get_object());
}

json::object to_json(const GatewaySandbox& sandbox) {
  json::object body{{"id", sandbox.id}};
  if (sandbox.isolated) body["isolated"] = *sandbox.isolated;
  if (!sandbox.cwd.empty()) body["cwd"] = sandbox.cwd;
  body["features"] = json::array(sandbox.features.begin(), sandbox.features.end());
  return body;
}

Result<std::shared_ptr<GatewayClient>> GatewayClient::make(ManagedConfig config,
                                                           ReadToken read_token) {
  Result<http::Url> origin = http::parse_url(config.origin);
  if (!origin) {
    return fail(
        ErrorKind::bad_request,
        "the address of the gateway (MODAL_GATEWAY_URL or TOOL_GATEWAY_DOMAIN) is invalid: " +
            origin.error().message());
  }
  origin->target.resize(std::min(origin->target.find('?'), origin->target.size()));
  while (origin->target.ends_with('/')) origin->target.pop_back();
  return std::make_shared<GatewayClient>(std::move(config), std::move(read_token),
                                         std::move(*origin));
}

GatewayClient::GatewayClient(ManagedConfig config, ReadToken read_token, http::Url origin)
    : config_(std::move(config)),
      read_token_(std::move(read_token)),
      token_(read_token_()),
      identity_(config_.origin + " " + sha256_hex(token_.view()).substr(0, 16)),
      origin_(std::move(origin)),
      channel_({.body_bytes = kMaxAnswer, .decoded_bytes = kMaxAnswer}, config_.ca_file) {}

http::HttpRequest GatewayClient::request(std::string method, const std::string& path,
                                         std::string body) const {
  http::HttpRequest made{.method = std::move(method), .url = origin_, .body = std::move(body)};
  made.url.target += path;
  made.agent = "Talaria/" + std::string(kVersion);
  made.headers = {{"Content-Type", "application/json"}};
  return made;
}

// A request that was refused with 401 had no effect, so it may be repeated.
Task<Result<http::HttpResponse>> GatewayClient::send(http::HttpRequest request,
                                                     http::HttpChannel::Options options) {
  const auto signed_by = [&](const Secret& token) {
    http::HttpRequest made = request;
    made.headers.emplace_back("Authorization", "Bearer " + std::string(token.view()));
    return made;
  };
  auto response = co_await channel_.ask(signed_by(token_), options);
  if (!response || response->status != 401) co_return response;
  Secret now = read_token_();
  if (now.empty() || now.view() == token_.view()) co_return response;
  token_ = std::move(now);
  co_return co_await channel_.ask(signed_by(token_), std::move(options));
}

Task<Result<GatewaySandbox>> GatewayClient::create(json::object body, std::string key) {
  http::HttpRequest asked = request("POST", "/v1/sandboxes", to_line(body));
  asked.headers.emplace_back("x-idempotency-key", std::move(key));
  const auto options = time_limits(kCreateTime, kCreateTime);
  const auto response = co_await send(std::move(asked), options);
  if (!response) {
    co_return fail(response.error().kind(),
                   std::string(kCreateFailed) + ": " + response.error().message() +
                       ". Check the gateway at " + config_.origin + " (MODAL_GATEWAY_URL)");
  }
  if (response->status >= 400) {
    co_return fail(ErrorKind::unavailable,
                   gateway_error(kCreateFailed, response->status, response->body));
  }
  const ParsedJson parsed = parse_json(response->body);
  if (!parsed.value || !parsed.value->is_object() ||
      text_field(parsed.value->get_object(), "id").empty()) {
    co_return fail(ErrorKind::unavailable, "Managed Modal create did not return a sandbox id");
  }
  co_return read_sandbox(parsed.value->get_object());
}

Task<Result<GatewaySandbox>> GatewayClient::look(std::string sandbox) {
  const auto options = time_limits(kStartTime, kStartTime);
  const auto response = co_await send(request("GET", sandbox_path(sandbox)), options);
  if (!response) co_return fail(response.error());
  if (response->status == 404) co_return fail(ErrorKind::not_found, "the sandbox is gone");
  GatewaySandbox found = sandbox_of(response->body);
  if (response->status >= 400 || found.id.empty()) {
    co_return fail(ErrorKind::unavailable,
                   gateway_error("the gateway", response->status, response->body));
  }
  co_return found;
}

Task<ExecReply> GatewayClient::start(std::string sandbox, GatewayExec exec, Wait wait) {
  json::object body = std::move(exec.more);
  body["execId"] = exec.id;
  body["command"] = exec.command;
  body["session"] = false;  // sessions are ours
  body["timeoutMs"] = exec.timeout.count();
  if (!exec.cwd.empty()) body["cwd"] = exec.cwd;
  if (exec.stdin_data) body["stdinData"] = *exec.stdin_data;
  const auto options = time_limits(kStartTime, kStartTime + wait.value_or(milliseconds(0)));
  const auto response = co_await send(
      request("POST", sandbox_path(sandbox) + "/execs" + wait_query(wait), to_line(body)), options);
  if (!response) co_return unreachable(kExecFailed, response.error());
  if (response->status >= 400) {
    ExecReply reply = refused(gateway_error(kExecFailed, response->status, response->body));
    reply.no_sandbox = response->status == 404;
    co_return reply;
  }
  ExecReply reply = state_of(kExecFailed, *response);
  if (reply.kind != ExecReply::Kind::running) co_return reply;
  if (text_field(parse_json(response->body).value->get_object(), "execId") == exec.id)
    co_return reply;
  co_return nonsense("Managed Modal exec start did not return the expected exec id");
}

Task<ExecReply> GatewayClient::poll(std::string sandbox, std::string exec, Wait wait) {
  const auto options = time_limits(in_ms(config_.connect_seconds),
                                   in_ms(config_.poll_seconds) + wait.value_or(milliseconds(0)));
  const auto response =
      co_await send(request("GET", exec_path(sandbox, exec) + wait_query(wait)), options);
  if (!response) co_return unreachable(kPollFailed, response.error());
  if (response->status == 404) co_return refused("Managed Modal exec not found");
  if (response->status >= 400) {
    ExecReply reply = refused(gateway_error(kPollFailed, response->status, response->body));
    if (is_passing(response->status)) reply.kind = ExecReply::Kind::unavailable;
    co_return reply;
  }
  co_return state_of(kPollFailed, *response);
}

Task<void> GatewayClient::cancel(std::string sandbox, std::string exec) {
  const auto options = time_limits(in_ms(config_.connect_seconds), in_ms(config_.cancel_seconds));
  (void)co_await send(request("POST", exec_path(sandbox, exec) + "/cancel"), options);
}

Task<Result<void>> GatewayClient::terminate(std::string sandbox, bool snapshot) {
  const json::object body{{"snapshotBeforeTerminate", snapshot}};
  const auto options = time_limits(kTerminateTime, kTerminateTime);
  const auto response =
      co_await send(request("POST", sandbox_path(sandbox) + "/terminate", to_line(body)), options);
  if (!response) {
    co_return fail(response.error().kind(),
                   "Managed Modal cleanup failed: " + response.error().message());
  }
  co_return Result<void>();
}

Task<Result<http::HttpResponse>> GatewayClient::ask(std::string method, std::string sandbox,
                                                    std::string route, std::string body,
                                                    http::HttpChannel::Options options) {
  co_return co_await send(
      request(std::move(method), sandbox_path(sandbox) + "/" + route, std::move(body)),
      std::move(options));
}

}  // namespace talaria::environment::managed
