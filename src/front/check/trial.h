// Trial: one case of the contract kit at work. It has an agent with a session and a directory of
// its own at the target, writes down what was not as expected, and tidies up whatever the case did.
#pragma once

#include <talaria/asio.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"
#include "front/check/agent.h"

namespace talaria::front::check {

// What the cases of one run share.
struct Bench {
  std::function<AsioRuntime()> make_runtime;  // one more controller of the same target
  std::shared_ptr<AsioRuntime> runtime;       // the first one
  std::string target;                         // as it was asked for
  std::string transport;                      // as its results say
  bool bash = true;                           // commands run in bash there
  std::string tag;      // of this run: in the names of its sessions, so that no two runs meet
  std::string scratch;  // a directory at the target; removed at the end
  std::chrono::milliseconds patience{0};  // of a case, with what should come by itself
};

struct Mismatch {
  std::string what;
  std::string expected;
  std::string got;
};

class Trial {
 public:
  Trial(std::shared_ptr<Bench> bench, std::string name);
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  const Bench& bench() const { return *bench_; }
  Agent& agent() { return agent_; }
  const std::string& directory() const { return agent_.name().directory; }
  // Another controller at the same target, with the same session.
  Agent second_controller();

  // Each writes down a mismatch and says whether there was none.
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

  // That the target still does what it is told: for cases the controller answers by itself.
  Task<void> still_works();

  // The case is over: ends its processes.
  Task<void> finish();

 private:
  std::shared_ptr<Bench> bench_;
  Agent agent_;
  std::vector<Mismatch> mismatches_;
};

// Part of a shell command: ok if no process of that pid lives; zombies do not.
std::string is_gone(std::string_view pid);

}  // namespace talaria::front::check
