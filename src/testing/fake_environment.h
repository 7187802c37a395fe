// FakeEnvironment: an Environment that runs nothing. A test says what each command answers; the
// fake writes down what it was asked, and a command that is said to hang ends only by its token.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "base/event.h"
#include "environment/environment.h"
#include "host/host.h"
#include "os/random.h"
#include "testing/fake_files.h"
#include "testing/fake_processes.h"

namespace talaria::test {

// An outcome that printed `output` in one piece.
inline environment::CommandOutcome printed(const std::string& output,
                                           ExitStatus status = Exited{0}) {
  return environment::CommandOutcome{.status = status,
                                     .total = output.size(),
                                     .head = output,
                                     .tail_from = output.size(),
                                     .duration = std::chrono::milliseconds(7)};
}

struct FakeReply {
  Result<environment::CommandOutcome> outcome = environment::CommandOutcome{};
  std::vector<std::string> live;  // handed to on_output, one by one
  bool hangs = false;             // until cancelled (and then interrupted) or released
};

// What a test and its fakes share; it outlives both.
struct FakeTarget {
  std::function<FakeReply(const environment::CommandSpec&)> reply =
      [](const environment::CommandSpec&) { return FakeReply{}; };
  std::function<void()> on_hang;                  // called from the loop once a command hangs
  std::function<void()> release_hanging = [] {};  // lets the one that hangs end by itself
  std::vector<environment::CommandSpec> asked;
  int made = 0;
  std::optional<shell::SessionDefinitions> session;  // what a look at it finds
  int looked = 0;
  std::string target = "local";
  std::string transport = "link";
  std::string place;
  bool persistent = false;
  std::optional<bool> isolated;
  environment::EnvironmentLimits limits;
  std::vector<std::string> ended_sessions;
  bool leaves_files = false;
  std::vector<bool> closed;  // with `remove` or not
  FakeProcesses processes;
  FakeFiles files;
};

class FakeEnvironment final : public environment::Environment {
 public:
  explicit FakeEnvironment(std::shared_ptr<FakeTarget> fake) : fake_(std::move(fake)) {}

  std::string_view target() const override { return fake_->target; }
  std::string_view transport() const override { return fake_->transport; }

  Task<Result<environment::CommandOutcome>> run(environment::CommandSpec spec,
                                                CancelToken cancel) override {
    fake_->asked.push_back(spec);
    FakeReply reply = fake_->reply(spec);
    for (const std::string& piece : reply.live) {
      if (spec.on_output) spec.on_output(piece);
    }
    if (reply.hangs) {
      AsyncEvent released;
      fake_->release_hanging = [&released] { released.set(); };
      cancel.on_cancel(fake_->release_hanging);
      if (fake_->on_hang) asio::post(co_await asio::this_coro::executor, fake_->on_hang);
      co_await released.wait();
      cancel.on_cancel({});
      fake_->release_hanging = [] {};
      if (cancel.cancelled() && reply.outcome) reply.outcome->ended = CommandEnd::interrupted;
    }
    co_return reply.outcome;
  }
  Task<Result<std::optional<shell::SessionDefinitions>>> look(environment::CommandSpec /*spec*/,
                                                              CancelToken /*cancel*/) override {
    ++fake_->looked;
    co_return fake_->session;
  }

  environment::Processes& processes() override { return fake_->processes; }
  environment::Files& files() override { return fake_->files; }
  std::string place() const override { return fake_->place; }
  bool persistent() const override { return fake_->persistent; }
  std::optional<bool> isolated() const override { return fake_->isolated; }
  environment::EnvironmentLimits limits() const override { return fake_->limits; }
  Task<Result<void>> end_session(std::string session) override {
    fake_->ended_sessions.push_back(std::move(session));
    co_return Result<void>();
  }
  void leave_files() override { fake_->leaves_files = true; }
  Task<Result<void>> close(bool remove) override {
    fake_->closed.push_back(remove);
    co_return Result<void>();
  }

 private:
  std::shared_ptr<FakeTarget> fake_;
};

// A backend called `name` whose environments are fakes of `fake`.
inline host::Backend fake_backend(const std::shared_ptr<FakeTarget>& fake,
                                  std::string name = "local") {
  return host::Backend{
      std::move(name),
      [fake](const host::EnvironmentRequest&) -> Result<std::unique_ptr<environment::Environment>> {
        ++fake->made;
        return std::make_unique<FakeEnvironment>(fake);
      }};
}

// Where fakes of one test program keep what they write down. Removed when it ends.
inline const std::string& fake_home() {
  struct Directory {
    ~Directory() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
    std::string path =
        std::filesystem::temp_directory_path() / ("talaria-fake-" + os::random_hex(8));
  };
  static const Directory directory;
  return directory.path;
}

// A caller with these variables, in a home of fakes.
inline host::Caller fake_caller(std::vector<std::string> variables = {}) {
  host::Caller caller{.variables = std::move(variables), .cwd = "/here"};
  caller.variables.push_back("HOME=/home/me");
  caller.variables.push_back("TALARIA_HOME=" + fake_home());
  return caller;
}

// A host whose only target is a fake of `fake`, for a caller with these variables.
inline host::Host fake_host(const std::shared_ptr<FakeTarget>& fake,
                            std::vector<std::string> variables = {}) {
  host::Caller caller = fake_caller(std::move(variables));
  Result<host::Config> config = read_config(caller);
  return host::Host(std::move(caller), std::move(config), {fake_backend(fake)});
}

}  // namespace talaria::test
