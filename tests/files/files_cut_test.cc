// The link is cut while files are on their way: each arrives whole, in one step, and nothing else
// is left behind.
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "environment/local/local_environment.h"
#include "files/content.h"
#include "support/cut_proxy.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

class FilesCutTest : public TalariaTest {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(world_.exec("true").code(), 0);  // a runner is there
    environment_ = *environment::local::make_local_environment(
        loop_->get_executor(), {.home = world_.path("home"), .lifetime = std::chrono::seconds(60)});
  }
  void TearDown() override {
    end();
    TalariaTest::TearDown();
  }
  void end() {
    environment_.reset();
    if (!loop_) return;
    loop_->restart();
    loop_->poll();
    loop_.reset();
  }

  template <class T>
  T wait(Task<T> task) {
    return run_to_end(*loop_, std::move(task));
  }
  std::size_t names_in(const std::string& directory) const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(directory),
                                                  std::filesystem::directory_iterator()));
  }

  std::optional<asio::io_context> loop_{std::in_place, 1};  // its descriptors end with it
  std::unique_ptr<environment::Environment> environment_;
};

TEST_F(FilesCutTest, CutsOnTheWayThereLoseAndRepeatNothing) {
  const std::string root = world_.directory("files");
  const std::string large = pattern(5'000'003);
  std::mt19937 random(2);
  std::vector<Cut> cuts;
  for (int i = 0; i < 12; ++i) cuts.push_back({.from_controller = 1 + random() % 900'000});
  for (int i = 0; i < 8; ++i) cuts.push_back({.from_runner = 100 + random() % 200});
  const CutProxy proxy(world_.runner_directory(), cuts);
  std::vector<environment::FileToWrite> files;
  for (int i = 0; i < 50; ++i) {
    files.push_back(content({root + "/" + std::to_string(i)}, pattern(20'000 + i)));
  }
  files.push_back(content({root + "/large"}, large));
  const auto results = wait(environment_->files().write(std::move(files), CancelToken{}));
  for (const auto& result : results) EXPECT_TRUE(result) << result.error().message();
  EXPECT_GE(proxy.cuts_made(), 10u);
  EXPECT_EQ(sha256_hex(world_.read("files/large")), sha256_hex(large));
  EXPECT_EQ(sha256_hex(world_.read("files/49")), sha256_hex(pattern(20'049)));
  EXPECT_EQ(names_in(root), 51u);
}

TEST_F(FilesCutTest, CutsOnTheWayBackLoseAndRepeatNothing) {
  const std::string root = world_.directory("files");
  const std::string large = pattern(5'000'003);
  std::vector<environment::FileToWrite> one;
  one.push_back(content({root + "/large"}, large));
  ASSERT_TRUE(wait(environment_->files().write(std::move(one), CancelToken{})).at(0));
  end();
  loop_.emplace(1);
  environment_ = *environment::local::make_local_environment(
      loop_->get_executor(), {.home = world_.path("home"), .lifetime = std::chrono::seconds(60)});
  std::mt19937 random(3);
  std::vector<Cut> cuts;
  for (int i = 0; i < 12; ++i) cuts.push_back({.from_runner = 1 + random() % 700'000});
  const CutProxy proxy(world_.runner_directory(), cuts);
  std::string back;
  const auto read = wait(environment_->files().read(
      {root + "/large"}, 0, 0, [&](std::string_view piece) { back += piece; }, CancelToken{}));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_TRUE(read->eof);
  EXPECT_EQ(sha256_hex(back), sha256_hex(large));
  EXPECT_EQ(proxy.cuts_made(), 12u);
}

TEST_F(FilesCutTest, AnUploadWhoseRunnerIsKilledLeavesTheOldFileAndNothingElse) {
  const std::string root = world_.directory("files");
  std::vector<environment::FileToWrite> old;
  old.push_back(content({root + "/f"}, "old"));
  ASSERT_TRUE(wait(environment_->files().write(std::move(old), CancelToken{})).at(0));
  const auto runner = world_.runner();
  ASSERT_TRUE(runner);
  std::vector<environment::FileToWrite> large;
  large.push_back(content({root + "/f"}, pattern(4'000'000)));
  const auto whole = large[0].next;
  int pieces = 0;
  large[0].next = [&, whole](std::size_t most) {
    if (++pieces == 4) ::kill(runner->pid(), SIGKILL);
    return whole(most);
  };
  const auto results = wait(environment_->files().write(std::move(large), CancelToken{}));
  ASSERT_FALSE(results.at(0));
  EXPECT_EQ(world_.read("files/f"), "old");
  EXPECT_EQ(names_in(root), 1u);
}

}  // namespace
}  // namespace talaria::test
