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
#include "runner/supervisor.h"

namespace talaria::runner {

struct RequestContext {
  Supervisor& supervisor;
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

Result<Begun> begin_start(const RequestContext& context, std::string_view body);
Result<Begun> begin_wait(const RequestContext& context, std::string_view body);
Result<Begun> begin_kill(const RequestContext& context, std::string_view body);
Result<Begun> begin_read(const RequestContext& context, std::string_view body);
Result<Begun> begin_write(const RequestContext& context, std::string_view body);
Result<Begun> begin_resize(const RequestContext& context, std::string_view body);
Result<Begun> begin_events(const RequestContext& context, std::string_view body);
Result<std::string> acknowledge_events(Supervisor& supervisor, std::string_view body);
Result<Begun> begin_login(const RequestContext& context, std::string_view body);
Result<Begun> begin_script_calls(const RequestContext& context, std::string_view body);
Result<Begun> begin_script_answer(const RequestContext& context, std::string_view body);

}  // namespace talaria::runner
