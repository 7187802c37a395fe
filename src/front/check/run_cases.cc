#include "front/check/run_cases.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/event.h"
#include "base/result.h"
#include "base/run_all.h"
#include "base/text.h"
#include "front/random_name.h"

namespace talaria::front::check {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How long a cancelled case may take to end before it is abandoned.
constexpr std::chrono::seconds kGrace{15};

// Candidates for the directory of the cases, best first.
constexpr std::string_view kPlaces = " \"${TMPDIR:-/tmp}\" /var/tmp \"$HOME\" /workspace";

// Shell text that creates the directory and sets $d: in the first place where programs can run,
// else in the first that is writable.
std::string find_place(const std::string& name) {
  return "umask 077; d=; for p in" + std::string(kPlaces) + "; do c=\"$p/" + name +
         "\"; mkdir \"$c\" 2>/dev/null || continue; echo '#!/bin/sh' > \"$c/x\"; "
         "chmod +x \"$c/x\"; if \"$c/x\" 2>/dev/null; then [ -z \"$d\" ] || rm -r \"$d\"; "
         "d=$c; break; fi; if [ -z \"$d\" ]; then d=$c; else rm -r \"$c\"; fi; done; "
         "rm -f \"$d/x\"; [ -n \"$d\" ] && ";
}

// A running case. It may outlive the wait for it if the target does not answer.
struct CaseAtWork {
  CaseAtWork(std::shared_ptr<Bench> bench, const CheckCase& its_case, const std::string& directory)
      : trial(std::move(bench), directory), one(its_case) {}

  Trial trial;
  CheckCase one;
  AsyncEvent ended;
  std::string thrown;
};

Task<void> work(std::shared_ptr<CaseAtWork> at_work) {
  co_await at_work->one.run(at_work->trial);
  co_await at_work->trial.finish();
}

class Check {
 public:
  Check(CheckPlan plan, Cancel cancel) : plan_(std::move(plan)), cancel_(std::move(cancel)) {}

  // Also removes the environments of the check, because some targets cost money.
  Task<Result<CheckReport>> run() {
    auto report = co_await run_to_report();
    if (bench_->runtime) co_await bench_->runtime->remove_all_environments();
    co_return std::move(report);
  }

 private:
  Task<Result<CheckReport>> run_to_report() {
    const auto begun = steady_clock::now();
    const Result<void> ready = co_await prepare();
    if (!ready) co_return fail(ready.error());
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < plan_.cases.size(); ++i) {
      jobs.emplace_back([this, i] { return take_case(plan_.cases[i], report_.cases[i]); });
    }
    co_await run_all(std::move(jobs), plan_.at_once);
    report_.cases.push_back(co_await tidy_up());
    report_.took = duration_cast<milliseconds>(steady_clock::now() - begun);
    co_return std::move(report_);
  }

  // The first command finds the transport and the directory of the cases.
  Task<Result<void>> prepare() {
    bench_->make_runtime = plan_.make_runtime;
    bench_->runtime = std::make_shared<AsioRuntime>(plan_.make_runtime());
    bench_->target = plan_.target;
    bench_->tag = random_name(8);
    bench_->patience = plan_.patience;
    const std::string name = "talaria-check-" + bench_->tag;
    std::string text =
        find_place(name) + "cd \"$d\" && echo \"${BASH_VERSION:+ba}sh\" && pwd -P && mkdir";
    for (const CheckCase& one : plan_.cases) text += " " + directory_of(one);
    const Result<Outcome> made = co_await bench_->runtime->run({.text = std::move(text)}, cancel_);
    if (!made) co_return fail(made.error());
    if (cancel_.cancelled()) {
      co_await bench_->runtime->run(
          {.text = "for p in" + std::string(kPlaces) + "; do rm -rf \"$p/" + name + "\"; done"});
      co_return fail(ErrorKind::interrupted, "cancelled before it began");
    }
    std::string_view shown = made->output;
    bench_->bash = next_word(shown, '\n') == "bash";
    if (made->exit_code != 0 || !shown.starts_with('/')) {
      co_return fail(ErrorKind::unavailable, "cannot create a directory at target " + plan_.target +
                                                 " (exit code " + std::to_string(made->exit_code) +
                                                 "): " + made->output +
                                                 "; set TMPDIR there to a writable directory");
    }
    bench_->scratch = shown.substr(0, shown.find('\n'));
    bench_->transport = made->transport;
    report_.target = made->target;
    report_.transport = made->transport;
    for (const CheckCase& one : plan_.cases) {
      report_.cases.push_back({.group = std::string(one.group), .name = one.name});
    }
    co_return Result<void>();
  }

