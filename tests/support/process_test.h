// ProcessTest: a runner and a link of the test's own to it, to start processes in the background
// the way a controller does.
#pragma once

#include <string>

#include "support/talaria_test.h"
#include "support/wire.h"

namespace talaria::test {

class ProcessTest : public TalariaTest {
 protected:
  void SetUp() override {
    EXPECT_EQ(world_.exec("true").code(), 0);  // there is a runner
    wire_ = std::make_unique<Wire>(world_.runner_directory());
  }
  void TearDown() override {
    wire_.reset();
    TalariaTest::TearDown();
  }

  link::Start background(const std::string& id, const std::string& command) {
    return {.start_id = id,
            .sequence = wire_->next_sequence(),
            .command = command,
            .lifetime = link::ProcessLifetime::session,
            .detached = true,
            .spill_quota = 1 << 20,
            .first_cwd = world_.directory("work")};
  }
  link::Started start(link::Start request) { return wire_->ask<link::Started>(std::move(request)); }
  link::Started start(const std::string& id, const std::string& command) {
    return start(background(id, command));
  }
  link::ExitReport wait(const std::string& process) {
    return wire_->ask<link::ExitReport>(link::Wait{.process = process, .tail_limit = 65536});
  }
  link::KillReport kill(const std::string& process, const std::string& source = "test") {
    return wire_->ask<link::KillReport>(link::Kill{.process = process, .source = source});
  }
  link::ProcessEntry entry(const std::string& process, std::uint64_t tail_limit = 65536) {
    const auto report =
        wire_->ask<link::ListReport>(link::List{.process = process, .tail_limit = tail_limit});
    return report.processes.size() == 1 ? report.processes[0] : link::ProcessEntry{};
  }
  bool prints(const std::string& process, const std::string& text) {
    return eventually([&] { return entry(process).tail.contains(text); });
  }

  std::unique_ptr<Wire> wire_;
};

}  // namespace talaria::test
