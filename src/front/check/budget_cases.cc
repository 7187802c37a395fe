// Results that are too large for a model: all of it is in a file at the target, to be read there.
#include "front/check/check_case.h"

namespace talaria {
namespace {

constexpr int kRows = 1000;
constexpr const char* kWriteRows =
    "x=0123456789; x=$x$x$x; x=$x$x$x$x$x$x$x$x$x$x; i=1; while [ $i -le 1000 ]; do echo \"row $i "
    "$x\"; i=$((i + 1)); done > rows";

Task<void> large_result(Trial& trial) {
  co_await trial.agent().command(kWriteRows);
  json::object all{{"pattern", "^row"}, {"path", trial.directory()}, {"limit", 2 * kRows}};
  const json::object answer = co_await trial.agent().tool("search_files", std::move(all));
  trial.contains("output", text_of(answer, "output"), "<persisted-output>\nThis tool result was ");
  trial.equal("total_count", number_of(answer, "total_count"), kRows);
  trial.holds(!answer.contains("matches"), "matches", "none", "there are some");
  const std::string path = text_of(answer, "persisted_path");
  trial.contains("persisted_path", path, "/hermes-results/");
  trial.equal("matches in the file", co_await trial.agent().output_of("grep -c '\"row ' " + path),
              std::to_string(kRows));
  trial.equal("who may read it",
              co_await trial.agent().output_of("ls -l " + path + " | cut -c1-10"), "-rw-------");
  json::object page{{"path", path}, {"offset", kRows}, {"limit", 1}};
  const json::object read = co_await trial.agent().tool("read_file", std::move(page));
  trial.contains("a page of it", text_of(read, "content"), std::to_string(kRows) + "|matches[");
  trial.equal("afterwards", co_await trial.agent().output_of("rm -f " + path + " && echo gone"),
              "gone");
}

}  // namespace

std::vector<CheckCase> budget_cases() {
  return {{"budget", "a-large-result-is-put-aside", Ability::files, large_result}};
}

}  // namespace talaria
