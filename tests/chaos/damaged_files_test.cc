// Bits that changed on disk: what cannot be trusted is not used, and the result says so.
#include <fstream>

#include "support/process_tool_test.h"

namespace talaria::test {
namespace {

class DamagedFilesTest : public ProcessToolTest {
 protected:
  // Changes a bit in the last place where the only file of `folder` has `text`.
  void damage(const std::string& folder, const std::string& text) {
    const std::string directory = world_.runner_directory() + "/" + folder;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      const std::string bytes((std::istreambuf_iterator<char>(file)), {});
      const std::size_t at = bytes.rfind(text);
      ASSERT_NE(at, std::string::npos) << entry.path();
      file.clear();
      file.seekp(static_cast<std::streamoff>(at));
      file.put(static_cast<char>(text[0] ^ 1));
    }
  }
};

TEST_F(DamagedFilesTest, ASessionWithAChangedBitStartsAfreshAndSaysSo) {
  {
    LinesClient agent(world_);
    agent.run("export GREETING=hello");
  }
  ASSERT_TRUE(world_.stop_runner());
  damage("sessions", "hello");
  LinesClient agent(world_);
  const json::object result = agent.run("echo \"[$GREETING]\"");
  EXPECT_EQ(output_of(result), "[]");
  EXPECT_NE(notices_of(result).find("damaged"), std::string::npos) << notices_of(result);
  const std::string sessions = world_.runner_directory() + "/sessions";
  for (const auto& entry : std::filesystem::directory_iterator(sessions)) {
    if (entry.path().extension() == ".damaged") std::filesystem::remove(entry.path());
  }
}

TEST_F(DamagedFilesTest, AProcessWhoseEndHasAChangedBitIsLostAndSaysSo) {
  std::string id;
  {
    LinesClient agent(world_);
    id = agent.start_process("echo marker; exit 3");
    EXPECT_EQ(code_of(wait(agent, id)), 3);
  }
  ASSERT_TRUE(world_.stop_runner());
  damage("jobs", "marker");
  LinesClient agent(world_);
  const json::object ended = wait(agent, id);
  EXPECT_NE(code_of(ended), 3);
  EXPECT_EQ(text(ended, "completion_reason"), "lost");
  EXPECT_NE(notices_of(ended).find("damaged"), std::string::npos) << notices_of(ended);
  EXPECT_EQ(text(ended, "output"), "marker\n");
}

}  // namespace
}  // namespace talaria::test
