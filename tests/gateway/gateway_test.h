// GatewayTest: a gateway of its own for every test, at target local, and a client with a token.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/http_test_client.h"
#include "support/talaria_test.h"

namespace talaria::test {

namespace json = boost::json;

class GatewayTest : public TalariaTest {
 protected:
  GatewayTest() {
    world_.set("TALARIA_APPROVALS_HEADLESS", "deny");
    world_.set("HERMES_YOLO_MODE", "1");  // tests write their signs of life outside the sandbox
    token_ = new_token("tester");
  }

  void TearDown() override {
    if (gateway_) stop_gateway();
    TalariaTest::TearDown();
  }

  std::string new_token(const std::string& name, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"token", "add"};
    words.insert(words.end(), more.begin(), more.end());
    words.push_back(name);
    const Finished made = world_.run(words);
    EXPECT_EQ(made.code(), 0) << made.err;
    return trim_end(made.out);
  }

  // Starts one and waits until it listens; port() says where.
  void start_gateway(std::vector<std::string> more = {}) {
    std::vector<std::string> words{"serve", "--listen", "127.0.0.1:0"};
    words.insert(words.end(), more.begin(), more.end());
    gateway_ = world_.start(words);
    ASSERT_TRUE(gateway_->read_until_contains(", target ")) << gateway_->err();
    const std::string mark = "127.0.0.1:";
    port_ = static_cast<std::uint16_t>(
        std::stoi(gateway_->out().substr(gateway_->out().find(mark) + mark.size())));
  }

  void kill_gateway() {
    gateway_->kill(SIGKILL);
    (void)gateway_->wait();
    gateway_.reset();
  }

  void stop_gateway() {
    gateway_->kill(SIGTERM);
    const auto ended = gateway_->wait();
    EXPECT_TRUE(ended) << "it does not stop";
    if (ended) {
      EXPECT_EQ(exit_code_of(*ended), 0) << gateway_->err();
    }
    gateway_.reset();
  }

  HttpTestClient client() const {
    HttpTestClient one(port_);
    one.token = token_;
    return one;
  }

  static std::string body(const json::object& object) { return json::serialize(object); }

  // A sandbox of this client, its id.
  static std::string create(HttpTestClient& http, const json::object& fields = {}) {
    const HttpAnswer made = http.post("/v1/sandboxes", body(fields));
    EXPECT_EQ(made.status, 201) << made.body;
    return made.status == 201 ? made.text("id") : "";
  }

  static std::string execs(const std::string& sandbox) {
    return "/v1/sandboxes/" + sandbox + "/execs";
  }

  // Runs a command to its end.
  static json::object run(HttpTestClient& http, const std::string& sandbox, const std::string& id,
                          const std::string& command, json::object more = {}) {
    more["execId"] = id;
    more["command"] = command;
    HttpAnswer answer = http.post(execs(sandbox) + "?wait=30000", body(more));
    EXPECT_EQ(answer.status, 200) << answer.body;
    return answer.status == 200 ? answer.json().as_object() : json::object();
  }

  std::string token_;
  std::uint16_t port_ = 0;
  std::unique_ptr<Program> gateway_;
};

}  // namespace talaria::test
