#include "front/gateway/http/http_server.h"

#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include "base/time_limit.h"
#include "base/wall_time.h"
#include "front/gateway/http/connections.h"
#include "front/gateway/http/websocket.h"
#include "json/json_text.h"
#include "tls/openssl.h"

namespace talaria::front::gateway {
namespace {

using Socket = Connection::Socket;
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

}  // namespace

class HttpServer::State : public std::enable_shared_from_this<HttpServer::State> {
 public:
  State(asio::any_io_executor executor, Handler handler, Complaint complaint,
        HttpServerLimits limits)
      : executor_(std::move(executor)),
        handler_(std::move(handler)),
        complaint_(std::move(complaint)),
        limits_(limits),
        connections_(executor_, limits.connections) {}

  Result<void> use_tls(const TlsFiles& files) {
    if (const auto loaded = tls::load_openssl(); !loaded) return loaded;
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
    connections_.close_idle();
    co_await connections_.wait_for_ends(Clock::now() + limits_.last);
    connections_.close_all();
  }

  HttpTotals totals() const {
    HttpTotals all = totals_;
    all.open = connections_.size();
    return all;
  }

 private:
  Result<std::string> listen_at_port(const ListenAddress& address) {
    boost::system::error_code error;
    const asio::ip::tcp::endpoint endpoint(asio::ip::make_address(address.host), address.port);
    Acceptor acceptor(executor_);
    acceptor.open(asio::generic::stream_protocol(endpoint.protocol()), error);
    if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor.bind(asio::generic::stream_protocol::endpoint(endpoint), error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      const std::string why =
          error == asio::error::address_in_use
              ? "another program uses this port. Stop it, or choose another port with --listen"
              : error.message();
      return fail(ErrorKind::unavailable, "cannot listen on " + address.host + ":" +
                                              std::to_string(address.port) + ": " + why);
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
      ++self->totals_.accepted;
      if (!self->connections_.make_room(remote_address(socket))) {
        ++self->totals_.refused;
        if (!with_tls) spawn(self->executor_, turn_away(self, std::move(socket)));
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
    Connection connection(self->connections_, std::move(socket));
    if (!with_tls) {
      co_await converse(self, connection, connection.socket);
    } else {
      TlsStream stream(connection.socket, *self->tls_);
      connection.allow(self->limits_.head);
      const auto [error] =
          co_await stream.async_handshake(asio::ssl::stream_base::server, as_values);
      if (!error) {
        co_await converse(self, connection, stream);
        connection.allow(std::chrono::seconds(1));
        co_await stream.async_shutdown(as_values);
      }
    }
    connection.close();
  }

  // Serves one request after the other.
  template <class Stream>
  static Task<void> converse(std::shared_ptr<State> self, Connection& connection, Stream& stream) {
    RequestReader reader(self->limits_.request);
    while (co_await serve_next(self, connection, stream, reader)) {
      connection.hold(0);
      connection.serving = false;
    }
  }

  // False: the connection ends.
  template <class Stream>
  static Task<bool> serve_next(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                               RequestReader& reader) {
    using Reading = RequestReader::State;
    std::optional<Reception> reception;  // what the handler says about the head
    const auto begun = co_await wait_for_request(self, connection, stream, reader);
    while (begun && reader.state() != Reading::broken) {
      if (!reception && reader.head_is_here()) {
        reception = self->receive(connection, reader);
        if (reception->authenticated) connection.trust();
        if (reception->refusal) break;
      }
      if (reader.state() == Reading::complete) break;
      if (reader.wants_continue() && !co_await send_continue(stream)) co_return false;
      const auto limit = reception ? self->limits_.body : self->limits_.head;
      if (!co_await read_more(self, connection, stream, reader, *begun + limit)) co_return false;
    }
    if (!begun) co_return false;
    if (reader.state() == Reading::broken) {
      self->complaint_(reader.status(), connection.remote);
      co_return co_await refuse(self, connection, stream, refusal(reader.status(), reader.flaw()));
    }
    if (reception->refusal && reader.state() != Reading::complete) {
      co_return co_await refuse(self, connection, stream, std::move(*reception->refusal));
    }
    connection.allow_all();
    ServedRequest request = reader.take();
    self->complete(connection, request);
    const ServedRequest asked = asks_for_websocket(request) ? request : ServedRequest();
    const bool keep_alive = request.keep_alive;
    const bool head_only = request.method == "HEAD";
    ServedResponse response;
    if (reception->refusal) {
      response = std::move(*reception->refusal);
    } else {
      connection.watch_client(request.gone);
      response = co_await reception->answer(std::move(request));
    }
    if (response.converse) {
      connection.stop_watching();
      co_return co_await converse_by_messages(connection, stream, asked, std::move(response));
    }
    if (head_only) response.stream = nullptr;
    const bool stays_open = keep_alive && !self->stopping_;
    const bool sent =
        co_await send(self, connection, stream, std::move(response), stays_open, head_only);
    connection.stop_watching();
    co_return sent&& stays_open;
  }

  // Nothing follows a WebSocket on its connection.
  template <class Stream>
  static Task<bool> converse_by_messages(Connection& connection, Stream& stream,
                                         const ServedRequest& request, ServedResponse response) {
    connection.idle = false;
    connection.allow_all();
    WebSocket<Stream> socket(stream);
    if (co_await socket.accept(request, response.subprotocol)) {
      co_await response.converse(socket);
    }
    co_return false;
  }

  // The handler sees the head of a request before its body is read.
  Reception receive(Connection& connection, RequestReader& reader) {
    connection.serving = true;
    ServedRequest head = reader.head();
    complete(connection, head);
    return handler_(head);
  }

  static void complete(Connection& connection, ServedRequest& request) {
    request.remote = connection.remote;
    request.connection = connection.socket.native_handle();
  }

  // When the first bytes of a request arrived; nothing: the connection ends.
  template <class Stream>
  static Task<std::optional<Clock::time_point>> wait_for_request(std::shared_ptr<State> self,
                                                                 Connection& connection,
                                                                 Stream& stream,
                                                                 RequestReader& reader) {
    while (reader.state() == RequestReader::State::idle) {
      connection.idle = true;
      connection.waits_for_answer = false;
      if (self->stopping_) co_return std::nullopt;
      const auto patience = connection.trusted() ? self->limits_.idle : self->limits_.head;
      if (!co_await read_more(self, connection, stream, reader, Clock::now() + patience)) {
        co_return std::nullopt;
      }
    }
    connection.idle = false;
    co_return Clock::now();
  }

  // Reads some bytes. False: the connection ends; a client that is too slow got an answer.
  template <class Stream>
  static Task<bool> read_more(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                              RequestReader& reader, Clock::time_point until) {
    connection.waits_for_answer = !connection.idle;
    connection.allow(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()));
    if constexpr (std::is_same_v<Stream, Socket>) {
      // One that waits for its next request has no buffer. (A TLS stream has some of its own.)
      if (connection.idle) co_await stream.async_wait(Socket::wait_read, as_values);
    }
    std::vector<char> chunk(kChunk);
    const auto [error, size] = co_await stream.async_read_some(asio::buffer(chunk), as_values);
    self->totals_.bytes_in += size;
    if (connection.timed_out() && !connection.idle) {
      self->complaint_(408, connection.remote);
      (void)co_await send(self, connection, stream,
                          refusal(408, "the request did not arrive in time"), false);
      co_return false;
    }
    if (error || connection.timed_out()) co_return false;
    reader.feed({chunk.data(), size});
    if (connection.hold(reader.held_bytes())) co_return true;
    self->complaint_(503, connection.remote);
    connection.hold(0);
    co_return co_await refuse(self, connection, stream,
                              refusal(503, "too many long requests; try again later"));
  }

  // Answers a request that was not read to its end. Returns false: nothing can follow.
  template <class Stream>
  static Task<bool> refuse(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                           ServedResponse response) {
    (void)co_await send(self, connection, stream, std::move(response), false);
    co_await drain(connection.socket);
    co_return false;
  }

  template <class Stream>
  static Task<bool> send_continue(Stream& stream) {
    static const std::string kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    const auto [unsent, sent] =
        co_await asio::async_write(stream, asio::buffer(kContinue), as_values);
    co_return !unsent;
  }

  // False: the client does not read it.
  template <class Stream>
  static Task<bool> send(std::shared_ptr<State> self, Connection& connection, Stream& stream,
                         ServedResponse response, bool keep_alive, bool head_only = false) {
    connection.waits_for_answer = false;
    const ServedSink write = [&](std::string text) -> Task<bool> {
      connection.allow(self->limits_.write);
      const auto [error, size] = co_await asio::async_write(stream, asio::buffer(text), as_values);
      self->totals_.bytes_out += size;
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
  Connections connections_;
  HttpTotals totals_;
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

HttpTotals HttpServer::totals() const { return state_->totals(); }

}  // namespace talaria::front::gateway
