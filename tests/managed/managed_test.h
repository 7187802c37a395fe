// ManagedTest: target managed, at a gateway of the test's own (gateway.py) that says what the test
// wants it to say.
#pragma once

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {

class ManagedTest : public TalariaTest {
 protected:
  static constexpr const char* kToken = "tok-6dd1f3c0ffee";

  void SetUp() override {
    world_.set("TERMINAL_ENV", "managed");
    world_.set("TOOL_GATEWAY_USER_TOKEN", kToken);
    world_.set("TERMINAL_CWD", world_.directory("work"));
  }

  void TearDown() override {
    gateway_.reset();
    TalariaTest::TearDown();
  }

  // Lists of answers for routes; see gateway.py.
  void serve(const json::object& script = {}) {
    const std::string path = world_.path("script.json");
    std::ofstream(path) << json::serialize(script);
    std::vector<std::string> env = world_.env();
    std::erase_if(env, [](const std::string& entry) { return entry.contains(kToken); });
    gateway_ = std::make_unique<Program>(
        ProgramSpec{.argv = {"python3", TALARIA_MANAGED_GATEWAY, path, world_.path("log")},
                    .env = std::move(env),
                    .keep_stdin_open = true});
    if (!gateway_->read_until_contains("\n")) throw std::runtime_error("no gateway");
    world_.set("MODAL_GATEWAY_URL", "http://127.0.0.1:" + trim_end(gateway_->out()));
  }

  // What it was asked, in order; of one route if that is named. A line may be half written yet.
  std::vector<json::object> asked(const std::string& route = "") {
    std::vector<json::object> requests;
    std::istringstream lines(world_.read("log"));
    for (std::string line; std::getline(lines, line) && !lines.eof();) {
      json::object request = json::parse(line).as_object();
      if (route.empty() || request.at("route").as_string() == route) {
        requests.push_back(std::move(request));
      }
    }
    return requests;
  }
  std::size_t count(const std::string& route) { return asked(route).size(); }

  std::string path(const json::object& request) {
    return std::string(request.at("path").as_string());
  }
  std::string header(const json::object& request, const char* name) {
    const json::value* const found = request.at("headers").as_object().if_contains(name);
    return found ? std::string(found->as_string()) : "";
  }

  // One command, by a program of its own.
  json::object run(const std::string& command, int timeout = 0) {
    LinesClient agent(world_);
    return agent.run({.command = command, .timeout = timeout});
  }

  static json::object exec_says(json::object body, int status = 200) {
    body.emplace("execId", "$EXEC");
    return {{"status", status}, {"json", std::move(body)}};
  }
  static json::object goes_on() { return exec_says({{"status", "running"}}, 202); }

  std::unique_ptr<Program> gateway_;
};

}  // namespace talaria::test
