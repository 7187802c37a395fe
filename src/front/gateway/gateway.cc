#include "front/gateway/gateway.h"

#include <talaria/home.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <utility>

#include <boost/asio/ip/address.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "base/result.h"
#include "base/text.h"
#include "base/wall_time.h"
#include "front/gateway/limits.h"
#include "front/gateway/routes.h"
#include "front/random_name.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr std::size_t kLongestRequestId = 128;

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::bad_request:
      return 400;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::denied:
      return 409;
    case ErrorKind::timed_out:
      return 504;
    case ErrorKind::limit:
      return 429;
    case ErrorKind::unavailable:
    case ErrorKind::interrupted:
      return 503;
    case ErrorKind::runner_lost:
      return 502;
    case ErrorKind::system:
      break;
  }
  return 500;
}

bool is_plain_id(std::string_view text) {
  return !text.empty() && text.size() <= kLongestRequestId &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127 && c != '"'; });
}

// "name", "name:port" or "[address]:port", without the port.
std::string_view host_name(std::string_view host) {
  if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
  return host.substr(0, host.find(':'));
}

}  // namespace

ServedResponse json_response(int status, const json::value& value) {
  return {.status = status, .body = to_line(value)};
}

ServedResponse error_response(int status, std::string_view message) {
  ServedResponse response = json_response(status, json::object{{"error", message}});
  if (status == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  if (status == 429) response.headers.emplace_back("Retry-After", "1");
  return response;
}

ServedResponse error_response(const Error& error) {
  return error_response(status_of(error.kind()), error.message());
}

namespace {

// True while this lives.
class Marked {
 public:
  explicit Marked(bool& mark) : mark_(mark) { mark_ = true; }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;
  ~Marked() { mark_ = false; }

 private:
  bool& mark_;
};

// "POST or DELETE" of "POST, DELETE".
std::string with_or(std::string methods) {
  const std::size_t comma = methods.rfind(", ");
  return comma == std::string::npos ? methods : methods.replace(comma, 1, " or");
}

// The message of error_response(); "" of any other response.
std::string reason_of(const ServedResponse& response) {
  boost::system::error_code flaw;
  const json::value body = json::parse(response.body, flaw);
  return flaw || !body.is_object() ? "" : text_field(body.get_object(), "error");
}

}  // namespace

Gateway::Gateway(AsioRuntime& runtime, GatewayOptions options, Log log)
    : runtime_(runtime),
      options_(std::move(options)),
      log_(std::move(log)),
      sandboxes_(runtime),
      approvals_(runtime),
      tokens_(options_.home),
      metrics_(options_.target) {}

Result<bool> Gateway::has_tokens() {
  const auto list = tokens_.list();
  if (!list) return fail(list.error());
  return !list->empty();
}

Task<Result<void>> Gateway::reach_target() {
  const bool silent = reached_ && !*reached_ && reached_->error().kind() == ErrorKind::timed_out;
  const bool recent = Clock::now() - reached_at_ < (silent ? kSilentFor : kReachedFor);
  if (reached_ && (recent || reaching_)) co_return Result<void>(*reached_);
  if (reaching_) co_return fail(ErrorKind::unavailable, "it was asked and has not answered yet");
  const Marked marked(reaching_);
  Result<void> reached = co_await runtime_.reach();
  reached_ = reached;
  reached_at_ = Clock::now();
  co_return reached;
}

void Gateway::stop() {
  stopping_ = true;
  sandboxes_.stop_waiting();
  for (AsyncEvent* const event : waiting_) event->notify_all();
}

bool Gateway::is_our_name(std::string_view host) const {
  const std::string name = lower_case(host_name(host));
  if (name == "localhost") return true;
  boost::system::error_code error;
  boost::asio::ip::make_address(name, error);
  return !error || std::ranges::find(options_.hosts, name) != options_.hosts.end();
}

// localhost, a loopback address or one of our names. Unlike a host, not any address.
bool Gateway::is_our_origin(std::string_view origin) const {
  const std::size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos) return false;
  const std::string name = lower_case(host_name(origin.substr(scheme + 3)));
  if (name == "localhost" || std::ranges::find(options_.hosts, name) != options_.hosts.end()) {
    return true;
  }
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(name, error);
  return !error && address.is_loopback();
}

// Rejects requests of web pages, also after DNS rebinding. Only MCP clients may be pages, of this
// machine or of our own names.
Result<void> Gateway::check_origin(const ServedRequest& request) const {
  const bool may_be_page = request.path == kMcpPath && is_our_origin(request.header("origin"));
  if (request.headers.contains("origin") && !may_be_page) {
    return fail(ErrorKind::denied, "requests from web pages are not accepted");
  }
  const std::string host = request.header("host");
  const bool local = request.remote == "unix";
  if (!local && !is_our_name(host)) {
    return fail(ErrorKind::denied,
                "'" + sanitize_utf8(host) +
                    "' is not a host name of this gateway; talaria serve --host NAME adds one");
  }
  return {};
}

