// What tests of scripts share: one is run as an agent would, its result is JSON.
#pragma once

#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/lines_client.h"
#include "support/talaria_test.h"

namespace talaria::test {

class ScriptTest : public TalariaTest {
 protected:
  static std::string arguments(const std::string& code) {
    return json::serialize(json::object{{"code", code}});
  }

  json::object run(const std::string& code) {
    const Finished finished = world_.run({"call", "--task", "t", "execute_code", arguments(code)});
    EXPECT_NE(finished.out, "") << finished.err;
    return finished.out.empty() ? json::object() : json::parse(finished.out).as_object();
  }

  std::string terminal(const std::string& command) {
    const std::string asked = json::serialize(json::object{{"command", command}});
    const Finished finished = world_.run({"call", "--task", "t", "terminal", asked});
    return std::string(json::parse(finished.out).at("output").as_string());
  }

  static std::string text(const json::object& result, std::string_view name) {
    const json::value* value = result.if_contains(name);
    return value && value->is_string() ? std::string(value->get_string()) : "(none)";
  }
  static std::string output(const json::object& result) { return text(result, "output"); }

  void configure(const std::string& yaml);
};

}  // namespace talaria::test
