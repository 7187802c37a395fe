#include "front/gateway/http/http_server.h"

#include <openssl/ssl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <list>
#include <utility>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/event.h"
#include "base/time_limit.h"
#include "base/wall_time.h"
#include "json/json_text.h"

namespace talaria::front::gateway {
namespace {

using Socket = asio::generic::stream_protocol::socket;
using Acceptor = asio::basic_socket_acceptor<asio::generic::stream_protocol>;
using TlsStream = asio::ssl::stream<Socket&>;
using Clock = std::chrono::steady_clock;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);  // if there is no free descriptor
constexpr std::size_t kChunk = 16u << 10;
// How long a refused client may keep sending: closing at once would discard the answer. And how
// many connections beyond the limit get that time.
constexpr auto kDrainTime = std::chrono::milliseconds(1000);
constexpr std::size_t kMaxDraining = 64;

std::string date_now() {
  return utc_time(std::chrono::system_clock::now(), "%a, %d %b %Y %H:%M:%S GMT");
}

std::string head_of(const ServedResponse& response, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " " +
                     std::string(status_text(response.status)) + "\r\nDate: " + date_now() +
                     "\r\nContent-Type: " + response.type + "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  if (response.stream) {
    head += "Transfer-Encoding: chunked\r\n";
  } else {
    head += "Content-Length: " + std::to_string(response.body.size()) + "\r\n";
  }
  head += keep_alive ? "Connection: keep-alive\r\n" : "Connection: close\r\n";
  return head + "\r\n";
}

std::string in_chunk(const std::string& text) {
  std::array<char, 16> size{};
  const auto end = std::to_chars(size.data(), size.data() + size.size(), text.size(), 16).ptr;
  return std::string(size.data(), end) + "\r\n" + text + "\r\n";
}

ServedResponse refusal(int status, const std::string& why) {
  return {.status = status, .body = to_line(json::object{{"error", why}})};
}

std::string remote_of(const Socket& socket) {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  if (error) return "";
  const auto* const address = reinterpret_cast<const sockaddr*>(endpoint.data());
  if (address->sa_family == AF_UNIX) return "unix";
  asio::ip::tcp::endpoint peer;
  if (endpoint.size() > peer.capacity()) return "";
  peer.resize(endpoint.size());
  std::memcpy(peer.data(), endpoint.data(), endpoint.size());
  return peer.address().to_string();
}

}  // namespace

class HttpServer::State : public std::enable_shared_from_this<HttpServer::State> {
 public:
  State(asio::any_io_executor executor, Handler handler, Complaint complaint,
        HttpServerLimits limits)
      : executor_(std::move(executor)),
        handler_(std::move(handler)),
        complaint_(std::move(complaint)),
        limits_(limits) {}

