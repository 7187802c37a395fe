#include "http/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include <boost/asio/ip/address_v6.hpp>

#include "base/text.h"
#include "http/host_name.h"

namespace talaria::http {
namespace {

constexpr std::string_view kHex = "0123456789ABCDEF";
constexpr std::size_t kMaxUrlBytes = 16u << 10;
constexpr std::size_t kMaxHostBytes = 253;
constexpr std::size_t kMaxLabelBytes = 63;

std::unexpected<Error> bad(const std::string& flaw) {
  return fail(ErrorKind::bad_request, "not a valid URL: " + flaw);
}

bool is_alphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_escape(std::string_view text) {
  return text.size() >= 3 && text[0] == '%' && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0;
}

void append_escaped(std::string& text, char c) {
  const auto byte = static_cast<unsigned char>(c);
  text += '%';
  text += kHex[byte >> 4];
  text += kHex[byte & 15];
}

// A path and query as it may stand in a request; escapes that are there stay.
std::string encode_target(std::string_view text) {
  constexpr std::string_view kKept = "-._~:/?[]@!$&'()*+,;=";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_alphanumeric(text[i]) || kKept.contains(text[i]) || is_escape(text.substr(i))) {
      result += text[i];
    } else {
      append_escaped(result, text[i]);
    }
  }
  return result;
}

// Without "." and ".." (RFC 3986, 5.2.4). The path begins with a slash, and so does the result.
std::string without_dots(std::string_view path) {
  std::vector<std::string_view> parts;
  bool directory = true;
  std::string_view rest = path.substr(1);
  for (bool more = true; more;) {
    const std::size_t end = rest.find('/');
    const std::string_view part = rest.substr(0, end);
    more = end != std::string_view::npos;
    if (more) rest.remove_prefix(end + 1);
    const std::string plain = part.size() <= 6 ? percent_decode(part) : std::string();
    directory = plain == "." || plain == "..";
    if (plain == ".." && !parts.empty()) parts.pop_back();
    if (!directory) parts.push_back(part);
  }
  std::string result;
  for (const std::string_view part : parts) result.append("/").append(part);
  if (directory || result.empty()) result += '/';
  return result;
}

std::string normal_target(std::string_view text) {
  text = text.substr(0, text.find('#'));
  const std::size_t query = std::min(text.find('?'), text.size());
  std::string path(text.substr(0, query));
  if (!path.starts_with('/')) path.insert(0, "/");
  return encode_target(without_dots(path)) + encode_target(text.substr(query));
}

// How inet_aton reads hosts: their last part decides whether they are numbers.
bool is_number(std::string_view label) {
  if (label.starts_with("0x")) {
    return std::ranges::all_of(label.substr(2), [](char c) { return hex_value(c) >= 0; });
  }
  return !label.empty() && std::ranges::all_of(label, [](char c) { return c >= '0' && c <= '9'; });
}

Result<std::string> to_ascii(const std::string& host) {
  const bool plain =
      std::ranges::all_of(host, [](char c) { return static_cast<signed char>(c) >= 0; });
  if (plain) return host;
  return ascii_host_name(host);
}

Result<void> check_labels(std::string_view host) {
  if (host.empty()) return bad("it has no host");
  if (host.size() > kMaxHostBytes) return bad("its host is too long");
  for (std::string_view rest = host;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    if (label.empty() || label.size() > kMaxLabelBytes) return bad("its host is not a name");
    for (const char c : label) {
      if (!is_alphanumeric(c) && c != '-' && c != '_') return bad("its host is not a name");
    }
    if (dot == std::string_view::npos) return {};
    rest.remove_prefix(dot + 1);
  }
}

Result<std::string> normal_ipv6(std::string_view text) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address_v6(std::string(text), error);
  if (error || text.contains('%')) return bad("its IPv6 address is invalid");
  return address.to_string();
}

Result<std::uint16_t> parse_port(std::string_view text, bool secure) {
  if (text.empty()) return static_cast<std::uint16_t>(secure ? 443 : 80);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port == 0) {
    return bad("its port is invalid");
  }
  return port;
}