std::optional<ServedResponse> Gateway::too_many(const TokenInfo& token) {
  Use& use = uses_[token.id];
  if (use.under_way >= options_.requests_per_token) {
    return error_response(429, std::to_string(use.under_way) +
                                   " requests with this token are under way, which is the limit of "
                                   "a token: wait until one has ended");
  }
  const auto rate = static_cast<double>(token.scope.requests_per_minute);
  if (rate == 0) return std::nullopt;
  const auto now = Clock::now();
  const double passed = std::chrono::duration<double>(now - use.counted).count();
  const bool is_new = use.rate != rate;  // the first request, or the first since a change
  use.allowed = is_new ? rate : std::min(rate, use.allowed + passed * rate / 60);
  use.rate = rate;
  use.counted = now;
  if (use.allowed >= 1) {
    use.allowed -= 1;
    return std::nullopt;
  }
  const std::string seconds = std::to_string(1 + static_cast<int>((1 - use.allowed) * 60 / rate));
  ServedResponse response =
      error_response(429, "this token allows " + std::to_string(token.scope.requests_per_minute) +
                              " requests per minute: try again in " + seconds +
                              " s. The operator can raise the limit: talaria token limit " +
                              token.name + " --rate COUNT, or gateway.rate for all tokens");
  response.headers.back().second = seconds;  // Retry-After
  return response;
}

std::optional<Error> Gateway::refusal(GatewayCall& call) {
  const auto response = check_token(call);
  if (!response) return std::nullopt;
  const ErrorKind kind = response->status == 429  ? ErrorKind::limit
                         : response->status < 500 ? ErrorKind::denied
                                                  : ErrorKind::unavailable;
  return Error(kind, reason_of(*response));
}

// Everything that can be said before the body is here.
Gateway::Admission Gateway::admit(GatewayCall& call) {
  if (const auto fine = check_origin(call.request); !fine) {
    return {.refused = Answered{error_response(403, fine.error().message())}};
  }
  const FoundRoute found = find_route(call);
  if (found.allowed.empty())
    return {.refused = Answered{error_response(404, "unknown path; see /openapi.json")}};
  if (!found.route) {
    ServedResponse response = error_response(
        405, call.request.method + " is not allowed here; use " + with_or(found.allowed));
    response.headers.emplace_back("Allow", found.allowed);
    return {.refused = Answered{std::move(response)}};
  }
  Admission admission{.route = found.route};
  if (found.route->open) return admission;
  if (auto refused = check_token(call)) {
    admission.refused = Answered{std::move(*refused), found.route->pattern};
  }
  return admission;
}

std::optional<ServedResponse> Gateway::check_token(GatewayCall& call) {
  const std::string header = call.request.header("authorization");
  if (header.size() <= kBearer.size() || lower_case(header.substr(0, kBearer.size())) != kBearer) {
    return error_response(
        401,
        "a token is required: Authorization: Bearer TOKEN (talaria token add NAME "
        "prints one)");
  }
  auto token = tokens_.find(trim(std::string_view(header).substr(kBearer.size())));
  if (!token && token.error().kind() == ErrorKind::not_found) {
    return error_response(401, "invalid or revoked token");
  }
  if (!token) return error_response(token.error());
  call.token = std::move(*token);
  const bool may_approve = call.token.scope.approve && call.request.connection >= 0;
  call.from_command = may_approve && Home::comes_from_command(call.request.connection);
  if (call.from_command) call.token.scope.approve = false;
  const std::vector<std::string>& targets = call.token.scope.targets;
  if (!targets.empty() && std::ranges::find(targets, options_.target) == targets.end()) {
    return error_response(403, "this token is not valid for target " + options_.target);
  }
  call.token.scope = sandboxes_.with_limits(std::move(call.token.scope));
  return too_many(call.token);
}

Reception Gateway::receive(const ServedRequest& head) {
  const auto begun = Clock::now();
  const auto call = std::make_shared<GatewayCall>(GatewayCall{.request = head});
  call->request_id = head.header("x-request-id");
  if (!is_plain_id(call->request_id)) call->request_id = "req_" + random_name();
  Admission admission = admit(*call);
  if (admission.refused) {
    return {.refusal = finish(*call, std::move(*admission.refused), begun)};
  }
  const bool has_token = !admission.route->open;
  const auto under_way =
      has_token ? std::make_shared<UnderWay>(uses_[call->token.id].under_way) : nullptr;
  return {.answer =
              [this, begun, call, route = admission.route, under_way](ServedRequest request) {
                call->request = std::move(request);
                return answer(call, *route, under_way, begun);
              },
          .authenticated = has_token};
}

