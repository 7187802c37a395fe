#include "environment/daytona/daytona_client.h"

#include <talaria/version.h>

#include <utility>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/sha256.h"
#include "environment/daytona/daytona_policy.h"
#include "http/url.h"
#include "json/json_text.h"

namespace talaria {
namespace {

using std::chrono::milliseconds;

constexpr auto kConnectTime = milliseconds(10'000);
constexpr auto kAnswerTime = milliseconds(60'000);
constexpr std::size_t kMaxAnswer = 8u << 20;
constexpr std::size_t kDigestShown = 16;
constexpr std::string_view kSource = "talaria";
constexpr unsigned kForbidden = 403;

std::string sandbox_path(const std::string& sandbox) {
  return "/sandbox/" + percent_encode(sandbox);
}

// Somebody may have put it there.
std::string without_key(std::string text, const Secret& key) {
  const std::string_view secret = key.view();
  if (secret.empty()) return text;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "***");
  }
  return text;
}

std::string hint_for(ErrorKind kind, unsigned status) {
  if (kind == ErrorKind::denied) {
    return ". Is DAYTONA_API_KEY right, and of the account that DAYTONA_API_URL is about?";
  }
  if (kind == ErrorKind::limit && status == kForbidden)
    return ". Sandboxes that nobody needs count, too: delete some.";
  return "";
}

}  // namespace

Result<std::shared_ptr<DaytonaClient>> DaytonaClient::make(DaytonaAccess access) {
  while (access.url.ends_with('/')) access.url.pop_back();
  auto url = parse_url(access.url);
  if (!url || url->target.contains('?')) {
    return fail(ErrorKind::bad_request, "DAYTONA_API_URL: '" + access.url + "' is no address" +
                                            (url ? "" : ": " + url.error().message()));
  }
  while (url->target.ends_with('/')) url->target.pop_back();
  return std::make_shared<DaytonaClient>(std::move(access), std::move(*url));
}

DaytonaClient::DaytonaClient(DaytonaAccess access, Url url)
    : access_(std::move(access)),
      url_(std::move(url)),
      channel_({.body_bytes = kMaxAnswer, .decoded_bytes = kMaxAnswer}, access_.ca_file) {}

std::string DaytonaClient::identity() const {
  return access_.url + " " + sha256_hex(access_.key.view()).substr(0, kDigestShown);
}

HttpRequest DaytonaClient::request(const Call& call) const {
  HttpRequest made{.method = call.method,
                   .url = url_,
                   .headers = {{"Authorization", "Bearer " + std::string(access_.key.view())},
                               {"Accept", "application/json"},
                               {"X-Daytona-Source", std::string(kSource)}},
                   .body = call.body,
                   .agent = std::string(kSource) + "/" + std::string(kVersion)};
  made.url.target += call.path;
  if (!call.body.empty()) made.headers.emplace_back("Content-Type", "application/json");
  return made;
}

Error DaytonaClient::refusal(const Call& call, unsigned status, std::string_view body) const {
  const std::string words = without_key(daytona_complaint(status, body), access_.key);
  const ErrorKind kind = daytona_error_kind(status, words);
  const std::string path = call.path.substr(0, call.path.find('?'));
  return Error(kind, "Daytona says to " + call.method + " " + path + " (HTTP " +
                         std::to_string(status) + "): " + words + hint_for(kind, status));
}

Error DaytonaClient::silence(const Call& call, const Error& error) const {
  const std::string path = call.path.substr(0, call.path.find('?'));
  return Error(ErrorKind::unavailable, "Daytona does not answer to " + call.method + " " + path +
                                           ": " + without_key(error.message(), access_.key));
}

Task<DaytonaClient::Answer> DaytonaClient::ask(Call call) {
  asio::steady_timer timer(co_await asio::this_coro::executor);
  Answer answer;
  for (int number = 1;; ++number) {
    DaytonaTry failed{.repeatable = call.repeatable, .number = number, .sent = false};
    const HttpChannel::Wish wish{.connect = kConnectTime,
                                 .answer = kAnswerTime,
                                 .repeatable = call.repeatable,
                                 .on_sending = [&failed] { failed.sent = true; }};
    auto response = co_await channel_.ask(request(call), wish);
    answer.status = response ? response->status : 0;
    if (response && response->status / 100 == 2) {
      answer.response = std::move(response);
      co_return answer;
    }
    failed.status = answer.status;
    if (response) failed.retry_after = response->retry_after;
    answer.response = fail(response ? refusal(call, response->status, response->body)
                                    : silence(call, response.error()));
    answer.may_be_done = answer.may_be_done || may_have_been_done(failed);
    const auto pause = pause_before_repeat(failed);
    if (!pause) co_return answer;
    timer.expires_after(*pause);
    co_await timer.async_wait(as_values);
  }
}

Task<Result<DaytonaFacts>> DaytonaClient::ask_for_facts(Call call) {
  const Answer answer = co_await ask(std::move(call));
  if (!answer.response) co_return fail(answer.response.error());
  co_return daytona_facts(answer.response->body);
}

Task<DaytonaCreated> DaytonaClient::create(json::object body) {
  constexpr unsigned kConflict = 409;
  const Answer answer = co_await ask(
      {.method = "POST", .path = "/sandbox", .body = to_line(body), .repeatable = false});
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
    created.error = facts.error();
  }
  co_return created;
}

Task<Result<DaytonaFacts>> DaytonaClient::get(std::string sandbox) {
  co_return co_await ask_for_facts({.method = "GET", .path = sandbox_path(sandbox)});
}

Task<Result<std::optional<DaytonaFacts>>> DaytonaClient::find(std::string task) {
  const std::string labels = percent_encode(to_line(daytona_labels(task)));
  const Answer answer =
      co_await ask({.method = "GET", .path = "/sandbox?labels=" + labels + "&limit=1"});
  if (!answer.response) co_return fail(answer.response.error());
  auto list = daytona_list(answer.response->body);
  if (!list) co_return fail(list.error());
  for (DaytonaFacts& facts : *list) {
    if (facts.task == task) co_return std::move(facts);
  }
  co_return std::nullopt;
}

Task<Result<DaytonaFacts>> DaytonaClient::start(std::string sandbox) {
  co_return co_await ask_for_facts({.method = "POST", .path = sandbox_path(sandbox) + "/start"});
}

Task<Result<void>> DaytonaClient::stop(std::string sandbox) {
  const Answer answer =
      co_await ask({.method = "POST", .path = sandbox_path(sandbox) + "/stop?force=false"});
  if (!answer.response) co_return fail(answer.response.error());
  co_return Result<void>();
}

Task<Result<void>> DaytonaClient::remove(std::string sandbox) {
  const Answer answer = co_await ask({.method = "DELETE", .path = sandbox_path(sandbox)});
  if (!answer.response) co_return fail(answer.response.error());
  co_return Result<void>();
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

}  // namespace talaria