Result<void> read_authority(std::string_view authority, Url& url) {
  for (const char c : authority) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= ' ' || byte == 127 || c == '\\') return bad("a character its host cannot have");
  }
  if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
    url.userinfo = authority.substr(0, at);
    authority.remove_prefix(at + 1);
  }
  std::string_view port;
  const bool ipv6 = authority.starts_with('[');
  std::size_t end = authority.find(ipv6 ? ']' : ':');
  if (ipv6) {
    if (end == std::string_view::npos) return bad("its IPv6 address has no end");
    auto host = normal_ipv6(authority.substr(1, end - 1));
    if (!host) return fail(host.error());
    url.host = std::move(*host);
    authority.remove_prefix(end + 1);
    if (!authority.empty() && authority[0] != ':') return bad("its port is invalid");
    end = 0;
  } else {
    auto host = normal_host(authority.substr(0, end));
    if (!host) return fail(host.error());
    url.host = std::move(*host);
  }
  if (end < authority.size()) port = authority.substr(end + 1);
  const auto number = parse_port(port, url.secure());
  if (!number) return fail(number.error());
  url.port = *number;
  return {};
}

// "https" of "https://...", in lower case; empty if there is none.
std::string scheme_of(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return {};
  const std::string_view scheme = text.substr(0, colon);
  const bool letters = std::ranges::all_of(
      scheme, [](char c) { return is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; });
  if (!letters || (scheme[0] >= '0' && scheme[0] <= '9')) return {};
  return lower_case(scheme);
}

std::string_view path_of(const Url& url) {
  return std::string_view(url.target).substr(0, url.target.find('?'));
}

}  // namespace

std::string Url::authority() const {
  std::string result = host.contains(':') ? "[" + host + "]" : host;
  if (port != (secure() ? 443 : 80)) result += ":" + std::to_string(port);
  return result;
}

std::string Url::text() const { return scheme + "://" + authority() + target; }

std::string percent_decode(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_escape(text.substr(i))) {
      result += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string percent_encode(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (is_alphanumeric(c) || std::string_view("-._~").contains(c)) {
      result += c;
    } else {
      append_escaped(result, c);
    }
  }
  return result;
}

Result<std::string> normal_host(std::string_view text) {
  const std::string decoded = percent_decode(text);
  if (decoded.contains('\0')) return bad("a character its host cannot have");
  auto host = to_ascii(decoded);
  if (!host) return host;
  *host = lower_case(*host);
  if (host->ends_with('.')) host->pop_back();
  if (const auto good = check_labels(*host); !good) return fail(good.error());
  if (!is_number(std::string_view(*host).substr(host->rfind('.') + 1))) return host;
  in_addr address{};
  if (::inet_aton(host->c_str(), &address) == 0) return bad("its IPv4 address is invalid");
  char dotted[INET_ADDRSTRLEN] = {};
  return std::string(::inet_ntop(AF_INET, &address, dotted, sizeof dotted));
}

Result<Url> parse_url(std::string_view text) {
  text = trim(text);
  if (text.size() > kMaxUrlBytes) return bad("it is too long");
  Url url{.scheme = scheme_of(text)};
  if (url.scheme != "http" && url.scheme != "https") {
    return bad("it does not begin with http:// or https://");
  }
  text.remove_prefix(url.scheme.size() + 1);
  if (!text.starts_with("//")) return bad("it has no host");
  text.remove_prefix(2);
  const std::size_t end = std::min(text.find_first_of("/?#"), text.size());
  if (const auto read = read_authority(text.substr(0, end), url); !read) return fail(read.error());
  url.target = normal_target(text.substr(end));
  return url;
}

Result<Url> resolve_url(const Url& base, std::string_view reference) {
  reference = trim(reference);
  if (!scheme_of(reference).empty()) return parse_url(reference);
  if (reference.starts_with("//")) return parse_url(base.scheme + ":" + std::string(reference));
  if (reference.size() > kMaxUrlBytes) return bad("it is too long");
  Url url = base;
  url.userinfo.clear();
  if (reference.starts_with('/')) {
    url.target = normal_target(reference);
  } else if (reference.starts_with('?')) {
    url.target = normal_target(std::string(path_of(base)) + std::string(reference));
  } else if (!reference.empty() && !reference.starts_with('#')) {
    const std::string_view path = path_of(base);
    url.target =
        normal_target(std::string(path.substr(0, path.rfind('/') + 1)) + std::string(reference));
  }
  return url;
}

}  // namespace talaria::http