Task<ServedResponse> Gateway::answer(std::shared_ptr<GatewayCall> call, const Route& route,
                                     std::shared_ptr<UnderWay> under_way, Clock::time_point begun) {
  Answered answered;
  std::string thrown;
  try {
    answered = {co_await route.handler(*this, *call), route.pattern};
  } catch (...) {
    thrown = exception_text(std::current_exception());
  }
  if (!thrown.empty()) {
    log_(to_line(json::object{{"level", "error"},
                              {"request_id", call->request_id},
                              {"message", "internal error: " + thrown + " (a bug in Talaria)"}}));
    answered = {error_response(500, "internal error; see the log of the gateway")};
  }
  under_way.reset();
  co_return finish(*call, std::move(answered), begun);
}

ServedResponse Gateway::finish(const GatewayCall& call, Answered answered,
                               Clock::time_point begun) {
  answered.response.headers.emplace_back("X-Request-Id", call.request_id);
  answered.response.headers.emplace_back("Cache-Control", "no-store");
  const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  if (answered.response.status == 401 && call.request.path == kMcpPath) {
    std::erase_if(answered.response.headers,
                  [](const auto& one) { return one.first == "WWW-Authenticate"; });
    answered.response.headers.emplace_back("WWW-Authenticate", mcp_challenge(*this, call));
  }
  metrics_.served(answered.route == "none" ? "any" : std::string_view(call.request.method),
                  answered.route, answered.response.status, duration);
  write_log(call, answered, duration);
  return std::move(answered.response);
}

void Gateway::write_log(const GatewayCall& call, const Answered& answered,
                        std::chrono::microseconds duration) {
  const int status = answered.response.status;
  if (options_.log == GatewayLog::off) return;
  if (options_.log == GatewayLog::errors && status < 500) return;
  json::object line{{"time", utc_time_ms(std::chrono::system_clock::now())},
                    {"level", status >= 500 ? "error" : "info"},
                    {"request_id", call.request_id},
                    {"method", sanitize_utf8(first_bytes(call.request.method, 16))},
                    {"route", answered.route},
                    {"status", status},
                    {"duration_ms", static_cast<double>(duration.count()) / 1000},
                    {"remote", call.request.remote}};
  if (!call.token.name.empty()) {
    line["user"] = call.token.user;
    line["token"] = call.token.name;
  }
  if (!call.sandbox.empty()) line["sandbox"] = sanitize_utf8(call.sandbox);
  if (!call.exec.empty()) line["exec"] = sanitize_utf8(call.exec);
  if (status >= 500) line["error"] = reason_of(answered.response);
  log_(to_line(line));
}

void Gateway::log_broken_request(int status, const std::string& remote) {
  metrics_.served("any", "none", status, std::chrono::microseconds(0));
  if (options_.log != GatewayLog::all) return;
  log_(to_line(json::object{{"time", utc_time_ms(std::chrono::system_clock::now())},
                            {"level", "info"},
                            {"status", status},
                            {"remote", remote}}));
}

std::string Gateway::metrics_text() const {
  const SandboxCounts counts = sandboxes_.counts();
  const HttpTotals totals = server_ ? server_->totals() : HttpTotals();
  const PoolTotals pool = runtime_.pool_totals();
  const auto as_double = [](std::uint64_t number) { return static_cast<double>(number); };
  std::uint64_t descriptors = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator fd("/proc/self/fd", error), end; !error && fd != end;
       fd.increment(error)) {
    ++descriptors;
  }
  return metrics_.text({
      {"talaria_gateway_sandboxes", "Live sandboxes.", as_double(counts.sandboxes)},
      {"talaria_gateway_execs", "Commands that have not ended.", as_double(counts.execs)},
      {"talaria_gateway_execs_queued", "Commands that have not started.", as_double(counts.queued)},
      {"talaria_gateway_pool_size", "Containers that are to wait for a task.",
       as_double(pool.size)},
      {"talaria_gateway_pool_waiting", "Containers that wait for a task.", as_double(pool.waiting)},
      {"talaria_gateway_pool_taken_total", "Tasks that got a container that waited.",
       as_double(pool.taken), true},
      {"talaria_gateway_pool_missed_total", "Tasks that found no container that waited.",
       as_double(pool.missed), true},
      {"talaria_gateway_pool_failed_total", "Containers for tasks that could not be made.",
       as_double(pool.failed), true},
      {"talaria_gateway_connections", "Open connections.", as_double(totals.open)},
      {"talaria_gateway_connections_total", "Accepted connections.", as_double(totals.accepted),
       true},
      {"talaria_gateway_connections_refused_total", "Refused connections.",
       as_double(totals.refused), true},
      {"talaria_gateway_received_bytes_total", "Bytes received.", as_double(totals.bytes_in), true},
      {"talaria_gateway_sent_bytes_total", "Bytes sent.", as_double(totals.bytes_out), true},
      {"process_open_fds", "Open file descriptors.", as_double(descriptors)},
  });
}

}  // namespace talaria::front::gateway
