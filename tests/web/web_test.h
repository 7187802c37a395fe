// WebTest: the web tools in a network of the test's own. Every host is where the test says;
// whatever address is connected to, it is the server of server.py that answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/program.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"
#include "tools/web_extract.h"
#include "tools/web_search.h"

namespace talaria::test {

class FakeNetwork final : public http::Network {
 public:
  Task<Result<http::Addresses>> resolve(std::string host) override {
    asked.push_back(host);
    boost::system::error_code no_number;
    const auto number = asio::ip::make_address(host, no_number);
    if (!no_number) co_return http::Addresses{number};
    const auto found = hosts.find(host);
    if (found == hosts.end()) co_return fail(ErrorKind::not_found, host + ": Host not found");
    std::vector<std::string> answer = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    http::Addresses addresses;
    for (const std::string& text : answer) addresses.push_back(asio::ip::make_address(text));
    co_return addresses;
  }

  asio::ip::tcp::endpoint endpoint(const asio::ip::address& address, std::uint16_t) const override {
    connected.push_back(address.to_string());
    return {asio::ip::address_v4::loopback(), port};
  }

  // What each lookup of a host brings; the last answer stays.
  std::map<std::string, std::vector<std::vector<std::string>>> hosts{
      {"public.test", {{"93.184.216.34"}}}};
  std::uint16_t port = 0;
  std::vector<std::string> asked;
  mutable std::vector<std::string> connected;
};

class WebTest : public TalariaTest {
 protected:
  WebTest() { start_server({}); }
  void TearDown() override {
    server_.reset();
    TalariaTest::TearDown();
  }

  void start_server(const std::vector<std::string>& words) {
    std::vector<std::string> argv{"python3", TALARIA_WEB_SERVER};
    argv.insert(argv.end(), words.begin(), words.end());
    server_ = std::make_unique<Program>(
        ProgramSpec{.argv = argv, .env = world_.env(), .keep_stdin_open = true});
    if (!server_->read_until_contains("\n")) throw std::runtime_error("no server");
    network_.port = static_cast<std::uint16_t>(std::stoi(server_->out()));
  }

  // A server that can show to be this host, if ca_file_ is believed.
  void start_server_of(const std::string& host) {
    const std::string key = world_.path("key.pem");
    ca_file_ = world_.path("certificate.pem");
    Program openssl({.argv = {"openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout",
                              key, "-out", ca_file_, "-days", "2", "-subj", "/CN=" + host,
                              "-addext", "subjectAltName=DNS:" + host},
                     .env = world_.env()});
    if (!openssl.wait()) throw std::runtime_error("no certificate: " + openssl.err());
    start_server({ca_file_, key});
    network_.hosts[host] = {{"93.184.216.34"}};
  }

  std::string port() const { return std::to_string(network_.port); }

  json::object extract(json::value urls) {
    const web::WebsitePolicy policy(config_.blocklist, "/");
    web::WebAccess access{config_, policy, network_, limits_, ca_file_};
    return run_to_end(tool::web_extract_in(access, {{"urls", std::move(urls)}}, cancel_));
  }
  json::object search(json::object arguments) {
    const web::WebsitePolicy policy;
    web::WebAccess access{config_, policy, network_, limits_, ca_file_};
    return run_to_end(tool::web_search_in(access, std::move(arguments), cancel_));
  }

  // What a call answers that is cancelled while it waits for a server; `call` gets the access.
  template <class Call>
  json::object interrupted(Call call) {
    CancelToken cancel = cancel_;
    asio::io_context loop(1);
    asio::steady_timer soon(loop, std::chrono::milliseconds(200));
    soon.async_wait([&](const boost::system::error_code&) { cancel.cancel(); });
    const web::WebsitePolicy policy;
    web::WebAccess access{config_, policy, network_, limits_, ca_file_};
    const auto begun = std::chrono::steady_clock::now();
    json::object answer = run_to_end(loop, call(access));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
    return answer;
  }

  // Of one page that is all that was asked for.
  json::object item(const std::string& url) {
    const json::object answer = extract(json::array{json::value(url)});
    return answer.at("results").as_array().at(0).as_object();
  }
  std::string error(const std::string& url) {
    const json::value found = item(url).at("error");
    return found.is_string() ? std::string(found.as_string()) : "";
  }
  std::string content(const std::string& url) {
    const json::object found = item(url);
    return std::string(found.at("content").as_string());
  }
  // Of a path of the server, at a public address.
  static std::string at(const std::string& path) { return "http://public.test" + path; }

  FakeNetwork network_;
  host::WebConfig config_;
  http::HttpLimits limits_{
      .time = std::chrono::seconds(10), .body_bytes = 1u << 20, .decoded_bytes = 1u << 20};
  std::string ca_file_;
  CancelToken cancel_;
  std::unique_ptr<Program> server_;
};

inline constexpr const char* kBlocked =
    "Blocked: URL targets a private or internal network address";

}  // namespace talaria::test
