#include "http/http_message.h"

#include <talaria/version.h>

#include <string_view>

#include "base/base64.h"

namespace talaria::http {
namespace {

constexpr std::size_t kMaxReasonBytes = 80;

}  // namespace

// A line end would begin a header of its own.
bool fits_header(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < ' ' && c != '\t') || byte == 127) return false;
  }
  return true;
}

std::string own_agent() {
  return "Mozilla/5.0 (compatible; Talaria/" + std::string(kVersion) + ")";
}

Result<std::string> request_text(const HttpRequest& request) {
  const Url& url = request.url;
  const std::string agent = request.agent.empty() ? own_agent() : request.agent;
  std::string text = request.method + " " + url.target + " HTTP/1.1\r\nHost: " + url.authority() +
                     (request.keep ? "" : "\r\nConnection: close") +
                     "\r\nAccept-Encoding: gzip, deflate, br\r\nUser-Agent: " + agent + "\r\n";
  if (!url.userinfo.empty()) {
    text += "Authorization: Basic " + base64(percent_decode(url.userinfo)) + "\r\n";
  }
  for (const auto& [name, value] : request.headers) {
    if (!fits_header(name) || !fits_header(value)) {
      return fail(ErrorKind::bad_request, name + ": a character that no header can have");
    }
    text += name + ": " + value + "\r\n";
  }
  if (!request.body.empty() || request.method == "POST") {
    text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
  }
  return text + "\r\n" + request.body;
}

std::string status_line(const HttpResponse& response) {
  std::string line = "HTTP " + std::to_string(response.status);
  if (!response.reason.empty()) line += " " + response.reason.substr(0, kMaxReasonBytes);
  return line;
}

}  // namespace talaria::http
