// Runs cases of the contract kit, a few at a time, at one target.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/asio_runtime.h"
#include "base/result.h"
#include "base/task.h"
#include "front/check/check_case.h"

namespace talaria::front::check {

enum class CaseEnd { ok, failed, absent, not_run };

// "ok", "FAILED", "absent", "not run".
std::string_view case_end_name(CaseEnd end);

struct CaseReport {
  std::string group;
  std::string name;
  CaseEnd end = CaseEnd::not_run;
  std::chrono::milliseconds took{0};
  std::string reason;  // why it is absent
  std::vector<Mismatch> mismatches;
};

struct CheckReport {
  std::string target;
  std::string transport;
  std::vector<CaseReport> cases;
  std::chrono::milliseconds took{0};

  std::size_t count(CaseEnd end) const;
  bool all_well() const;  // none failed, and none was skipped
};

struct CheckPlan {
  std::string target;
  std::vector<CheckCase> cases;
  std::function<AsioRuntime()> make_runtime;  // another controller of that target
  // Called when a case begins.
  std::function<void(std::size_t over, std::size_t all, const CheckCase& begins)> on_case;
  std::size_t at_once = 6;
  std::chrono::seconds limit{90};              // for one case
  std::chrono::milliseconds patience{20'000};  // how long a case waits for expected events
};

// An Error: the target is unavailable. If cancelled, the remaining cases are not run, and the
// target is still cleaned up.
Task<Result<CheckReport>> run_cases(CheckPlan plan, Cancel cancel);

}  // namespace talaria::front::check
