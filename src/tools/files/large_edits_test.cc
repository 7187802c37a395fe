// Edits of large files: the loop serves others while they are computed.
#include <chrono>
#include <memory>
#include <string>

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "testing/fake_call.h"
#include "testing/fake_environment.h"
#include "testing/loop_gaps.h"
#include "testing/open_policy.h"
#include "testing/run_to_end.h"
#include "tools/call_tool.h"
#include "tools/files/file_memory.h"
#include "tools/tool_table.h"

namespace talaria::tool {
namespace {

std::string filled_with(std::string_view part, std::size_t bytes) {
  std::string all;
  all.reserve(bytes + part.size());
  while (all.size() < bytes) all += part;
  return all;
}

// Each line another one.
std::string numbered_lines(std::size_t lines) {
  std::string all;
  for (std::size_t i = 0; i < lines; ++i) all += "    value_" + std::to_string(i) + " = old\n";
  return all;
}

std::string json_list(std::size_t bytes) {
  return "[" + filled_with("[1,\"two\"],", bytes) + "3]\n";
}

std::string notebook(std::size_t bytes) {
  return "{\"cells\":[" + filled_with(R"({"cell_type":"code","source":["a\n","b\n"]},)", bytes) +
         R"({"cell_type":"code","source":"last"}]})";
}

class LargeEdits : public testing::Test {
 protected:
  json::object call(std::string_view name, json::object arguments) {
    asio::io_context loop(1);
    const test::LoopGaps gaps(loop.get_executor());
    ToolCall call = test::tool_call(host_, policy_, std::move(arguments));
    call.files = &memory_;
    const auto begun = test::LoopGaps::Clock::now();
    json::object result = test::run_to_end(loop, call_tool(*find_tool(name), std::move(call)));
    took_ = test::LoopGaps::Clock::now() - begun;
    longest_ = gaps.longest();
    return result;
  }

  // What the call took was spent beside the loop. (The fake files work on the loop.)
  void expect_free_loop() const {
    EXPECT_GT(took_, std::chrono::milliseconds(80)) << "too quick to show anything";
    EXPECT_LT(longest_, took_ * 4 / 5);
  }

  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  host::Host host_ = fake_host(fake_);
  test::OpenPolicy policy_{host_};
  FileMemory memory_;
  test::LoopGaps::Clock::duration took_{0};
  test::LoopGaps::Clock::duration longest_{0};
};

TEST_F(LargeEdits, AReplacement) {
  fake_->files.put("/f.txt", numbered_lines(600'000));
  const json::object result = call("patch", {{"path", "/f.txt"},
                                             {"old_string", "value_150000 =  old\n"},
                                             {"new_string", "value_150000 = new\n"}});
  EXPECT_EQ(result.at("success"), true) << json::serialize(result);
  expect_free_loop();
}

TEST_F(LargeEdits, APatch) {
  fake_->files.put("/f.txt", numbered_lines(1'000'000));
  const json::object result =
      call("patch", {{"mode", "patch"},
                     {"patch",
                      "*** Begin Patch\n*** Update File: /f.txt\n@@\n     value_1 = old\n"
                      "-    value_2 = old\n+    value_2 = new\n*** End Patch\n"}});
  EXPECT_EQ(result.at("success"), true) << json::serialize(result);
  expect_free_loop();
}

TEST_F(LargeEdits, TheCheckOfJson) {
  const json::object result =
      call("write_file", {{"path", "/f.json"}, {"content", json_list(16'000'000)}});
  EXPECT_EQ(result.at("lint").at("status"), "ok") << json::serialize(result);
  expect_free_loop();
}

TEST_F(LargeEdits, TheCheckOfYaml) {
  const json::object result =
      call("write_file",
           {{"path", "/f.yaml"}, {"content", filled_with("- a: 1\n  b: two\n", 8'000'000)}});
  EXPECT_EQ(result.at("lint").at("status"), "ok") << json::serialize(result);
  expect_free_loop();
}

TEST_F(LargeEdits, ANotebook) {
  fake_->files.put("/f.ipynb", notebook(12'000'000));
  const json::object result = call("read_file", {{"path", "/f.ipynb"}, {"limit", 10}});
  EXPECT_TRUE(result.contains("content")) << json::serialize(result);
  expect_free_loop();
}

}  // namespace
}  // namespace talaria::tool
