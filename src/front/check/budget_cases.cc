// Results that are too large for a model: all of it is in a file at the target, to be read there.
#include "front/check/check_case.h"

namespace talaria::front::check {
namespace {

constexpr int kBudgetRows = 1000;
constexpr const char* kWriteRows =
    "x=0123456789; x=$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; i=1; while [ $i -le 1000 ]; do echo \"row $i "
    "$x\"; i=$((i + 1)); done > rows";

Task<void> large_result(Trial& trial) {
  co_await trial.agent().command(kWriteRows);
  json::object all{{"pattern", "^row"}, {"path", trial.directory()}, {"limit", 2 * kBudgetRows}};
  const json::object answer = co_await trial.agent().tool("search_files", std::move(all));
  trial.contains("output", text_field(answer, "output"),
                 "<persisted-output>\nThis tool result was ");
  trial.field(answer, "total_count", kBudgetRows);
  trial.holds(!answer.contains("matches"), "matches", "none", "there are some");
  const std::string path = text_field(answer, "persisted_path");
  trial.contains("persisted_path", path, "/hermes-results/");
  co_await trial.shows("matches in the file", "grep -c '\"row ' " + path,
                       std::to_string(kBudgetRows));
  co_await trial.shows("who may read it", "ls -l " + path + " | cut -c1-10", "-rw-------");
  json::object page{{"path", path}, {"offset", kBudgetRows}, {"limit", 1}};
  const json::object read = co_await trial.agent().tool("read_file", std::move(page));
  trial.contains("a page of it", text_field(read, "content"),
                 std::to_string(kBudgetRows) + "|matches[");
  co_await trial.shows("afterwards", "rm -f " + path + " && echo gone", "gone");
}

}  // namespace

std::vector<CheckCase> budget_cases() {
  return {{"budget", "a-large-result-is-put-aside", Ability::files, large_result}};
}

}  // namespace talaria::front::check
