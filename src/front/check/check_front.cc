#include "front/check/check_front.h"

#include <optional>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/asio_runtime.h"
#include "front/check/run_cases.h"
#include "front/check/secret.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/cli/text_style.h"
#include "front/stop_signals.h"

namespace talaria::front::check {
namespace {

// Its commands affect only what they created, so they need no approval.
Options runtime_options(const std::string& target) {
  return {.settings = {{"TERMINAL_ENV", target, "--check"}, {"approvals.mode", "off", "--check"}},
          .variables = {std::string(kCheckSecretName) + "=" + std::string(kCheckSecretValue)},
          .lifetime = Lifetime::command_line};
}

// Shows the progress on a terminal.
class Progress {
 public:
  explicit Progress(const Stdio& stdio)
      : fd_(stdio.err), style_(cli::style_for(stdio.err)), shown_(style_.width > 0) {}
  ~Progress() { show(""); }

  void show(const std::string& text) const {
    if (shown_) write_fully(fd_, "\r\033[K" + text.substr(0, style_.width - 1));
  }

 private:
  int fd_;
  cli::TextStyle style_;
  bool shown_;
};

cli::Look look_of(CaseEnd end) {
  switch (end) {
    case CaseEnd::ok:
      return cli::Look::plain;
    case CaseEnd::failed:
      return cli::Look::bad;
    case CaseEnd::absent:
      return cli::Look::faint;
    case CaseEnd::not_run:
      return cli::Look::doubtful;
  }
  return cli::Look::plain;
}

std::string remark(const CaseReport& one) {
  std::string text = one.reason;
  for (const Mismatch& mismatch : one.mismatches) {
    text += (text.empty() ? "" : "; ") + mismatch.what + ": expected " + mismatch.expected +
            ", got " + mismatch.got;
  }
  return cli::one_line(text);
}

std::string summary(const CheckReport& report) {
  const std::size_t failed = report.count(CaseEnd::failed);
  std::string text = report.target + " over " + report.transport + ": " +
                     std::to_string(report.count(CaseEnd::ok)) + " ok, " + std::to_string(failed) +
                     " failed, " + std::to_string(report.count(CaseEnd::absent)) + " skipped";
  if (const std::size_t left = report.count(CaseEnd::not_run); left > 0) {
    text += ", " + std::to_string(left) + " not run";
  }
  return text + ", in " + std::to_string(report.took.count() / 1000) + "." +
         std::to_string(report.took.count() / 100 % 10) + " s";
}

std::string report_table(const CheckReport& report, const cli::TextStyle& style) {
  cli::Table table({"GROUP", "CASE", "", "MS", "EXPECTED AND GOT"});
  for (const CaseReport& one : report.cases) {
    const std::string_view end = one.end == CaseEnd::absent ? "skipped" : case_end_name(one.end);
    table.add(
        {one.group, one.name, std::string(end), std::to_string(one.took.count()), remark(one)},
        look_of(one.end));
  }
  return table.drawn(style) +
         cli::dressed(summary(report), report.all_well() ? cli::Look::good : cli::Look::bad,
                      style) +
         "\n";
}

boost::json::object report_json(const CheckReport& report) {
  boost::json::array cases;
  for (const CaseReport& one : report.cases) {
    boost::json::object shown{{"group", one.group},
                              {"name", one.name},
                              {"end", case_end_name(one.end)},
                              {"ms", one.took.count()}};
    if (!one.reason.empty()) shown["reason"] = one.reason;
    boost::json::array mismatches;
    for (const Mismatch& mismatch : one.mismatches) {
      mismatches.push_back(boost::json::object{
          {"what", mismatch.what}, {"expected", mismatch.expected}, {"got", mismatch.got}});
    }
    if (!mismatches.empty()) shown["mismatches"] = std::move(mismatches);
    cases.push_back(std::move(shown));
  }
  return {{"ok", report.all_well()},
          {"target", report.target},
          {"transport", report.transport},
          {"passed", report.count(CaseEnd::ok)},
          {"failed", report.count(CaseEnd::failed)},
          {"absent", report.count(CaseEnd::absent)},
          {"not_run", report.count(CaseEnd::not_run)},
          {"ms", report.took.count()},
          {"cases", std::move(cases)}};
}

}  // namespace

Task<int> check_front(CheckOptions options, Stdio stdio) {
  const auto executor = co_await asio::this_coro::executor;
  CheckPlan plan{.target = options.target};
  plan.make_runtime = [executor, target = options.target] {
    return AsioRuntime(executor, runtime_options(target));
  };
  for (CheckCase& one : all_cases()) {
    if (matches(one, options.only)) plan.cases.push_back(std::move(one));
  }
  if (plan.cases.empty()) {
    const Error none(ErrorKind::not_found, "--only: no case matches '" + options.only +
                                               "'; without --only, every case is printed");
    cli::report_error(none, options.json, stdio);
    co_return cli::kFailed;
  }

  std::optional<Progress> progress(std::in_place, stdio);
  plan.on_case = [&progress](std::size_t over, std::size_t all, const CheckCase& begins) {
    progress->show("[" + std::to_string(over) + "/" + std::to_string(all) + "] " +
                   begins.full_name());
  };
  const Cancel cancel;
  StopSignals signals(executor, [cancel](int) { cancel.cancel(); });
  const Result<CheckReport> report = co_await run_cases(std::move(plan), cancel);
  progress.reset();
  if (!report) {
    cli::report_error(
        Error(report.error().kind(),
              "target " + options.target + " is unavailable: " + report.error().message()),
        options.json, stdio);
    co_return kCheckImpossible;
  }
  const int code = options.json
                       ? cli::report_line(report_json(*report), stdio)
                       : cli::report_text(report_table(*report, cli::style_for(stdio.out)), stdio);
  co_return report->all_well() ? code : cli::kFailed;
}

}  // namespace talaria::front::check