  Result<void> use_tls(const TlsFiles& files) {
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_server);
    boost::system::error_code error;
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    context->use_certificate_chain_file(files.certificate, error);
    if (error) {
      return fail(ErrorKind::bad_request,
                  "--tls-cert: cannot use " + files.certificate + ": " + error.message());
    }
    context->use_private_key_file(files.key, asio::ssl::context::pem, error);
    if (error)
      return fail(ErrorKind::bad_request,
                  "--tls-key: cannot use " + files.key + ": " + error.message());
    tls_ = std::move(context);
    return {};
  }

  Result<std::string> listen(const ListenAddress& address) {
    return address.host.empty() ? listen_at_path(address.path) : listen_at_port(address);
  }

  Task<void> stop() {
    stopping_ = true;
    for (Acceptor& acceptor : acceptors_) {
      boost::system::error_code ignored;
      acceptor.close(ignored);
    }
    for (const std::string& path : paths_) ::unlink(path.c_str());
    for (Connection* connection : std::list<Connection*>(connections_)) connection->end_if_idle();
    const auto until = Clock::now() + limits_.last;
    while (!connections_.empty() && Clock::now() < until) {
      co_await quiet_.wait_until(until);
    }
    for (Connection* connection : std::list<Connection*>(connections_)) connection->close();
  }

  HttpTotals totals;

 private:
  // One connection. Its timer closes it when a limit is exceeded.
  class Connection {
   public:
    Connection(State& server, Socket its_socket)
        : socket(std::move(its_socket)), server_(server), timer_(server.executor_) {
      place_ = server.connections_.insert(server.connections_.end(), this);
      server.totals.open = server.connections_.size();
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
      hold(0);
      server_.connections_.erase(place_);
      server_.totals.open = server_.connections_.size();
      if (server_.connections_.empty()) server_.quiet_.notify_all();
    }

    // Limits the time until the next call.
    void allow(std::chrono::milliseconds time) {
      deadline_ = Clock::now() + time;
      // A timer that expires too early is set again; one that would expire too late is restarted.
      if (watching_ && watched_until_ <= deadline_) return;
      watch();
    }
    void allow_all() { deadline_ = Clock::time_point::max(); }

    // Sets the size of the request so far. False: long requests exceed their limit.
    bool hold(std::size_t bytes) {
      const std::size_t counted = bytes > server_.limits_.small_request ? bytes : 0;
      server_.held_ = server_.held_ - held_ + counted;
      held_ = counted;
      return counted == 0 || server_.held_ <= server_.limits_.long_requests;
    }

    bool timed_out() const { return timed_out_; }
    void close() {
      boost::system::error_code ignored;
      socket.close(ignored);
    }
    void end_if_idle() {
      if (idle) close();
    }

    // Cancels `gone` when the client closes its side. If it sends more instead, it is not watched
    // until that was served.
    void watch_client(CancelToken gone) {
      gone_ = std::move(gone);
      socket.async_wait(Socket::wait_read, [weak = std::weak_ptr<Alive>(alive_),
                                            this](boost::system::error_code error) {
        if (error || weak.expired()) return;
        pollfd state{.fd = socket.native_handle(), .events = POLLRDHUP};
        if (::poll(&state, 1, 0) > 0) CancelToken(gone_).cancel();
      });
    }
    void stop_watching() {
      gone_ = CancelToken();
      boost::system::error_code ignored;
      socket.cancel(ignored);
    }

    Socket socket;
    bool idle = true;  // between two requests

   private:
    struct Alive {};

    void watch() {
      watching_ = true;
      watched_until_ = std::min(deadline_, Clock::now() + std::chrono::hours(1));
      timer_.expires_at(watched_until_);
      timer_.async_wait(
          [weak = std::weak_ptr<Alive>(alive_), this](boost::system::error_code error) {
            if (error || weak.expired()) return;
            watching_ = false;
            if (Clock::now() < deadline_) return watch();
            timed_out_ = true;
            boost::system::error_code ignored;
            socket.shutdown(Socket::shutdown_receive, ignored);
            if (!waits_for_answer) close();
          });
    }

   public:
    bool waits_for_answer = false;  // then closing would lose the answer

   private:
    State& server_;
    asio::steady_timer timer_;
    Clock::time_point deadline_ = Clock::time_point::max();
    Clock::time_point watched_until_;
    CancelToken gone_;
    std::shared_ptr<Alive> alive_ = std::make_shared<Alive>();  // the timer callback may run later
    std::size_t held_ = 0;
    bool watching_ = false;
    bool timed_out_ = false;
    std::list<Connection*>::iterator place_;
  };

  Result<std::string> listen_at_port(const ListenAddress& address) {
    boost::system::error_code error;
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
    Acceptor acceptor(executor_);
    acceptor.open(asio::generic::stream_protocol(endpoint.protocol()), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(asio::generic::stream_protocol::endpoint(endpoint), error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return fail(ErrorKind::unavailable, "cannot listen on " + address.host + ":" +
                                              std::to_string(address.port) + ": " +
                                              error.message());
    }
    const auto bound = acceptor.local_endpoint(error);
    asio::ip::tcp::endpoint where;
    where.resize(bound.size());
    std::memcpy(where.data(), bound.data(), bound.size());
    const bool v6 = where.address().is_v6();
    begin(std::move(acceptor), tls_ != nullptr);
    return std::string(tls_ ? "https" : "http") + "://" + (v6 ? "[" : "") +
           where.address().to_string() + (v6 ? "]" : "") + ":" + std::to_string(where.port());
  }

  // Only its owner can connect. A stale socket file is replaced.
  Result<std::string> listen_at_path(const std::string& path) {
    boost::system::error_code error;
    const asio::local::stream_protocol::endpoint endpoint(path);
    asio::local::stream_protocol::socket probe(executor_);
    probe.connect(endpoint, error);
    if (!error)
      return fail(ErrorKind::unavailable,
                  "cannot listen on " + path + ": another program already does");
    if (error == asio::error::connection_refused) ::unlink(path.c_str());
    Acceptor acceptor(executor_);
    acceptor.open(asio::generic::stream_protocol(endpoint.protocol()), error);
    const mode_t mask = ::umask(0177);
    if (!error) acceptor.bind(asio::generic::stream_protocol::endpoint(endpoint), error);
    ::umask(mask);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      return fail(ErrorKind::unavailable, "cannot listen on " + path + ": " + error.message());
    paths_.push_back(path);
    begin(std::move(acceptor), false);
    return "unix:" + path;
  }

  void begin(Acceptor acceptor, bool with_tls) {
    acceptors_.push_back(std::move(acceptor));
    spawn(executor_, accept(shared_from_this(), acceptors_.back(), with_tls));
  }

  static Task<void> accept(std::shared_ptr<State> self, Acceptor& acceptor, bool with_tls) {
    while (!self->stopping_) {
      Socket socket(self->executor_);
      const auto [error] = co_await acceptor.async_accept(socket, as_values);
      if (self->stopping_) co_return;
      if (error) {  // no free descriptor, or the client is gone
        asio::steady_timer pause(self->executor_, kAcceptPause);
        co_await pause.async_wait(as_values);
        continue;
      }
      ++self->totals.accepted;
      if (!with_tls && self->connections_.size() >= self->limits_.connections) {
        ++self->totals.refused;
        spawn(self->executor_, turn_away(self, std::move(socket)));
        continue;
      }
      spawn(self->executor_, serve(self, std::move(socket), with_tls));
    }
  }

  static Task<void> turn_away(std::shared_ptr<State> self, Socket socket) {
    const std::string text = [] {
      const ServedResponse response = refusal(503, "too many connections");
      return head_of(response, false) + response.body;
    }();
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    socket.write_some(asio::buffer(text), ignored);  // what does not fit is dropped
    if (self->draining_ >= kMaxDraining) co_return;
    ++self->draining_;
    co_await drain(socket);
    --self->draining_;
  }

  // Closes our side, and reads what is still sent, for a moment.
  static Task<void> drain(Socket& socket) {
    boost::system::error_code ignored;
    socket.shutdown(Socket::shutdown_send, ignored);
    (void)co_await within(kDrainTime, read_all(socket));
  }

  static Task<bool> read_all(Socket& socket) {
    std::vector<char> chunk(kChunk);
    for (;;) {
      const auto [error, size] = co_await socket.async_read_some(asio::buffer(chunk), as_values);
      if (error || size == 0) co_return true;
    }
  }

  static Task<void> serve(std::shared_ptr<State> self, Socket socket, bool with_tls) {
    boost::system::error_code ignored;
    socket.set_option(asio::ip::tcp::no_delay(true), ignored);
    const std::string remote = remote_of(socket);
    Connection connection(*self, std::move(socket));
    if (!with_tls) {
      co_await converse(self, connection, connection.socket, remote);
    } else if (self->connections_.size() <= self->limits_.connections) {
      TlsStream stream(connection.socket, *self->tls_);
      connection.allow(self->limits_.head);
      const auto [error] =
          co_await stream.async_handshake(asio::ssl::stream_base::server, as_values);
      if (!error) {
        co_await converse(self, connection, stream, remote);
        connection.allow(std::chrono::seconds(1));
        co_await stream.async_shutdown(as_values);
      }
    }
    connection.close();
  }

  template <class Stream>
  static Task<void> converse(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                             std::string remote) {
    RequestReader reader(self->limits_.request);
    std::vector<char> chunk(kChunk);
    using Reading = RequestReader::State;
    for (;;) {
      Clock::time_point begun = Clock::now();
      while (reader.state() != Reading::complete && reader.state() != Reading::broken) {
        connection.idle = reader.state() == Reading::idle;
        if (connection.idle && self->stopping_) co_return;
        if (connection.idle) begun = Clock::now();
        connection.waits_for_answer = !connection.idle;
        const auto spent =
            std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun);
        connection.allow(connection.idle ? self->limits_.idle : self->time_for(reader) - spent);
        const auto [error, size] = co_await stream.async_read_some(asio::buffer(chunk), as_values);
        self->totals.bytes_in += size;
        if (connection.timed_out() && !connection.idle) {
          self->complaint_(408, remote);
          (void)co_await send(self, connection, stream,
                              refusal(408, "the request did not arrive in time"), false);
          co_return;
        }
        if (error || connection.timed_out()) co_return;
        reader.feed({chunk.data(), size});
        if (!connection.hold(reader.held_bytes())) {
          self->complaint_(503, remote);
          connection.hold(0);
          const ServedResponse busy = refusal(503, "too many long requests; try again later");
          (void)co_await send(self, connection, stream, busy, false);
          co_return co_await drain(connection.socket);
        }
        if (reader.wants_continue()) {
          static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
          const auto [unsent, sent] =
              co_await asio::async_write(stream, asio::buffer(kContinue), as_values);
          if (unsent) co_return;
        }
      }
      connection.idle = false;
      if (reader.state() == Reading::broken) {
        self->complaint_(reader.status(), remote);
        (void)co_await send(self, connection, stream, refusal(reader.status(), reader.flaw()),
                            false);
        co_return co_await drain(connection.socket);
      }
      connection.allow_all();
      ServedRequest request = reader.take();
      request.remote = remote;
      request.connection = connection.socket.native_handle();
      const bool keep_alive = request.keep_alive;
      const bool head_only = request.method == "HEAD";
      connection.watch_client(request.gone);
      ServedResponse response = co_await self->handler_(std::move(request));
      if (head_only) response.stream = nullptr;
      const bool stays_open = keep_alive && !self->stopping_;
      const bool sent =
          co_await send(self, connection, stream, std::move(response), stays_open, head_only);
      connection.stop_watching();
      if (!sent || !stays_open) co_return;
      connection.hold(0);
    }
  }

  std::chrono::milliseconds time_for(RequestReader& reader) const {
    return reader.head_is_here() ? limits_.body : limits_.head;
  }

  // False: the client does not read it.
  template <class Stream>
  static Task<bool> send(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                         ServedResponse response, bool keep_alive, bool head_only = false) {
    connection.waits_for_answer = false;
    const ServedSink write = [&](std::string text) -> Task<bool> {
      connection.allow(self->limits_.write);
      const auto [error, size] = co_await asio::async_write(stream, asio::buffer(text), as_values);
      self->totals.bytes_out += size;
      co_return !error;
    };
    const std::string head = head_of(response, keep_alive);
    if (head_only) co_return co_await write(head);
    if (!response.stream) co_return co_await write(head + response.body);
    if (!co_await write(head)) co_return false;
    bool taken = true;
    const ServedSink sink = [&](std::string text) -> Task<bool> {
      if (!taken || text.empty()) co_return taken;
      taken = co_await write(in_chunk(text));
      connection.allow_all();
      co_return taken;
    };
    connection.allow_all();
    co_await response.stream(sink);
    co_return taken&& co_await write("0\r\n\r\n");
  }

  friend class HttpServer;

  asio::any_io_executor executor_;
  Handler handler_;
  Complaint complaint_;
  HttpServerLimits limits_;
  std::unique_ptr<asio::ssl::context> tls_;
  std::list<Acceptor> acceptors_;
  std::vector<std::string> paths_;
  std::list<Connection*> connections_;
  AsyncEvent quiet_;          // the last connection was closed
  std::size_t held_ = 0;      // bytes of long requests
  std::size_t draining_ = 0;  // refused connections that are still read
  bool stopping_ = false;
};

HttpServer::HttpServer(const asio::any_io_executor& executor, Handler handler, Complaint complaint,
                       HttpServerLimits limits)
    : state_(std::make_shared<State>(executor, std::move(handler), std::move(complaint), limits)) {}

HttpServer::~HttpServer() = default;

Result<void> HttpServer::use_tls(const TlsFiles& files) { return state_->use_tls(files); }

Result<std::string> HttpServer::listen(const ListenAddress& address) {
  return state_->listen(address);
}

Task<void> HttpServer::stop() { return state_->stop(); }

const HttpTotals& HttpServer::totals() const { return state_->totals; }

}  // namespace talaria::front::gateway
