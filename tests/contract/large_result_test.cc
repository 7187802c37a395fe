// What a caller may rely on when a result is too large for a model.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class LargeResultTest : public FileToolTest {
 protected:
  void SetUp() override {
    world_.directory("home");
    std::ofstream(world_.path("home/config.yaml")) << "tool_output: {max_bytes: 1000000}\n";
    world_.set("TMPDIR", world_.directory("tmp") + "/");
  }
  // Of a command that prints so many lines of 100 characters.
  json::object print(int lines, const json::object& more = {}) {
    json::object request{
        {"id", ++last_},
        {"tool", "terminal"},
        {"task", "t"},
        {"args", {{"command", "yes " + line() + " | head -n " + std::to_string(lines)}}}};
    for (const auto& [name, value] : more) request[name] = value;
    agent().send_line(json::serialize(request));
    return agent().result(last_);
  }
  static std::string line() { return std::string(99, 'x'); }
  std::vector<std::string> kept() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(results())) {
      found.push_back(entry.path().filename());
    }
    std::ranges::sort(found);
    return found;
  }
  std::string results() const { return world_.path("tmp/hermes-results"); }

  int last_ = 1000;
};

TEST_F(LargeResultTest, AllOfItIsInAFileThatReadFilePagesThrough) {
  const json::object answer = print(3000, {{"tool_call_id", "call_1"}});
  const std::string path = text(answer, "persisted_path");
  EXPECT_EQ(path, results() + "/call_1.txt");
  EXPECT_EQ(number(answer, "exit_code"), 0);
  EXPECT_THAT(text(answer, "output"), HasSubstr("\nFull output saved to: " + path + "\n"));
  EXPECT_THAT(text(answer, "output"), EndsWith("\n...\n</persisted-output>"));
  EXPECT_LT(json::serialize(answer).size(), 4000u);

  const std::string content = world_.read("tmp/hermes-results/call_1.txt");
  std::string all;
  for (int i = 0; i < 3000; ++i) all += line() + "\n";
  EXPECT_THAT(content, StartsWith("output:\n" + all));
  struct stat info{};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0600u);
  ASSERT_EQ(::stat(results().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0700u);

  const json::object page = read({{"path", path}, {"offset", 3000}, {"limit", 2}});
  EXPECT_EQ(text(page, "content"), "3000|" + line() + "\n3001|" + line());
}

