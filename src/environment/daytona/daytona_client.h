// DaytonaClient: the part of Daytona's API that makes, starts, stops and removes sandboxes.
// Requests that may be repeated are (daytona_policy.h). Errors name the request and quote the
// vendor's message; `limit`: a quota, `not_found`: there is no such sandbox, `unavailable`: also a
// key without permission (`denied` would mean our own policy).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "base/task.h"
#include "environment/daytona/daytona_messages.h"
#include "http/channel.h"

namespace talaria::environment::daytona {

// The result of a request to make one.
struct DaytonaCreated {
  std::optional<DaytonaFacts> sandbox;
  bool taken = false;   // else: there is one with that name
  bool unsure = false;  // else: it may have been made all the same
  std::optional<Error> error;
};

inline constexpr std::size_t kDigestShown = 16;  // digits of a digest in a name

class DaytonaClient {
 public:
  // An error: the URL is invalid.
  static Result<std::shared_ptr<DaytonaClient>> make(DaytonaConfig config);

  // Sent once: look for its name before sending it again. `*this` must outlive it, here and below.
  Task<DaytonaCreated> create(json::object body);

  // By id or by name.
  Task<Result<DaytonaFacts>> get(std::string sandbox);
  // The first one of the task, by its label.
  Task<Result<std::optional<DaytonaFacts>>> find(std::string task);
  // Begins the start; get() returns its progress.
  Task<Result<DaytonaFacts>> start(std::string sandbox);
  Task<Result<void>> stop(const std::string& sandbox);
  Task<Result<void>> remove(const std::string& sandbox);
  // The URL of its daemon; an error: not one that a key may be sent to.
  Task<Result<std::string>> daemon(DaytonaFacts facts);

  const DaytonaConfig& config() const { return config_; }
  // Identifies the account; the key cannot be read from it.
  std::string identity() const;

  DaytonaClient(DaytonaConfig config, http::Url url);

 private:
  struct Call {
    std::string method;
    std::string path;  // below the API's
    std::string body = {};
    bool repeatable = true;
  };
  struct Answer {
    Result<http::HttpResponse> response;  // a good one
    unsigned status = 0;                  // of the last one; 0: there was none
    bool may_be_done = false;             // of one that is not repeatable
  };

  Task<Answer> ask(Call call);
  Task<Result<void>> command(Call call);
  http::HttpRequest request(const Call& call) const;
  Error refusal(const Call& call, const http::HttpResponse& response) const;
  Error silence(const Call& call, const Error& error) const;
  Error nonsense(const Call& call, const http::HttpResponse& response) const;
  Task<Result<std::string>> toolbox(std::string sandbox);
  Task<Result<DaytonaFacts>> ask_for_facts(Call call);

  DaytonaConfig config_;
  http::Url url_;
  http::HttpChannel channel_;
};

}  // namespace talaria::environment::daytona