  static std::string directory_of(const CheckCase& one) {
    return std::string(one.group) + "-" + one.name;
  }

  Task<void> take_case(const CheckCase& one, CaseReport& report) {
    if (cancel_.cancelled()) co_return;
    auto reason = absent_because(one.needs, bench_->transport);
    if (one.bash && !bench_->bash) reason = "this target has no bash";
    if (reason) {
      report.end = CaseEnd::absent;
      report.reason = std::move(*reason);
    } else {
      if (plan_.on_case) plan_.on_case(ended_, plan_.cases.size(), one);
      co_await run_case(one, report);
    }
    ++ended_;
  }

  Task<void> run_case(const CheckCase& one, CaseReport& report) {
    const auto begun = steady_clock::now();
    const auto executor = co_await asio::this_coro::executor;
    const auto at_work = std::make_shared<CaseAtWork>(bench_, one, directory_of(one));
    asio::co_spawn(executor, work(at_work), [at_work](std::exception_ptr thrown) {
      if (thrown) at_work->thrown = exception_text(thrown);
      at_work->ended.set();
    });
    Trial& trial = at_work->trial;
    if (!co_await at_work->ended.wait_for(plan_.limit)) {
      trial.cancel().cancel();
      const std::string limit = "less than " + std::to_string(plan_.limit.count()) + " s";
      const bool gave_up = co_await at_work->ended.wait_for(kGrace);
      trial.fail_with(
          {"its time", limit, gave_up ? "more" : "more, and it could not be cancelled"});
    }
    if (!at_work->thrown.empty()) {
      trial.fail_with({"the case", "an end", "an exception: " + at_work->thrown});
    }
    report.took = duration_cast<milliseconds>(steady_clock::now() - begun);
    report.mismatches = trial.mismatches();
    report.end = report.mismatches.empty() ? CaseEnd::ok : CaseEnd::failed;
  }

  // Removes the directory, and checks that no process of a case is left in it.
  Task<CaseReport> tidy_up() {
    const auto begun = steady_clock::now();
    CaseReport report{.group = "end", .name = "nothing-is-left", .end = CaseEnd::ok};
    const std::string scratch = "'" + bench_->scratch + "'";
    const Result<Outcome> left = co_await bench_->runtime->run(
        {.text = "cd /; ls -ld /proc/[0-9]*/cwd 2>/dev/null | grep -F -e '-> '" + scratch +
                 "; rm -rf " + scratch + "; [ ! -e " + scratch + " ] || ls -d " + scratch});
    const std::string got = left ? left->output : left.error().message();
    if (!got.empty()) {
      report.end = CaseEnd::failed;
      report.mismatches.push_back({"what the cases left", "nothing", got});
    }
    report.took = duration_cast<milliseconds>(steady_clock::now() - begun);
    co_return report;
  }

  CheckPlan plan_;
  Cancel cancel_;
  std::shared_ptr<Bench> bench_ = std::make_shared<Bench>();
  CheckReport report_;
  std::size_t ended_ = 0;
};

}  // namespace

std::string_view case_end_name(CaseEnd end) {
  switch (end) {
    case CaseEnd::ok:
      return "ok";
    case CaseEnd::failed:
      return "FAILED";
    case CaseEnd::absent:
      return "absent";
    case CaseEnd::not_run:
      return "not run";
  }
  return "";
}

std::size_t CheckReport::count(CaseEnd end) const {
  return static_cast<std::size_t>(std::ranges::count(cases, end, &CaseReport::end));
}

bool CheckReport::all_well() const {
  return count(CaseEnd::failed) == 0 && count(CaseEnd::not_run) == 0;
}

Task<Result<CheckReport>> run_cases(CheckPlan plan, Cancel cancel) {
  Check check(std::move(plan), std::move(cancel));
  co_return co_await check.run();
}

}  // namespace talaria::front::check
