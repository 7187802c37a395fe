#include "environment/daytona/daytona_client.h"

#include <talaria/version.h>

#include <utility>

#include <boost/algorithm/string/replace.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/sha256.h"
#include "base/text.h"
#include "environment/daytona/daytona_policy.h"
#include "http/url.h"
#include "json/json_text.h"

namespace talaria::environment::daytona {
namespace {

using std::chrono::milliseconds;

constexpr auto kConnectTime = milliseconds(10'000);
constexpr auto kAnswerTime = milliseconds(60'000);
constexpr std::size_t kMaxAnswer = 8u << 20;
constexpr std::string_view kSource = "talaria";
constexpr unsigned kUnauthorized = 401;
constexpr unsigned kForbidden = 403;
constexpr unsigned kNotFound = 404;
constexpr unsigned kConflict = 409;
constexpr std::size_t kShownNonsense = 200;

std::string sandbox_path(const std::string& sandbox) {
  return "/sandbox/" + http::percent_encode(sandbox);
}

// An answer may contain it.
std::string without_key(std::string text, const Secret& key) {
  if (!key.empty()) boost::algorithm::replace_all(text, key.view(), "***");
  return text;
}

std::string hint_for(ErrorKind kind, unsigned status) {
  if (kind == ErrorKind::limit && status == kForbidden)
    return ". Unused sandboxes count, too: delete some.";
  if (status == kUnauthorized || status == kForbidden) {
    return ". Is DAYTONA_API_KEY right, and of the account that DAYTONA_API_URL is about?";
  }
  return "";
}

std::string name_of(const std::string& method, const std::string& path) {
  return method + " " + path.substr(0, path.find('?'));
}

}  // namespace

Result<std::shared_ptr<DaytonaClient>> DaytonaClient::make(DaytonaConfig config) {
  while (config.url.ends_with('/')) config.url.pop_back();
  auto url = http::parse_url(config.url);
  if (!url || url->target.contains('?')) {
    return fail(ErrorKind::bad_request, "DAYTONA_API_URL: '" + config.url + "' is not a URL" +
                                            (url ? "" : ": " + url.error().message()));
  }
  while (url->target.ends_with('/')) url->target.pop_back();
  return std::make_shared<DaytonaClient>(std::move(config), std::move(*url));
}

DaytonaClient::DaytonaClient(DaytonaConfig config, http::Url url)
    : config_(std::move(config)),
      url_(std::move(url)),
      channel_({.body_bytes = kMaxAnswer, .decoded_bytes = kMaxAnswer}) {}

std::string DaytonaClient::identity() const {
  return config_.url + " " + sha256_hex(config_.key.view()).substr(0, kDigestShown);
}

http::HttpRequest DaytonaClient::request(const Call& call) const {
  http::HttpRequest made{.method = call.method,
                         .url = url_,
                         .headers = {{"Authorization", "Bearer " + std::string(config_.key.view())},
                                     {"Accept", "application/json"},
                                     {"X-Daytona-Source", std::string(kSource)}},
                         .body = call.body,
                         .agent = std::string(kSource) + "/" + std::string(kVersion)};
  made.url.target += call.path;
  if (!call.body.empty()) made.headers.emplace_back("Content-Type", "application/json");
  return made;
}

Error DaytonaClient::refusal(const Call& call, const http::HttpResponse& response) const {
  const unsigned status = response.status;
  // What stands before the API, or in its place, knows nothing of sandboxes.
  if (status / 100 == 3 || (status == kNotFound && !is_daytonas(response.body))) {
    return nonsense(call, response);
  }
  const std::string message = without_key(daytona_complaint(status, response.body), config_.key);
  const ErrorKind kind = daytona_error_kind(status, message);
  return Error(kind, "Daytona says to " + name_of(call.method, call.path) + " (HTTP " +
                         std::to_string(status) + "): " + message + hint_for(kind, status));
}

// Most often the address is not the API's.
Error DaytonaClient::nonsense(const Call& call, const http::HttpResponse& response) const {
  const std::string answer = response.location.empty()
                                 ? daytona_complaint(response.status, response.body)
                                 : "it is at " + sanitize_utf8(response.location);
  const std::string shown(first_bytes(without_key(answer, config_.key), kShownNonsense));
  return Error(
      ErrorKind::unavailable,
      config_.url + " returned an unexpected answer to " + name_of(call.method, call.path) +
          " (HTTP " + std::to_string(response.status) + "): " + shown +
          ". Check that DAYTONA_API_URL is the address of Daytona's API and ends with /api");
}

Error DaytonaClient::silence(const Call& call, const Error& error) const {
  return Error(ErrorKind::unavailable,
               "Daytona at " + config_.url + " did not answer (" + name_of(call.method, call.path) +
                   "): " + without_key(error.message(), config_.key) + ". Check DAYTONA_API_URL");
}

Task<DaytonaClient::Answer> DaytonaClient::ask(Call call) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  Answer answer;
  for (int number = 1;; ++number) {
    DaytonaTry failed{.repeatable = call.repeatable, .number = number, .sent = false};
    const http::HttpChannel::Options options{.connect = kConnectTime,
                                             .answer = kAnswerTime,
                                             .repeatable = call.repeatable,
                                             .on_sending = [&failed] { failed.sent = true; }};
    auto response = co_await channel_.ask(request(call), options);
    answer.status = response ? response->status : 0;
    if (response && response->status / 100 == 2) {
      answer.response = std::move(response);
      co_return answer;
    }
    failed.status = answer.status;
    if (response) failed.retry_after = response->retry_after;
    answer.response = fail(response ? refusal(call, *response) : silence(call, response.error()));
    answer.may_be_done = answer.may_be_done || may_have_been_done(failed);
    const auto pause = pause_before_repeat(failed);
    if (!pause) co_return answer;
    timer.expires_after(*pause);
    co_await timer.async_wait(as_values);
  }
}

Task<Result<DaytonaFacts>> DaytonaClient::ask_for_facts(Call call) {
  const Answer answer = co_await ask(call);
  if (!answer.response) co_return fail(answer.response.error());
  auto facts = daytona_facts(answer.response->body);
  if (!facts) co_return fail(nonsense(call, *answer.response));
  co_return std::move(*facts);
}

Task<DaytonaCreated> DaytonaClient::create(json::object body) {
  const Call call{.method = "POST", .path = "/sandbox", .body = to_line(body), .repeatable = false};
  const Answer answer = co_await ask(call);
  DaytonaCreated created;
  if (!answer.response) {
    created.taken = answer.status == kConflict;
    created.unsure = answer.may_be_done;
    created.error = answer.response.error();
    co_return created;
  }
  auto facts = daytona_facts(answer.response->body);
  created.unsure = !facts;
  if (facts) {
    created.sandbox = std::move(*facts);
  } else {
    created.error = nonsense(call, *answer.response);
  }
  co_return created;
}

Task<Result<DaytonaFacts>> DaytonaClient::get(std::string sandbox) {
  co_return co_await ask_for_facts({.method = "GET", .path = sandbox_path(sandbox)});
}

Task<Result<std::optional<DaytonaFacts>>> DaytonaClient::find(std::string task) {
  const std::string labels = http::percent_encode(to_line(daytona_labels(task)));
  const Call call{.method = "GET", .path = "/sandbox?labels=" + labels + "&limit=1"};
  const Answer answer = co_await ask(call);
  if (!answer.response) co_return fail(answer.response.error());
  auto list = daytona_list(answer.response->body);
  if (!list) co_return fail(nonsense(call, *answer.response));
  for (DaytonaFacts& facts : *list) {
    if (facts.task == task) co_return std::move(facts);
  }
  co_return std::nullopt;
}

Task<Result<DaytonaFacts>> DaytonaClient::start(std::string sandbox) {
  co_return co_await ask_for_facts({.method = "POST", .path = sandbox_path(sandbox) + "/start"});
}

Task<Result<void>> DaytonaClient::command(Call call) {
  const Answer answer = co_await ask(std::move(call));
  if (!answer.response) co_return fail(answer.response.error());
  co_return Result<void>();
}

Task<Result<void>> DaytonaClient::stop(const std::string& sandbox) {
  return command({.method = "POST", .path = sandbox_path(sandbox) + "/stop?force=false"});
}

Task<Result<void>> DaytonaClient::remove(const std::string& sandbox) {
  return command({.method = "DELETE", .path = sandbox_path(sandbox)});
}

Task<Result<std::string>> DaytonaClient::toolbox(std::string sandbox) {
  const Answer answer =
      co_await ask({.method = "GET", .path = sandbox_path(sandbox) + "/toolbox-proxy-url"});
  if (!answer.response) co_return fail(answer.response.error());
  const auto said = parse_object(answer.response->body, "where Daytona's daemons are");
  if (!said) co_return fail(said.error());
  const json::value* const url = said->if_contains("url");
  std::string found(url && url->is_string() ? std::string_view(url->get_string()) : "");
  while (found.ends_with('/')) found.pop_back();
  co_return found;
}

Task<Result<std::string>> DaytonaClient::daemon(DaytonaFacts facts) {
  if (facts.toolbox.empty()) {
    auto said = co_await toolbox(facts.id);
    if (!said) co_return fail(said.error());
    facts.toolbox = std::move(*said);
  }
  const auto url = http::parse_url(facts.toolbox);
  if (!url) {
    co_return fail(ErrorKind::unavailable,
                   "Daytona does not say where the daemon of the sandbox " + facts.name + " is");
  }
  if (url_.secure() && !url->secure()) {
    co_return fail(ErrorKind::unavailable, "Daytona wants the key to be sent to " + url->host +
                                               " without encryption; it is not");
  }
  co_return facts.toolbox + "/" + http::percent_encode(facts.id);
}

}  // namespace talaria::environment::daytona
