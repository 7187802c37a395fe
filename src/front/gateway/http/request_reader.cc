// The only file that sees Beast here: its headers take long to compile.
#include "front/gateway/http/request_reader.h"

#include <algorithm>
#include <optional>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/text.h"

namespace talaria {
namespace {

namespace http = boost::beast::http;
using BeastParser = http::request_parser<http::string_body>;

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool read_query(std::string_view text, std::map<std::string, std::string>& query) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
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
  parser_->parser->eager(true);
  told_to_continue_ = false;
}

RequestReader::State RequestReader::feed(std::string_view bytes) {
  pending_ += bytes;
  if (state_ == State::complete || state_ == State::broken) return state_;
  return parse();
}

RequestReader::State RequestReader::parse() {
  BeastParser& parser = *parser_->parser;
  while (!pending_.empty() && !parser.is_done()) {
    boost::system::error_code error;
    const std::size_t taken = parser.put(boost::asio::buffer(pending_), error);
    pending_.erase(0, taken);
    if (error == http::error::need_more) break;
    if (error == http::error::header_limit) {
      status_ = 431;
      flaw_ = "the headers are longer than " + std::to_string(limits_.header_bytes) + " bytes";
      return state_ = State::broken;
    }
    if (error == http::error::body_limit) {
      status_ = 413;
      flaw_ = "the body is longer than " + std::to_string(limits_.body_bytes) + " bytes";
      return state_ = State::broken;
    }
    if (error) {
      flaw_ = "this is no HTTP request (" + error.message() + ")";
      return state_ = State::broken;
    }
    if (taken == 0) break;
  }
  if (parser.is_done()) return state_ = State::complete;
  return state_ = pending_.empty() && !parser.got_some() ? State::idle : State::partial;
}

bool RequestReader::head_is_here() const { return parser_->parser->is_header_done(); }

bool RequestReader::wants_continue() {
  const BeastParser& parser = *parser_->parser;
  if (state_ != State::partial || told_to_continue_ || !parser.is_header_done()) return false;
  const std::string_view expects = view_of(parser.get()[http::field::expect]);
  if (lower_case(expects) != "100-continue") return false;
  told_to_continue_ = true;
  return true;
}

ServedRequest RequestReader::take() {
  BeastParser& parser = *parser_->parser;
  ServedRequest request;
  request.keep_alive = parser.keep_alive();
  auto message = parser.release();
  request.method = view_of(message.method_string());
  for (const auto& field : message) {
    request.headers[lower_case(view_of(field.name_string()))] = view_of(field.value());
  }
  request.body = std::move(message.body());
  if (!read_target(view_of(message.target()), request)) request.segments = {"?"};
  begin();
  state_ = State::idle;
  parse();
  return request;
}

std::string_view status_text(int status) {
  const auto text = http::obsolete_reason(static_cast<http::status>(status));
  return {text.data(), text.size()};
}

}  // namespace talaria
