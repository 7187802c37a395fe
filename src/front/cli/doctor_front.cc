#include <talaria/doctor.h>

#include <algorithm>
#include <cctype>

#include <boost/json/array.hpp>

#include "base/message.h"
#include "front/cli/fronts.h"
#include "front/cli/report.h"
#include "front/cli/table.h"

namespace talaria::front::cli {
namespace {

namespace json = boost::json;

Look look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return Look::good;
    case Verdict::warn:
      return Look::doubtful;
    case Verdict::fail:
      return Look::bad;
  }
  return Look::plain;
}

// What was found and what to do about it: one sentence, or two if the first one has its full stop.
std::string finding_text(const Finding& one) {
  if (one.advice.empty()) return one.found;
  if (as_sentence(one.found) != one.found) return one.found + "; " + one.advice;
  std::string advice = one.advice;
  advice.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(advice.front())));
  return one.found + " " + advice;
}

std::string findings_text(const Examination& examination, const TextStyle& style) {
  Table table({"CHECK", "", "FOUND"});
  for (const Finding& one : examination.findings) {
    table.add({one.check, std::string(verdict_name(one.verdict)), finding_text(one)},
              look_of(one.verdict));
  }
  for (const Orphan& one : examination.orphans) {
    const bool stuck = !one.trouble.empty();
    const std::string end = one.removed ? "; removed"
                            : stuck     ? "; cannot be removed: " + one.trouble
                                        : "; talaria doctor --reap removes it";
    table.add({one.what, one.removed ? "ok" : "warn", one.why + end},
              one.removed ? Look::good : Look::doubtful);
  }
  return table.drawn(style);
}

json::object findings_json(const Examination& examination, bool healthy) {
  json::array findings, leftovers;
  for (const Finding& one : examination.findings) {
    findings.push_back(json::object{{"check", one.check},
                                    {"verdict", verdict_name(one.verdict)},
                                    {"found", one.found},
                                    {"advice", one.advice}});
  }
  for (const StaleFile& one : examination.leftovers) {
    leftovers.push_back(json::object{{"path", one.path}, {"what", one.what}});
  }
  json::array orphans;
  for (const Orphan& one : examination.orphans) {
    orphans.push_back(json::object{
        {"what", one.what}, {"why", one.why}, {"removed", one.removed}, {"trouble", one.trouble}});
  }
  return {{"ok", healthy},
          {"findings", std::move(findings)},
          {"leftovers", std::move(leftovers)},
          {"orphans", std::move(orphans)}};
}

}  // namespace

int run_command(const DoctorOptions& options, const Stdio& stdio) {
  const Examination examination =
      examine({.reap = options.reap, .running = options.running, .dry_run = options.dry_run});
  const bool healthy = std::ranges::none_of(
      examination.findings, [](const Finding& one) { return one.verdict == Verdict::fail; });
  const int code = options.json
                       ? report_line(findings_json(examination, healthy), stdio)
                       : report_text(findings_text(examination, style_for(stdio.out)), stdio);
  return healthy ? code : kFailed;
}

}  // namespace talaria::front::cli
