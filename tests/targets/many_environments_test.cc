// Fifty environments of one program at the same time: each has its own state, none is mixed up with
// another, and with them goes everything that was there for them.
#include <algorithm>
#include <filesystem>
#include <set>

#include <gmock/gmock.h>

#include "os/file.h"
#include "os/proc.h"
#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

constexpr int kMany = 50;
constexpr int kSome = 12;  // more than are made or closed at a time
constexpr int kCommands = 20;
constexpr auto kLongPatience = std::chrono::seconds(150);  // fifty containers take a while

class ManyEnvironmentsTest : public ContainerTest {
 protected:
  void SetUp() override {
    ContainerTest::SetUp();
    world_.set("TERMINAL_CONTAINER_MEMORY", "256");
    world_.set("TERMINAL_CONTAINER_CPU", "0");
    world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
    world_.set("TMPDIR", world_.directory("tmp"));
  }

  static std::string task(int number) { return "task-" + std::to_string(number); }

  // Each task has an environment of its own from now on.
  void set_apart(LinesClient& agent, int count) {
    for (int i = 0; i < count; ++i) {
      agent.ask("env.override",
                {{"task", task(i)}, {"overrides", {{"docker_image", engine(GetParam().image)}}}});
    }
  }

  // One command of every task, all at the same time. The session counts, and a file does.
  void run_round(LinesClient& agent, int count, int round) {
    std::vector<int> calls;
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      calls.push_back(agent.send({.command = "export N=$((N + 1)); echo x >>/root/count; echo " +
                                             number + " $N $(wc -l </root/count)",
                                  .task = task(i)}));
    }
    for (int i = 0; i < count; ++i) {
      const json::object result = agent.result(calls[static_cast<std::size_t>(i)], kLongPatience);
      const std::string counted = " " + std::to_string(round);
      EXPECT_EQ(output_of(result), std::to_string(i) + counted + counted) << error_of(result);
      EXPECT_EQ(code_of(result), 0);
    }
  }

  static std::size_t descriptors_of(pid_t pid) {
    const std::filesystem::directory_iterator entries("/proc/" + std::to_string(pid) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }

  // Everything Talaria has written on this machine.
  std::set<std::string> files() const {
    std::set<std::string> found;
    for (const char* place : {"home", "tmp", "user", "sandboxes"}) {
      std::error_code ignored;
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(world_.path(place), ignored)) {
        found.insert(entry.path());
      }
    }
    return found;
  }

  // The processes of this machine that serve these containers.
  std::vector<pid_t> shims_of(const std::vector<std::string>& ids) {
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const auto line = os::read_file(entry.path().string() + "/cmdline", 4096);
      if (!line || !line->contains("containerd-shim")) continue;
      const auto serves = [&](const std::string& id) { return line->contains(id); };
      if (std::ranges::any_of(ids, serves)) found.push_back(std::stoi(entry.path().filename()));
    }
    return found;
  }
};

TEST_P(ManyEnvironmentsTest, EachIsItsOwnAndNothingIsLeftOfThem) {
  LinesClient agent(world_);
  const pid_t program = agent.program().pid();
  agent.run("true");  // what the first container of a home brings, the runner's file for example
  agent.ask("env.remove", {{"all", true}, {"force", true}});
  set_apart(agent, kMany);
  const std::size_t descriptors = descriptors_of(program);
  const std::set<std::string> before = files();

  for (int round = 1; round <= kCommands; ++round) run_round(agent, kMany, round);
  const std::vector<std::string> ids = containers();
  EXPECT_THAT(ids, SizeIs(kMany));
  EXPECT_THAT(shims_of(ids), SizeIs(kMany));

  const int removal = agent.send_method("env.remove", {{"all", true}, {"force", true}});
  const json::object removed = agent.result(removal, kLongPatience);
  EXPECT_EQ(removed.at("removed").to_number<int>(), kMany);
  EXPECT_THAT(containers(), IsEmpty());
  EXPECT_TRUE(eventually([&] { return shims_of(ids).empty(); }));
  EXPECT_TRUE(eventually([&] { return os::descendants(program).empty(); }));
  EXPECT_TRUE(eventually([&] { return descriptors_of(program) <= descriptors; }))
      << descriptors_of(program) << " descriptors, not " << descriptors;
  EXPECT_EQ(files(), before);
  EXPECT_EQ(agent.end(), 0);
}

// With the program, without a word.
TEST_P(ManyEnvironmentsTest, ThoseOfOneProgramGoWithIt) {
  world_.set("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES", "false");
  LinesClient agent(world_);
  set_apart(agent, kSome);
  run_round(agent, kSome, 1);
  const std::vector<std::string> ids = containers();
  EXPECT_THAT(ids, SizeIs(kSome));
  agent.program().close_stdin();
  EXPECT_TRUE(agent.program().wait(kLongPatience));
  EXPECT_THAT(containers(), IsEmpty());
  EXPECT_TRUE(eventually([&] { return shims_of(ids).empty(); }));
}

INSTANTIATE_TEST_SUITE_P(Engines, ManyEnvironmentsTest, testing::Values(kContainerEngines[0]),
                         engine_name);

}  // namespace
}  // namespace talaria::test
