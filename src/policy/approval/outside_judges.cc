#include "policy/approval/outside_judges.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/limits.h"
#include "base/text.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::policy {
namespace {

constexpr int kScannerBlocks = 1;
constexpr int kScannerWarns = 2;

// A domain that ends like a kind of file is not suspicious if it is a common one.
bool is_needless(const json::object& finding) {
  return text_field(finding, "rule_id") == "lookalike_tld" &&
         (text_field(finding, "title") + text_field(finding, "description")).contains(".app");
}

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return upper;
}

// What the scanner wrote; empty where it is none of ours.
struct Report {
  std::vector<json::object> findings;
  std::string summary;
};

Report read_report(const std::string& output) {
  Report report;
  const auto parsed = parse_object(output, "the scanner's report");
  if (!parsed) return report;
  const json::value* list = parsed->if_contains("findings");
  if (list && list->is_array()) {
    for (const json::value& one : list->get_array()) {
      if (report.findings.size() == kMaxScannerFindings) break;
      if (one.is_object()) report.findings.push_back(one.get_object());
    }
  }
  report.summary = first_chars(text_field(*parsed, "summary"), kMaxScannerSummary);
  return report;
}

std::string describe(const Report& report) {
  std::string text;
  for (const json::object& one : report.findings) {
    const std::string severity = text_field(one, "severity");
    text += text.empty() ? "Security scan — " : "; ";
    if (!severity.empty()) text += "[" + upper_case(severity) + "] ";
    text += text_field(one, "title");
    if (const std::string more = text_field(one, "description"); !more.empty()) text += ": " + more;
  }
  if (!text.empty()) return text;
  return "Security scan: " + (report.summary.empty() ? "security issue detected" : report.summary);
}

}  // namespace

std::optional<ScannerFinding> scanner_finding(const Result<environment::ProgramAnswer>& answer,
                                              bool fail_open) {
  const bool spoke = answer && (answer->code == 0 || answer->code == kScannerBlocks ||
                                answer->code == kScannerWarns);
  if (!spoke) {
    if (fail_open) return std::nullopt;
    const std::string why =
        answer ? "exit code " + std::to_string(answer->code) : answer.error().message();
    return ScannerFinding{"tirith:unknown", "Security scan: the scanner failed (" + why + ")"};
  }
  if (answer->code == 0) return std::nullopt;
  const Report report = read_report(answer->output);
  const bool needless = answer->code == kScannerWarns && !report.findings.empty() &&
                        std::ranges::all_of(report.findings, is_needless);
  if (needless) return std::nullopt;
  const std::string rule = report.findings.empty() ? "" : text_field(report.findings[0], "rule_id");
  return ScannerFinding{"tirith:" + (rule.empty() ? "unknown" : rule), describe(report)};
}

Task<std::optional<ScannerFinding>> scan_command(host::ScannerConfig scanner, std::string command) {
  const bool fail_open = scanner.fail_open;
  environment::ProgramCall call{.argv = {scanner.program, "check", "--json", "--non-interactive",
                                         "--shell", "posix", "--", std::move(command)},
                                .patience = scanner.timeout};
  const Result<environment::ProgramAnswer> answer =
      co_await environment::ask_program(std::move(call));
  co_return scanner_finding(answer, fail_open);
}

SmartAnswer smart_answer(std::string_view output) {
  const auto parsed = parse_object(trim(output), "the answer");
  if (!parsed) return SmartAnswer::escalate;
  const std::string word = upper_case(trim(text_field(*parsed, "answer")));
  if (word == "APPROVE") return SmartAnswer::approve;
  return word == "DENY" ? SmartAnswer::deny : SmartAnswer::escalate;
}

Task<SmartAnswer> ask_smart_program(host::ApprovalConfig config, ApprovalRequest request) {
  if (config.smart_program.empty()) co_return SmartAnswer::escalate;
  json::array rules(request.pattern_keys.begin(), request.pattern_keys.end());
  json::array details;
  for (const ApprovalDetail& one : request.details) {
    details.push_back({{"name", one.name}, {"text", one.text}});
  }
  const json::object question{{"command", request.command}, {"description", request.description},
                              {"rules", std::move(rules)},  {"session_key", request.session_key},
                              {"task", request.task},       {"target", request.target},
                              {"cwd", request.cwd},         {"details", std::move(details)}};
  environment::ProgramCall call{.argv = {config.smart_program},
                                .patience = config.smart_timeout,
                                .input = to_line(question) + "\n"};
  const Result<environment::ProgramAnswer> answer =
      co_await environment::ask_program(std::move(call));
  if (!answer || answer->code != 0) co_return SmartAnswer::escalate;
  co_return smart_answer(answer->output);
}

}  // namespace talaria::policy
