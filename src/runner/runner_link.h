// RunnerLink: one connection to a controller, served. It moves bytes between a socket and a
// Connection, and turns requests into calls of the Supervisor.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/task.h"
#include "link/connection.h"
#include "runner/supervisor.h"

namespace talaria {

class RunnerLink final : public RunWatcher, public std::enable_shared_from_this<RunnerLink> {
 public:
  using Socket = asio::local::stream_protocol::socket;

  RunnerLink(Supervisor& supervisor, Socket socket, ConnectionKey key,
             std::function<void(ConnectionKey)> close_other);
  ~RunnerLink() override;

  Task<void> serve();
  void close(CloseReason reason, const std::string& message);

  void output_grew(Run& run) override;
  void run_finished(Run& run) override;
  void input_moved(Run& run) override;
  std::optional<std::uint64_t> lossless_cursor(const Run& run) const override;

 private:
  // A request that is not answered yet.
  struct Open {
    Method method{};
    std::shared_ptr<Run> run;
    std::uint64_t cursor = 0;  // of the next output byte to send, or input byte to take
    std::uint64_t taken = 0;   // the requester has everything before
    bool streams = false;
    bool follow = false;
    std::uint64_t until = UINT64_MAX;
    std::uint64_t lost = 0;
    bool beyond_credit = false;  // a gap leads further than the requester allows
    std::uint64_t head_limit = 0;
    std::uint64_t tail_limit = 0;
    bool ends_input = false;
    std::optional<std::uint64_t> input_end;
  };

  void take_events();
  void on_hello(const ClientHello& hello);
  void on_request(Request request);
  void on_writable(const Writable& writable);
  void on_data(const Data& data);
  void on_data_end(const DataEnd& end);

  Result<void> begin_start(ExchangeId id, std::string_view body);
  Result<void> begin_wait(ExchangeId id, std::string_view body);
  Result<void> begin_kill(ExchangeId id, std::string_view body);
  Result<void> begin_read(ExchangeId id, std::string_view body);
  Result<void> begin_write(ExchangeId id, std::string_view body);
  Result<void> answer_now(ExchangeId id, Method method, std::string_view body);

  void open(ExchangeId id, Open entry);
  void progress(ExchangeId id);  // sends what can be sent, answers if it is complete
  void send_output(ExchangeId id, Open& entry);
  void answer_end(ExchangeId id, const Open& entry);
  void answer(ExchangeId id, const Result<std::string>& body);
  void forget(ExchangeId id);
  void progress_all(const Run& run);

  void flush();
  void end_batch_if_said();

  Supervisor& supervisor_;
  Socket socket_;
  ConnectionKey key_;
  std::function<void(ConnectionKey)> close_other_;
  Connection connection_;
  std::optional<LinkId> link_;
  std::map<ExchangeId, Open> open_;
  asio::steady_timer patience_;
  std::uint32_t batch_ms_ = 0;
  bool peer_finished_ = false;
  bool said_something_ = false;
  bool writing_ = false;
  bool in_events_ = false;
};

}  // namespace talaria
