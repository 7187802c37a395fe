// ProcessToolTest: processes in the background through the built program, by the process tool.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "support/talaria_test.h"

namespace talaria::test {

class ProcessToolTest : public TalariaTest {
 protected:
  static json::object poll(LinesClient& agent, const std::string& id) {
    return agent.process({{"action", "poll"}, {"session_id", id}});
  }
  static json::object wait(LinesClient& agent, const std::string& id, int timeout = 10) {
    return agent.process({{"action", "wait"}, {"session_id", id}, {"timeout", timeout}});
  }
  static json::object kill(LinesClient& agent, const std::string& id) {
    return agent.process({{"action", "kill"}, {"session_id", id}});
  }
  static std::string text(const json::object& result, std::string_view name) {
    return std::string(result.at(name).as_string());
  }
  static bool shows(LinesClient& agent, const std::string& id, const std::string& what) {
    return eventually([&] { return text(poll(agent, id), "output_preview").contains(what); });
  }
  static std::chrono::milliseconds since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                                 start);
  }
};

}  // namespace talaria::test
