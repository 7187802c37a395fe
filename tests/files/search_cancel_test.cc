// Searches that do not come to their end: given up, or done while the tree goes away.
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include "environment/local/local_environment.h"
#include "support/talaria_test.h"
#include "testing/run_to_end.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

class SearchLifeTest : public TalariaTest {
 protected:
  void SetUp() override {
    ::setenv("HOME", world_.directory("user").c_str(), 1);
    environment_ = *environment::local::make_local_environment(
        loop_->get_executor(), {.home = world_.path("home"), .lifetime = std::chrono::seconds(60)});
    root_ = world_.directory("tree");
  }
  void TearDown() override {
    environment_.reset();
    loop_->restart();
    loop_->poll();
    loop_.reset();
    TalariaTest::TearDown();  // and no process is left
  }
  void fill(int directories, int files) {
    for (int d = 0; d < directories; ++d) {
      const std::string directory = root_ + "/" + std::to_string(d);
      fs::create_directory(directory);
      for (int f = 0; f < files; ++f) {
        std::ofstream(directory + "/" + std::to_string(f)) << "needle " << f << "\n";
      }
    }
  }

  std::optional<asio::io_context> loop_{std::in_place, 1};
  std::unique_ptr<environment::Environment> environment_;
  std::string root_;
};

TEST_F(SearchLifeTest, OneThatIsGivenUpEnds) {
  // The runner is there: one that is being started is not known to whoever ends it.
  ASSERT_TRUE(run_to_end(
      *loop_, environment_->files().search({.path = root_, .pattern = "x"}, CancelToken{})));
  CancelToken token;
  asio::steady_timer soon(*loop_, std::chrono::milliseconds(1));
  soon.async_wait([&](boost::system::error_code) { token.cancel(); });
  const auto found = run_to_end(
      *loop_,
      environment_->files().search(
          {.path = "/", .pattern = "(x+x+)+y", .engine = link::SearchEngine::runner}, token));
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind(), ErrorKind::interrupted);
}

TEST_F(SearchLifeTest, ATreeThatGoesAwayMeanwhileIsNoFailure) {
  fill(60, 20);
  for (const link::SearchEngine engine : {link::SearchEngine::any, link::SearchEngine::runner}) {
    std::thread remover([&] {
      for (int d = 0; d < 60; ++d) fs::remove_all(root_ + "/" + std::to_string(d));
    });
    const auto found = run_to_end(
        *loop_, environment_->files().search({.path = root_, .pattern = "needle", .engine = engine},
                                             CancelToken{}));
    remover.join();
    EXPECT_TRUE(found) << found.error().message();
    fill(60, 20);
  }
}

}  // namespace
}  // namespace talaria::test
