// RunnerLink: one connection to a controller, served. It moves bytes between a socket and a
// Connection, and keeps its requests (request/) going until they are answered.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "link/connection.h"
#include "runner/request/open_request.h"
#include "runner/runner_parts.h"

namespace talaria::runner {

class RunnerLink final : public RunObserver,
                         public EventFollower,
                         public std::enable_shared_from_this<RunnerLink> {
 public:
  using Socket = asio::local::stream_protocol::socket;

  RunnerLink(RunnerParts& parts, Socket socket, link::ConnectionKey key,
             std::function<void(link::ConnectionKey)> close_other);
  ~RunnerLink() override;

  Task<void> serve();
  void close(link::CloseReason reason, const std::string& message);

  void event_added() override;
  void run_changed(Run& run) override { progress_all(run); }
  void output_grew(Run& run, std::string_view bytes) override;
  void run_handed_over(Run& run) override { progress_all(run); }
  void run_finished(Run& run) override;
  std::optional<std::uint64_t> lossless_cursor(const Run& run) const override;

 private:
  void leave_batch();
  void take_events();
  void on_hello(const link::ClientHello& hello);
  void on_request(const link::Request& request);
  void on_writable(const link::Writable& writable);
  void on_data(const link::Data& data);
  void on_data_end(const link::DataEnd& end);

  Result<Begun> begin(const link::Request& request);
  void open(link::ExchangeId id, std::unique_ptr<OpenRequest> request);
  void progress(link::ExchangeId id);
  void answer(link::ExchangeId id, const Result<std::string>& body);
  void forget(link::ExchangeId id);
  void progress_all(const Run& run);
  void progress_events();

  void flush();
  void end_batch_if_said();

  RunnerParts& parts_;
  Socket socket_;
  link::ConnectionKey key_;
  std::function<void(link::ConnectionKey)> close_other_;
  link::Connection connection_;
  std::optional<link::LinkId> link_;
  std::map<link::ExchangeId, std::unique_ptr<OpenRequest>> open_;
  asio::steady_timer patience_;
  std::uint32_t batch_ms_ = 0;
  bool peer_finished_ = false;
  bool said_something_ = false;
  bool writing_ = false;
  bool in_events_ = false;
  bool follows_events_ = false;
};

}  // namespace talaria::runner