TEST_F(LargeResultTest, ProcessReadTakesItByBytes) {
  const std::string path = text(print(3000, {{"tool_call_id", "call_1"}}), "persisted_path");
  const std::string content = world_.read("tmp/hermes-results/call_1.txt");
  std::string all;
  json::object part;
  do {
    part = agent().process(
        {{"action", "read"}, {"session_id", path}, {"from", all.size()}, {"max", 100'000}});
    all += text(part, "data");
    ASSERT_EQ(number(part, "next"), static_cast<std::int64_t>(all.size()));
    ASSERT_EQ(number(part, "total"), static_cast<std::int64_t>(content.size()));
  } while (!part.at("eof").as_bool() && all.size() < content.size());
  EXPECT_EQ(all, content);
  EXPECT_TRUE(part.at("eof").as_bool());
}

// Its owner can put anything in place of what is kept there, also of what root keeps.
TEST_F(LargeResultTest, ADirectoryOfAnotherUserIsNotUsed) {
  constexpr uid_t kSomebody = 65534;
  std::filesystem::create_directory(results());
  if (::chown(results().c_str(), kSomebody, kSomebody) != 0) {
    GTEST_SKIP() << "only root can give a directory away";
  }
  const std::string path = text(print(3000, {{"tool_call_id", "call_1"}}), "persisted_path");
  EXPECT_THAT(path, StartsWith(results() + "-"));
  EXPECT_THAT(path, EndsWith("/call_1.txt"));
  EXPECT_THAT(kept(), testing::IsEmpty());
}

TEST_F(LargeResultTest, ProcessReadRefusesWhatReadFileDoes) {
  std::ofstream(world_.path("home/.env")) << "KEY=x\n";
  for (const std::string& path : {std::string("/dev/zero"), world_.path("home/.env"),
                                  world_.path("work"), world_.path("work/none")}) {
    const json::object part = agent().process({{"action", "read"}, {"session_id", path}});
    EXPECT_EQ(text(part, "status"), "error") << path;
    EXPECT_FALSE(part.contains("data")) << path;
  }
}

TEST_F(LargeResultTest, ProcessReadMasksWhatReadFileMasks) {
  const std::string path = put("notes", "token ghp_" + std::string(36, 'a') + "\n");
  const json::object part =
      agent().process({{"action", "read"}, {"session_id", path}, {"raw", true}});
  EXPECT_THAT(text(part, "data"), testing::StartsWith("token "));
  EXPECT_THAT(text(part, "data"), testing::Not(testing::HasSubstr("aaaaaaaaaa")));
}

TEST_F(LargeResultTest, AReadStaysWhole) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::string(150, '"') + "\n";
  put("f", lines);
  const json::object page = read("f");
  EXPECT_GT(json::serialize(page).size(), 150'000u);
  EXPECT_FALSE(std::filesystem::exists(results()));
}

TEST_F(LargeResultTest, AnIdThatIsAPathStaysInTheDirectory) {
  const json::object first = print(1500, {{"tool_call_id", "../../x"}});
  EXPECT_EQ(text(first, "persisted_path"), results() + "/x.txt");
  const json::object second = print(1600, {{"tool_call_id", "../../x"}});
  EXPECT_THAT(kept(), ElementsAre(StartsWith("x-"), "x.txt")) << "and none replaces another";
  EXPECT_THAT(text(second, "persisted_path"), StartsWith(results() + "/x-"));
  EXPECT_FALSE(std::filesystem::exists(world_.path("x.txt")));
}

TEST_F(LargeResultTest, TheResultsOfOneTurnShareABound) {
  for (int i = 0; i < 3; ++i) {
    const json::object answer =
        print(900, {{"turn", "7"}, {"tool_call_id", "c" + std::to_string(i)}});
    EXPECT_EQ(answer.contains("persisted_path"), i == 2);
  }
  EXPECT_THAT(kept(), ElementsAre("c2.txt"));
  EXPECT_FALSE(print(900, {{"turn", "8"}}).contains("persisted_path"));
}

TEST_F(LargeResultTest, WhereItCannotBeSavedThatIsSaid) {
  const std::ofstream no_directory(world_.path("no-directory"));
  world_.set("TMPDIR", world_.path("no-directory"));
  const json::object answer = print(3000);
  EXPECT_FALSE(answer.contains("persisted_path"));
  EXPECT_THAT(text(answer, "output"),
              EndsWith(" chars. Full output could not be saved to sandbox.]"));
  EXPECT_THAT(json::serialize(answer.at("notices")), HasSubstr("no-directory"));
}

TEST_F(LargeResultTest, ALinkInPlaceOfTheDirectoryIsNotFollowed) {
  std::filesystem::create_symlink(world_.directory("elsewhere"), results());
  const json::object answer = print(3000);
  EXPECT_TRUE(std::filesystem::is_empty(world_.path("elsewhere")));
  EXPECT_THAT(text(answer, "output"), HasSubstr("</persisted-output>"));
  EXPECT_THAT(text(answer, "persisted_path"), StartsWith(world_.path("tmp/hermes-results-")));
}

TEST_F(LargeResultTest, AScriptGetsAllOfIt) {
  const json::object answer =
      agent().call("execute_code", {{"code",
                                     "from hermes_tools import terminal\n"
                                     "print(len(terminal('yes " +
                                         line() + " | head -n 3000')['output']))"}});
  EXPECT_EQ(text(answer, "output"), "299999\n");
  EXPECT_FALSE(std::filesystem::exists(results()));
}

}  // namespace
}  // namespace talaria::test
