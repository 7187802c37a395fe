// OpenRequest: a controller's request that is not answered yet. Most are about one run; others are
// about events, or files. One file per method here; RunnerLink makes them, notifies them, and sends
// their answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "link/connection.h"
#include "link/edit_messages.h"
#include "link/file_messages.h"
#include "link/runner_event.h"
#include "link/script_messages.h"
#include "link/search_messages.h"
#include "runner/runner_parts.h"

namespace talaria::runner {

struct RequestContext {
  RunnerParts& parts;
  link::Connection& connection;
  link::LinkId link;
  link::ExchangeId id = 0;
  // Makes the request progress, for what happens outside the link. May outlive it.
  std::function<void()> wake;
};

class OpenRequest {
 public:
  OpenRequest(const RequestContext& context, std::shared_ptr<Run> run)
      : connection_(context.connection), id_(context.id), run_(std::move(run)) {}
  virtual ~OpenRequest() = default;
  OpenRequest(const OpenRequest&) = delete;
  OpenRequest& operator=(const OpenRequest&) = delete;

  // Sends what can be sent, and returns the answer as soon as it is complete.
  virtual std::optional<Result<std::string>> progress() = 0;

  // The request's own data. An error is its answer.
  virtual Result<void> take_data(const link::Data&) { return {}; }
  virtual void data_ended(const link::DataEnd&) {}

  // The controller has everything before `cursor`, and may have made room for more.
  virtual void reader_at(std::uint64_t) {}

  // It has work to do by itself, a bit at each progress().
  virtual bool wants_turn() const { return false; }
  virtual bool follows_events() const { return false; }

  // Its batch is over, and it was not answered: it comes again with the next one. Nothing more is
  // sent from here.
  virtual void batch_ended() {}

  virtual bool streams_output() const { return false; }
  // Where its reader stands, if it must not lose a byte.
  virtual std::optional<std::uint64_t> lossless_cursor() const { return std::nullopt; }

  // Null if it is about none.
  const std::shared_ptr<Run>& run() const { return run_; }
  // The controller was sent something; a batch has something to carry back.
  bool said_something() const { return said_something_; }

 protected:
  link::Connection& connection_;
  link::ExchangeId id_;
  std::shared_ptr<Run> run_;
  bool said_something_ = false;
};

// A request is answered at once, or stays open.
using Begun = std::variant<std::string, std::unique_ptr<OpenRequest>>;

// Decodes the request and calls the function of its method.
Result<Begun> begin_request(const RequestContext& context, link::Method method,
                            std::string_view body);

Result<Begun> begin_request(const RequestContext& context, link::Start start);
Result<Begun> begin_request(const RequestContext& context, const link::Wait& wait);
Result<Begun> begin_request(const RequestContext& context, const link::Kill& kill);
Result<Begun> begin_request(const RequestContext& context, const link::Read& read);
Result<Begun> begin_request(const RequestContext& context, const link::Write& write);
Result<Begun> begin_request(const RequestContext& context, const link::Events& events);
Result<Begun> begin_request(const RequestContext& context, const link::Acknowledge& acknowledge);
Result<Begun> begin_request(const RequestContext& context, const link::Login& login);
Result<Begun> begin_request(const RequestContext& context, const link::StatFile& stat);
Result<Begun> begin_request(const RequestContext& context, const link::ReadFile& read);
Result<Begun> begin_request(const RequestContext& context, const link::ReadLines& wanted);
Result<Begun> begin_request(const RequestContext& context, link::SearchFiles query);
Result<Begun> begin_request(const RequestContext& context, const link::LocateFile& wanted);
Result<Begun> begin_request(const RequestContext& context, const link::ChangeFiles& changes);
Result<Begun> begin_request(const RequestContext& context, const link::WriteFile& piece);
Result<Begun> begin_request(const RequestContext& context, const link::RemoveFiles& remove);
Result<Begun> begin_request(const RequestContext& context, const link::ListFiles& list);
Result<Begun> begin_request(const RequestContext& context, const link::ScriptCalls& calls);
Result<Begun> begin_request(const RequestContext& context, const link::ScriptAnswer& part);

}  // namespace talaria::runner
