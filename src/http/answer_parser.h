// AnswerParser: the bytes of a connection on their way to a response. No I/O. For connection.cc,
// which with this file alone sees Beast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "base/last_chunk.h"
#include "base/result.h"

namespace talaria::http {

namespace http = boost::beast::http;

class AnswerParser {
 public:
  using Message = http::response<http::string_body>;

  // No limit: as long as it is.
  explicit AnswerParser(std::optional<std::size_t> most_bytes) : most_bytes_(most_bytes) {
    begin();
  }

  // False: enough. An error: it is not an answer, or too long.
  Result<bool> take(std::string_view bytes) {
    heard_ = heard_ || !bytes.empty();
    pending_ += bytes;
    while (!pending_.empty()) {
      if (parser_->chunked() && is_cut_last_chunk(pending_)) return true;
      boost::system::error_code error;
      const std::size_t taken = parser_->put(boost::asio::buffer(pending_), error);
      pending_.erase(0, taken);
      if (error == http::error::need_more) return await_more();
      if (error) return fail(ErrorKind::unavailable, explain(error));
      if (!parser_->is_done()) {
        if (taken == 0) return await_more();
        continue;
      }
      if (http::to_status_class(parser_->get().result_int()) != http::status_class::informational) {
        return false;
      }
      if (++interim_ > kMaxInterimAnswers) return fail(ErrorKind::unavailable, "no final answer");
      begin();
    }
    return true;
  }

  Result<void> finish() {
    if (parser_->is_done()) return {};
    if (!parser_->got_some()) {
      return fail(ErrorKind::unavailable, "the connection was closed without an answer");
    }
    boost::system::error_code error;
    parser_->put_eof(error);
    if (error || !parser_->is_done()) {
      return fail(ErrorKind::unavailable, "the connection was closed before the end");
    }
    return {};
  }

  bool heard() const { return heard_; }
  bool has_header() const { return parser_->is_header_done(); }
  const Message& message() const { return parser_->get(); }
  // What of the body has come since the last time.
  std::string take_body() { return std::exchange(parser_->get().body(), {}); }
  // Another request may follow over the same connection.
  bool may_go_on() const { return parser_->is_done() && parser_->keep_alive() && pending_.empty(); }
  Message release() { return parser_->release(); }

 private:
  static constexpr std::uint32_t kMaxHeaderBytes = 64u << 10;
  static constexpr int kMaxInterimAnswers = 8;

  // Beast has no limit for the rest of a line after the size of a chunk, nor for what follows the
  // last one.
  Result<bool> await_more() const {
    if (pending_.size() <= kMaxHeaderBytes) return true;
    return fail(ErrorKind::unavailable, "no proper answer (a line without an end)");
  }

  void begin() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    if (most_bytes_) {
      parser_->body_limit(*most_bytes_);
    } else {
      parser_->body_limit(boost::none);
    }
    parser_->eager(true);
  }

  std::string explain(const boost::system::error_code& error) const {
    if (error == http::error::body_limit) {
      return "the answer is longer than " + std::to_string(*most_bytes_ >> 20) + " MB";
    }
    return "no proper answer (" + error.message() + ")";
  }

  std::optional<std::size_t> most_bytes_;
  std::string pending_;
  std::optional<http::response_parser<http::string_body>> parser_;
  int interim_ = 0;
  bool heard_ = false;
};

}  // namespace talaria::http
