// A session in memory: when it may go, and that nothing of it is lost then.
#include "runner/session.h"

#include <cstdlib>
#include <filesystem>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "runner/limits.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

class SessionInMemory : public testing::Test {
 protected:
  SessionInMemory() {
    std::filesystem::create_directory(root_ + "/sessions");
    std::filesystem::create_directory(root_ + "/work");
    first_cwd_ = root_ + "/work";
    host_ = std::make_unique<ShellHost>(probe_shell_host(nursery(), root_ + "/prelude").value());
    store_ = std::make_unique<SessionStore>(root_ + "/sessions");
    spare_ = std::make_unique<SpareShells>(loop_.get_executor(), *host_);
  }

  static std::shared_ptr<Nursery> nursery() {
    static const auto shared = std::make_shared<Nursery>(Nursery::start().value());
    return shared;
  }

  std::unique_ptr<Session> session() {
    return std::make_unique<Session>(loop_.get_executor(), *host_, *store_, "t", *spare_);
  }

  std::shared_ptr<talaria::runner::Run> start(Session& session, const std::string& command) {
    RunRequest request{
        .spec = {.process = "p" + std::to_string(++started_), .session = "t", .command = command},
        .caller = {{"PATH", "/usr/bin:/bin"}},
        .place = {.first_cwd = first_cwd_},
        .log = std::make_unique<OutputLog>(kOutputHead, kOutputTail, SpillOptions{})};
    return session.start(std::move(request)).value();
  }

  void run_until_gone(const talaria::runner::Run& run) {
    loop_.restart();
    while (!run.finished() || !run.tree().empty()) loop_.run_one();
  }

  std::string run(Session& session, const std::string& command) {
    const auto run = start(session, command);
    run_until_gone(*run);
    return run->output().head(kOutputHead);
  }

  asio::io_context loop_;
  const test::TemporaryDirectory temporary_;
  const std::string root_ = temporary_.path();
  std::string first_cwd_;
  std::unique_ptr<ShellHost> host_;
  std::unique_ptr<SessionStore> store_;
  std::unique_ptr<SpareShells> spare_;
  int started_ = 0;
};

TEST_F(SessionInMemory, StaysWhileACommandRuns) {
  const auto session = this->session();
  const auto run = start(*session, "echo on; sleep 0.2");
  EXPECT_FALSE(session->retire());
  run_until_gone(*run);
  EXPECT_TRUE(session->retire());
}

TEST_F(SessionInMemory, MayGoWhenIdleAndIsTheSameAfterwards) {
  const auto first = session();
  run(*first, "export A=kept; cd /usr");
  ASSERT_TRUE(first->retire());
  const auto second = session();
  EXPECT_EQ(run(*second, "echo $A; pwd"), "kept\n/usr\n");
  second->retire();
}

// Nothing was changed, so nothing was written; but where it started belongs to it.
TEST_F(SessionInMemory, RemembersWhereItStarted) {
  const auto first = session();
  run(*first, "true");
  ASSERT_TRUE(first->retire());
  first_cwd_ = "/usr";
  const auto second = session();
  EXPECT_EQ(run(*second, "pwd"), root_ + "/work\n");
}

// What the next command would meet, whatever names and links lead there.
TEST_F(SessionInMemory, SaysWhereACommandStartsAndWhatItsVariablesAre) {
  const auto session = this->session();
  std::filesystem::create_directory_symlink(root_ + "/work", root_ + "/link");
  const std::vector<std::string> none;
  const std::vector<std::string> names{"A", "HOME", "LANG", "B"};
  const shell::NameMap target{{"LANG", "C"}, {"A", "the target's"}};
  const auto ask = [&](const StartPlace& place) {
    return session
        ->definitions_for({.words = none,
                           .variables = names,
                           .uses_directory = true,
                           .place = place,
                           .home = root_,
                           .inherited = {},
                           .target = &target,
                           .login = nullptr})
        .value();
  };
  EXPECT_EQ(ask({.first_cwd = "~/link"}).directory, root_ + "/work");
  run(*session, "cd ../link; export A=own; export HOME=/usr");
  const shell::SessionDefinitions found = ask({.first_cwd = "/"});
  EXPECT_EQ(found.directory, root_ + "/work");
  EXPECT_EQ(found.variables, (shell::NameMap{{"A", "own"}, {"HOME", "/usr"}, {"LANG", "C"}}));
  EXPECT_EQ(ask({.workdir = "..", .first_cwd = "/"}).directory, root_);
  EXPECT_EQ(ask({.workdir = "~/bin", .first_cwd = "/"}).directory,
            std::filesystem::canonical("/usr/bin").string());
  EXPECT_EQ(ask({.first_cwd = "/", .move_to = "/tmp"}).directory,
            std::filesystem::canonical("/tmp").string());
}

TEST_F(SessionInMemory, StaysWhenItsStateCannotBeWritten) {
  const auto session = this->session();
  *store_ = SessionStore("/proc/no-such-directory");
  run(*session, "export A=kept");
  EXPECT_FALSE(session->retire());
  EXPECT_EQ(run(*session, "echo $A"), "kept\n");
}

}  // namespace
}  // namespace talaria::runner
