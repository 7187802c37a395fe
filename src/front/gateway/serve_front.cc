#include "front/gateway/serve_front.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <talaria/home.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <variant>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "base/event.h"
#include "base/text.h"
#include "front/gateway/gateway.h"
#include "front/gateway/mcp_http.h"
#include "front/stop_signals.h"

namespace talaria::front::gateway {
namespace {

// Notifies systemd, if it started us.
void notify(std::string_view state) {
  const char* const path = std::getenv("NOTIFY_SOCKET");
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  std::strcpy(address.sun_path, path);
  const std::size_t size = offsetof(sockaddr_un, sun_path) + std::strlen(path);
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';  // an abstract socket
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return;
  ::sendto(fd, state.data(), state.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), static_cast<socklen_t>(size));
  ::close(fd);
}

// Log lines on standard error. Never blocks: lines that do not fit are dropped, and the next line
// has their number.
class LineLog {
 public:
  explicit LineLog(int fd) : fd_(fd) {}

  void write(const std::string& line) {
    pollfd ready{.fd = fd_, .events = POLLOUT};
    if (::poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0 || line.size() >= PIPE_BUF) {
      ++dropped_;
      return;
    }
    if (dropped_ > 0) {
      const std::string lost =
          R"({"level":"error","dropped":)" + std::to_string(std::exchange(dropped_, 0)) + "}\n";
      (void)write_fully(fd_, lost);
      return write(line);
    }
    (void)write_fully(fd_, line + "\n");
  }

 private:
  int fd_;
  std::uint64_t dropped_ = 0;
};

GatewayLog log_of(const std::string& name) {
  if (name == "errors") return GatewayLog::errors;
  return name == "off" ? GatewayLog::off : GatewayLog::all;
}

Result<std::vector<ListenAddress>> addresses_of(const ServeOptions& options) {
  std::vector<std::string> texts = options.listen;
  if (texts.empty()) texts.emplace_back(kUsualListen);
  std::vector<ListenAddress> addresses;
  for (const std::string& text : texts) {
    auto address = parse_listen_address(text);
    if (!address) return fail(address.error());
    addresses.push_back(std::move(*address));
  }
  return addresses;
}

// An address that other machines can reach needs TLS and a token.
Result<void> check_exposure(const std::vector<ListenAddress>& addresses,
                            const ServeOptions& options, Gateway& gateway) {
  for (const ListenAddress& address : addresses) {
    if (address.loopback()) continue;
    if (options.tls_certificate.empty() && !options.insecure_plain_http) {
      return fail(
          ErrorKind::denied,
          address.host +
              " can be reached from other machines, and without TLS the network can read the "
              "tokens. Use --tls-cert and --tls-key, or --insecure-plain-http behind a proxy "
              "that uses TLS");
    }
    const auto tokens = gateway.has_tokens();
    if (!tokens) return fail(tokens.error());
    if (!*tokens) {
      return fail(
          ErrorKind::denied,
          "no token exists, so no client could use the gateway. Add one with: talaria token "
          "add NAME");
    }
  }
  return {};
}

// The rest of the descriptors is for links and engines.
HttpServerLimits server_limits() {
  HttpServerLimits limits;
  rlimit descriptors{};
  if (::getrlimit(RLIMIT_NOFILE, &descriptors) != 0) return limits;
  limits.connections.connections =
      std::min<rlim_t>(limits.connections.connections, descriptors.rlim_cur / 4 * 3);
  return limits;
}

int refuse(const Error& error, const Stdio& stdio, int code = kServeFailed) {
  complain(stdio, error.message());
  return code;
}

}  // namespace

Task<int> serve_front(AsioRuntime& runtime, ServeOptions options, Stdio stdio,
                      mcp::ScriptKeeper::Start start_keeper, std::optional<mcp::McpOffer> offer) {
  const auto executor = co_await asio::this_coro::executor;
  if (const auto fine = runtime.check(); !fine) co_return refuse(fine.error(), stdio);
  if (const auto fine = runtime.requirements(); !fine) co_return refuse(fine.error(), stdio);
  const auto addresses = addresses_of(options);
  if (!addresses) co_return refuse(addresses.error(), stdio, kServeBadUsage);
  if (options.tls_certificate.empty() != options.tls_key.empty()) {
    complain(stdio, "--tls-cert and --tls-key must be used together");
    co_return kServeBadUsage;
  }
  GatewayOptions how{.home = Home().directory(),
                     .target = AsioSandboxes(runtime).target(),
                     .log = log_of(options.log),
                     .https = !options.tls_certificate.empty() || options.insecure_plain_http};
  for (const std::string& host : options.hosts) how.hosts.push_back(lower_case(host));
  const auto log = std::make_shared<LineLog>(stdio.err);
  Gateway gateway(runtime, std::move(how), [log](const std::string& line) { log->write(line); });
  if (const auto fine = check_exposure(*addresses, options, gateway); !fine) {
    co_return refuse(fine.error(), stdio);
  }
  if (const auto opened = gateway.open(); !opened) co_return refuse(opened.error(), stdio);

  Options mcp_options{.settings = options.settings, .name = "mcp"};
  mcp::add_mcp_settings(mcp_options);
  McpHttp mcp(executor, std::move(mcp_options), offer ? std::move(*offer) : mcp::product_offer(),
              std::move(start_keeper));
  gateway.serve_mcp(&mcp);
  HttpServer server(
      executor, [&gateway](const ServedRequest& head) { return gateway.receive(head); },
      [&gateway](int status, const std::string& remote) {
        gateway.log_broken_request(status, remote);
      },
      server_limits());
  gateway.show_totals(&server);
  const TlsFiles tls{options.tls_certificate, options.tls_key};
  if (!tls.certificate.empty()) {
    const auto used = server.use_tls(tls);
    if (!used) co_return refuse(used.error(), stdio);
  }
  // A hangup never ends a gateway: it reads the certificate again, if it has one.
  const std::function<void()> on_hangup = [&server, &stdio, tls] {
    if (tls.certificate.empty()) return;
    const auto again = server.use_tls(tls);
    if (!again) complain(stdio, again.error().message() + "; keeping the previous certificate");
  };
  AsyncEvent stopped;
  StopSignals signals(executor, [&](int) { stopped.set(); }, on_hangup);
  for (const ListenAddress& address : *addresses) {
    const auto listening = server.listen(address);
    if (!listening) co_return refuse(listening.error(), stdio);
    const std::string line =
        "talaria: listening on " + *listening + ", target " + gateway.options().target + "\n";
    if (!write_output(stdio, line)) co_return kServeFailed;
  }
  using asio::experimental::awaitable_operators::operator||;
  const auto reached = co_await (gateway.reach_target() || stopped.wait());
  if (const auto* const answer = std::get_if<0>(&reached); answer && !*answer) {
    complain(stdio, "the target does not answer yet: " + answer->error().message());
  }
  if (gateway.options().target == "local") {
    complain(stdio,
             "target local has no isolation: a sandbox is only a directory, and clients can read "
             "and change everything that this user can. Use --target docker or podman for "
             "clients that you do not trust");
  }
  if (const auto tokens = gateway.has_tokens(); tokens && !*tokens) {
    complain(stdio,
             "no token exists, so no client can use the gateway. Add one with: talaria token add "
             "NAME");
  }
  notify("READY=1");
  co_await stopped.wait();
  notify("STOPPING=1");
  gateway.stop();
  co_await server.stop();
  co_await mcp.stop();
  co_return 0;
}

}  // namespace talaria::front::gateway
