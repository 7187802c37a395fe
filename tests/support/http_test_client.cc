#include "support/http_test_client.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include <boost/json/parse.hpp>

#include "base/text.h"

namespace talaria::test {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

boost::json::value HttpAnswer::json() const {
  boost::system::error_code flaw;
  boost::json::value value = boost::json::parse(body, flaw);
  if (flaw) throw std::runtime_error("no JSON: " + std::to_string(status) + " " + body);
  return value;
}

std::string HttpAnswer::text(std::string_view field) const {
  const boost::json::value value = json();
  const boost::json::value* found = value.as_object().if_contains(field);
  return found && found->is_string() ? std::string(found->get_string()) : "";
}

bool HttpTestClient::connect() {
  unread_.clear();
  const bool local = !path_.empty();
  socket_ = os::UniqueFd(::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (local) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, path_.c_str());
    return ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port_);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return ::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

void HttpTestClient::close_own_side() { ::shutdown(socket_.get(), SHUT_WR); }

bool HttpTestClient::send(std::string_view bytes) {
  if (!socket_ && !connect()) {
    socket_.reset();
    return false;
  }
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::string HttpTestClient::request(const std::string& method, const std::string& path,
                                    const std::string& body,
                                    const std::map<std::string, std::string>& more) const {
  std::map<std::string, std::string> all = headers;
  all.emplace("Host", "localhost");
  all.emplace("Content-Type", "application/json");
  if (!token.empty()) all.emplace("Authorization", "Bearer " + token);
  for (const auto& [name, value] : more) all[name] = value;
  std::string text = method + " " + path + " HTTP/1.1\r\n";
  for (const auto& [name, value] : all) text += name + ": " + value + "\r\n";
  if (!body.empty() || method != "GET") {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  return text + "\r\n" + body;
}

HttpAnswer HttpTestClient::ask(const std::string& method, const std::string& path,
                               const std::string& body,
                               const std::map<std::string, std::string>& more) {
  if (!send(request(method, path, body, more))) {
    socket_.reset();
    return {};
  }
  return receive();
}

bool HttpTestClient::read_more(Clock::time_point until) {
  if (!socket_) return false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
  pollfd ready{.fd = socket_.get(), .events = POLLIN};
  if (left.count() <= 0 || ::poll(&ready, 1, static_cast<int>(left.count())) <= 0) return false;
  std::array<char, 65536> chunk;
  const ssize_t size = ::read(socket_.get(), chunk.data(), chunk.size());
  if (size <= 0) {
    socket_.reset();
    return false;
  }
  unread_.append(chunk.data(), static_cast<std::size_t>(size));
  return true;
}

HttpAnswer HttpTestClient::receive(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  std::size_t head_end = std::string::npos;
  while ((head_end = unread_.find("\r\n\r\n")) == std::string::npos) {
    if (!read_more(until)) return {};
  }
  HttpAnswer answer;
  std::string_view head = std::string_view(unread_).substr(0, head_end);
  answer.status = std::stoi(std::string(head.substr(9, 3)));
  head.remove_prefix(std::min(head.find("\r\n") + 2, head.size()));
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find("\r\n"));
    head.remove_prefix(std::min(line.size() + 2, head.size()));
    const std::size_t colon = line.find(':');
    answer.headers[lower_case(line.substr(0, colon))] = trim(line.substr(colon + 1));
  }
  unread_.erase(0, head_end + 4);
  const auto length = answer.headers.find("content-length");
  const std::size_t size = length == answer.headers.end() ? 0 : std::stoul(length->second);
  while (unread_.size() < size) {
    if (!read_more(until)) return {};
  }
  answer.body = unread_.substr(0, size);
  unread_.erase(0, size);
  if (answer.headers["connection"] == "close" && !answer.headers.contains("transfer-encoding")) {
    socket_.reset();
  }
  return answer;
}

std::string HttpTestClient::receive_until(std::string_view mark,
                                          std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (!unread_.contains(mark)) {
    if (!read_more(until)) break;
  }
  const std::size_t found = unread_.find(mark);
  const std::size_t size = found == std::string::npos ? unread_.size() : found + mark.size();
  std::string text = unread_.substr(0, size);
  unread_.erase(0, size);
  return text;
}

bool HttpTestClient::closed_by_server(std::chrono::milliseconds patience) {
  const auto until = Clock::now() + patience;
  while (socket_ && Clock::now() < until) read_more(until);
  return !socket_;
}

}  // namespace talaria::test
