// RunFixture: sessions in this process, with real shells, for tests that look at single runs.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "runner/limits.h"
#include "runner/session.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {

class RunFixture : public testing::Test {
 protected:
  RunFixture() {
    std::filesystem::create_directory(root_ + "/sessions");
    std::filesystem::create_directory(root_ + "/work");
    host_ = std::make_unique<ShellHost>(probe_shell_host(nursery(), root_ + "/prelude").value());
    store_ = std::make_unique<SessionStore>(root_ + "/sessions");
    spare_ = std::make_unique<SpareShells>(loop_.get_executor(), *host_);
    session_ = std::make_unique<Session>(loop_.get_executor(), *host_, *store_, "t", *spare_);
  }
  ~RunFixture() override { session_.reset(); }

  static std::shared_ptr<Nursery> nursery() {
    static const auto shared = std::make_shared<Nursery>(Nursery::start().value());
    return shared;
  }

  RunRequest request(const std::string& command) {
    return {
        .spec = {.process = "p" + std::to_string(++started_), .session = "t", .command = command},
        .caller = {{"PATH", "/usr/bin:/bin"}, {"HOME", root_}, {"TERM", "dumb"}},
        .place = {.first_cwd = root_ + "/work"},
        .log = std::make_unique<OutputLog>(std::size_t{4} << 20, kOutputTail, SpillOptions{})};
  }

  std::shared_ptr<talaria::runner::Run> start(RunRequest request) {
    return session_->start(std::move(request)).value();
  }

  std::shared_ptr<talaria::runner::Run> on_terminal(const std::string& command,
                                                    os::WindowSize size = {30, 120}) {
    RunRequest asked = request(command);
    asked.terminal = size;
    return start(std::move(asked));
  }

  std::shared_ptr<talaria::runner::Run> with_stdin(const std::string& command) {
    RunRequest asked = request(command);
    asked.with_stdin = true;
    return start(std::move(asked));
  }

  // Lets things happen until `done`, or for so long that something must be wrong.
  template <class Condition>
  bool until(Condition done) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!done()) {
      if (std::chrono::steady_clock::now() >= give_up) return false;
      loop_.restart();
      loop_.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  bool ends(const talaria::runner::Run& run) {
    return until([&] { return run.finished() && run.tree().empty(); });
  }

  static std::string shown(const talaria::runner::Run& run) { return run.output().head(4u << 20); }

  // Whether it shows `text` behind what it showed when this was last true.
  bool shows(const talaria::runner::Run& run, const std::string& text) {
    return until([&] {
      const std::string all = shown(run);
      const std::size_t found = all.find(text, seen_);
      if (found == std::string::npos) return false;
      seen_ = found + text.size();
      return true;
    });
  }

  static void type(talaria::runner::Run& run, const std::string& text) {
    EXPECT_TRUE(run.input().take("", run.input().next(""), text));
  }
  static void end_input(talaria::runner::Run& run) {
    run.input().end_behind("", run.input().next(""));
  }

  std::string run(const std::string& command) {
    const auto run = start(request(command));
    EXPECT_TRUE(ends(*run)) << shown(*run);
    return shown(*run);
  }
  std::string run_on_terminal(const std::string& command) {
    const auto run = on_terminal(command);
    EXPECT_TRUE(ends(*run)) << shown(*run);
    return shown(*run);
  }

  asio::io_context loop_;
  const test::TemporaryDirectory temporary_;
  const std::string root_ = temporary_.path();
  std::unique_ptr<ShellHost> host_;
  std::unique_ptr<SessionStore> store_;
  std::unique_ptr<SpareShells> spare_;
  std::unique_ptr<Session> session_;
  std::size_t seen_ = 0;
  int started_ = 0;
};

}  // namespace talaria::runner
