// The only file here that includes Beast, which is slow to compile.
#include "front/gateway/http/request_reader.h"

#include <algorithm>
#include <array>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/last_chunk.h"
#include "base/text.h"

namespace talaria::front::gateway {
namespace {

namespace http = boost::beast::http;
using BeastParser = http::request_parser<http::string_body>;

// Headers whose repetition would be ambiguous.
constexpr auto kGivenOnce =
    std::to_array<std::string_view>({"host", "authorization", "x-idempotency-key"});

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool read_target(std::string_view target, ServedRequest& request) {
  const std::size_t mark = target.find('?');
  request.path = target.substr(0, mark);
  if (!request.path.starts_with('/')) return false;
  std::string_view rest(request.path);
  rest.remove_prefix(1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('/'));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    std::string segment;
    if (!decode_percent(part, segment)) return false;
    request.segments.push_back(std::move(segment));
  }
  return mark == std::string_view::npos || read_query(target.substr(mark + 1), request.query);
}

std::string_view view_of(boost::beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

bool decode_percent(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const bool whole = i + 2 < text.size();
    const int high = whole ? hex_digit(text[i + 1]) : -1;
    const int low = whole ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

bool read_query(std::string_view text, std::map<std::string, std::string>& query) {
  while (!text.empty()) {
    const std::string_view part = next_word(text, '&');
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    std::string name;
    std::string value;
    if (!decode_percent(part.substr(0, equals), name)) return false;
    if (equals != std::string_view::npos && !decode_percent(part.substr(equals + 1), value)) {
      return false;
    }
    query[name] = value;
  }
  return true;
}

struct RequestReader::Parser {
  std::optional<BeastParser> parser;
};

RequestReader::RequestReader(RequestLimits limits)
    : limits_(limits), parser_(std::make_unique<Parser>()) {
  begin();
}

RequestReader::~RequestReader() = default;

void RequestReader::begin() {
  parser_->parser.emplace();
  parser_->parser->header_limit(static_cast<std::uint32_t>(limits_.header_bytes));
  parser_->parser->body_limit(limits_.body_bytes);
  headers_.clear();
  head_bytes_ = 0;
  sent_continue_ = false;
}

RequestReader::State RequestReader::feed(std::string_view bytes) {
  pending_ += bytes;
  if (state_ == State::complete || state_ == State::broken) return state_;
  return parse();
}

RequestReader::State RequestReader::broken(int status, std::string flaw) {
  status_ = status;
  flaw_ = std::move(flaw);
  return state_ = State::broken;
}

RequestReader::State RequestReader::too_long() {
  return broken(431,
                "the headers are longer than " + std::to_string(limits_.header_bytes) + " bytes");
}

// Reads the headers before the body; trailers are ignored. False: the headers are ambiguous, so a
// proxy may have read them differently.
bool RequestReader::take_head() {
  for (const auto& field : parser_->parser->get()) {
    const std::string name = lower_case(view_of(field.name_string()));
    const std::string_view value = view_of(field.value());
    const bool again = headers_.contains(name);
    if (again && std::ranges::find(kGivenOnce, name) != kGivenOnce.end()) return false;
    if (name == "transfer-encoding" && (again || lower_case(value) != "chunked")) return false;
    headers_[name] = value;
  }
  parser_->parser->eager(true);
  return true;
}

RequestReader::State RequestReader::parse() {
  BeastParser& parser = *parser_->parser;
  while (!parser.got_some() && pending_.starts_with("\r\n")) pending_.erase(0, 2);
  if (!parser.got_some() && pending_ == "\r") return state_ = State::idle;
  while (!pending_.empty() && !parser.is_done()) {
    if (parser.chunked() && is_cut_last_chunk(pending_)) break;
    boost::system::error_code error;
    const bool in_head = !parser.is_header_done();
    const std::size_t taken = parser.put(boost::asio::buffer(pending_), error);
    pending_.erase(0, taken);
    if (in_head) head_bytes_ += taken;
    if (error == http::error::need_more) break;
    if (error == http::error::header_limit || head_bytes_ > limits_.header_bytes) return too_long();
    if (error == http::error::body_limit) {
      return broken(413,
                    "the body is longer than " + std::to_string(limits_.body_bytes) + " bytes");
    }
    if (error) return broken(400, "invalid HTTP request (" + error.message() + ")");
    if (headers_.empty() && parser.is_header_done() && !take_head()) {
      return broken(400,
                    "Host, Authorization, Transfer-Encoding and X-Idempotency-Key can be given "
                    "only once, and the encoding must be chunked");
    }
    if (taken == 0) break;
  }
  // Beast counts pieces differently from the whole.
  if (!parser.is_header_done() && head_bytes_ + pending_.size() > limits_.header_bytes) {
    return too_long();
  }
  // Beast has no limit for chunk extensions and trailers.
  if (!parser.is_done() && pending_.size() > limits_.header_bytes) {
    return broken(400, "invalid HTTP request (a line without an end)");
  }
  if (parser.is_done()) return state_ = State::complete;
  return state_ = pending_.empty() && !parser.got_some() ? State::idle : State::partial;
}

bool RequestReader::head_is_here() const { return parser_->parser->is_header_done(); }

std::size_t RequestReader::held_bytes() const {
  return pending_.size() + parser_->parser->get().body().size();
}

bool RequestReader::wants_continue() {
  const BeastParser& parser = *parser_->parser;
  if (state_ != State::partial || sent_continue_ || !parser.is_header_done()) return false;
  const auto expects = headers_.find("expect");
  if (expects == headers_.end() || lower_case(expects->second) != "100-continue") return false;
  sent_continue_ = true;
  return true;
}

ServedRequest RequestReader::head() const {
  const BeastParser& parser = *parser_->parser;
  ServedRequest request;
  request.keep_alive = parser.keep_alive();
  request.method = view_of(parser.get().method_string());
  request.headers = headers_;
  if (!read_target(view_of(parser.get().target()), request)) request.segments = {"?"};
  return request;
}

ServedRequest RequestReader::take() {
  ServedRequest request = head();
  request.body = std::move(parser_->parser->get().body());
  begin();
  pending_.shrink_to_fit();  // the next request may be long in coming
  state_ = State::idle;
  parse();
  return request;
}

std::string_view status_text(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace talaria::front::gateway
