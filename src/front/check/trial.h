// Trial: one run of a case. It has an agent with its own session and directory at the target, and
// records mismatches.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_runtime.h"
#include "base/task.h"
#include "front/check/agent.h"

namespace talaria::front::check {

// What the cases of one run share.
struct Bench {
  std::function<AsioRuntime()> make_runtime;  // one more controller of the same target
  std::shared_ptr<AsioRuntime> runtime;       // the first one
  std::string target;                         // as requested
  std::string transport;                      // from its results
  bool bash = true;                           // commands run in bash there
  std::string tag;                            // of this run; makes the names of its sessions unique
  std::string scratch;                        // a directory at the target; removed at the end
  std::chrono::milliseconds patience{0};      // how long a case waits for expected events
};

struct Mismatch {
  std::string what;
  std::string expected;
  std::string got;
};

class Trial {
 public:
  Trial(std::shared_ptr<Bench> bench, const std::string& name);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const Bench& bench() const { return *bench_; }
  Agent& agent() { return agent_; }
  const std::string& directory() const { return agent_.name().directory; }
  // Another controller at the same target, with the same session.
  Agent second_controller();

  // Each records a mismatch, or returns true.
  bool equal(std::string_view what, std::string_view got, std::string_view expected);
  bool equal(std::string_view what, std::int64_t got, std::int64_t expected);
  bool contains(std::string_view what, std::string_view got, std::string_view part);
  bool lacks(std::string_view what, std::string_view got, std::string_view part);
  bool holds(bool condition, std::string_view what, std::string_view expected,
             std::string_view got);

  // A field of an answer. A missing one is "" or kNoNumber.
  bool field(const json::object& answer, std::string_view name, std::string_view expected);
  bool field(const json::object& answer, std::string_view name, std::int64_t expected);
  // The output of a command.
  Task<bool> shows(std::string what, std::string command, std::string output);
  // The process prints this text in time.
  Task<bool> awaits(std::string id, std::string text);

  const std::vector<Mismatch>& mismatches() const { return mismatches_; }
  void fail_with(Mismatch mismatch) { mismatches_.push_back(std::move(mismatch)); }

  const Cancel& cancel() const { return agent_.cancel(); }

  // Checks that the target still works, in cases that only the controller answers.
  Task<void> still_works();

  // Ends the processes of the case.
  Task<void> finish();

 private:
  std::shared_ptr<Bench> bench_;
  Agent agent_;
  std::vector<Mismatch> mismatches_;
};

// Part of a shell command: succeeds if the process has ended, or is a zombie.
std::string is_gone(std::string_view pid);

}  // namespace talaria::front::check
