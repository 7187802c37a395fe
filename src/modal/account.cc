#include "modal/account.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace talaria::modal {
namespace {

constexpr std::string_view kUsualServer = "https://api.modal.com";

std::unexpected<Error> bad(std::string_view url, std::string_view why) {
  return fail(ErrorKind::bad_request, "'" + std::string(url) + "': " + std::string(why));
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// host, host:port, [host] or [host]:port.
Result<Address> parse_authority(std::string_view text, std::uint16_t usual_port,
                                std::string_view url) {
  Address address{.port = usual_port};
  std::size_t host_end = text.find(':');
  if (text.starts_with('[')) {
    host_end = text.find(']');
    if (host_end == std::string_view::npos) return bad(url, "a bracket is not closed");
    address.host = text.substr(1, host_end - 1);
    text.remove_prefix(host_end + 1);
  } else {
    address.host = text.substr(0, host_end);
    text.remove_prefix(address.host.size());
  }
  if (address.host.empty()) return bad(url, "it names no host");
  if (text.empty()) return address;
  const auto port = text.starts_with(':') ? number<std::uint16_t>(text.substr(1)) : std::nullopt;
  if (!port || *port == 0) return bad(url, "its port is invalid");
  address.port = *port;
  return address;
}

// What a header may have: gRPC ends the program if it is given anything else.
bool is_header_text(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
}

}  // namespace

std::string Address::target() const {
  const bool brackets = host.find(':') != std::string::npos;
  return "dns:///" + (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool is_this_machine(std::string_view host) {
  return host == "localhost" || host == "127.0.0.1" || host == "::1";
}

Result<Address> parse_address(std::string_view url) {
  constexpr std::string_view kPlain = "http://";
  constexpr std::string_view kSecure = "https://";
  const bool plain = url.starts_with(kPlain);
  if (!plain && !url.starts_with(kSecure)) {
    return bad(url, "the address of Modal begins with https://");
  }
  std::string_view rest = url.substr(plain ? kPlain.size() : kSecure.size());
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@") != std::string_view::npos) {
    return bad(url, "only a host and a port are expected");
  }
  Result<Address> address = parse_authority(rest, plain ? 80 : 443, url);
  if (!address) return address;
  if (plain && !is_this_machine(address->host)) {
    return bad(url, "http is for this machine itself only: tokens go along with every call");
  }
  address->plain = plain;
  return address;
}

Result<Address> parse_router_address(std::string_view url, const Address& service) {
  if (!url.starts_with("https://")) return bad(url, "the address of a router begins with https://");
  Result<Address> address = parse_address(url);
  if (address && service.plain && is_this_machine(address->host)) address->plain = true;
  return address;
}

Result<Account> read_account(const std::function<std::string(const char*)>& variable) {
  Account account;
  account.token_id = variable("MODAL_TOKEN_ID");
  account.token_secret = Secret(variable("MODAL_TOKEN_SECRET"));
  if (account.token_id.empty() || account.token_secret.empty()) {
    return fail(ErrorKind::denied,
                "MODAL_TOKEN_ID and MODAL_TOKEN_SECRET must both be set, to a token of Modal");
  }
  if (!is_header_text(account.token_id) || !is_header_text(account.token_secret.view())) {
    return fail(ErrorKind::denied,
                "MODAL_TOKEN_ID and MODAL_TOKEN_SECRET must be of printable ASCII characters");
  }
  const std::string server = variable("MODAL_SERVER_URL");
  Result<Address> address = parse_address(server.empty() ? kUsualServer : server);
  if (!address) {
    return fail(ErrorKind::bad_request, "MODAL_SERVER_URL: " + address.error().message());
  }
  account.server = std::move(*address);
  account.environment = variable("MODAL_ENVIRONMENT");
  account.image_builder_version = variable("MODAL_IMAGE_BUILDER_VERSION");
  if (const auto seconds = number<std::uint32_t>(variable("MODAL_MAX_THROTTLE_WAIT"))) {
    account.most_throttled = std::chrono::seconds(*seconds);
  }
  return account;
}

}  // namespace talaria::modal
