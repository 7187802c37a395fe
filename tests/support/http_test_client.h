// HttpTestClient: a client of HTTP that says exactly what it is told to, over one connection that
// it keeps. Blocking; made anew when the server closed it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <boost/json/value.hpp>

#include "os/unique_fd.h"

namespace talaria::test {

struct HttpAnswer {
  int status = 0;                              // 0: the connection ended before one was there
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  boost::json::value json() const;
  std::string text(std::string_view field) const;  // of a JSON body; "" if it is not there
};

class HttpTestClient {
 public:
  explicit HttpTestClient(std::uint16_t port) : port_(port) {}
  explicit HttpTestClient(std::string path) : path_(std::move(path)) {}

  std::string token;  // what every request says, if it is not empty
  std::map<std::string, std::string> headers;

  HttpAnswer get(const std::string& path) { return ask("GET", path, ""); }
  HttpAnswer post(const std::string& path, const std::string& body = "",
                  const std::map<std::string, std::string>& more = {}) {
    return ask("POST", path, body, more);
  }
  HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body,
                 const std::map<std::string, std::string>& more = {});

  // The two halves of that, for who wants to do something in between.
  std::string request(const std::string& method, const std::string& path, const std::string& body,
                      const std::map<std::string, std::string>& more = {}) const;
  bool send(std::string_view bytes);
  HttpAnswer receive(std::chrono::milliseconds patience = std::chrono::seconds(40));
  // What comes until `mark`, or the connection ends: for streams.
  std::string receive_until(std::string_view mark,
                            std::chrono::milliseconds patience = std::chrono::seconds(40));
  void close() { socket_.reset(); }
  void close_own_side();  // it still reads
  bool closed_by_server(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  bool connect();
  bool read_more(std::chrono::steady_clock::time_point until);

  std::uint16_t port_ = 0;
  std::string path_;
  os::UniqueFd socket_;
  std::string unread_;
};

}  // namespace talaria::test
