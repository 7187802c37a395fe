#include "bench/session_state.h"

namespace talaria::bench {
namespace {

constexpr int kVariables = 60;
constexpr int kFunctions = 20;
constexpr int kAliases = 5;

std::string number(int i) { return (i < 10 ? "0" : "") + std::to_string(i); }

}  // namespace

std::vector<std::string> state_variables() {
  std::vector<std::string> variables;
  for (int i = 0; i < kVariables; ++i) {
    variables.push_back("BENCH_SETTING_" + number(i) + "=/srv/projects/site-" + number(i) +
                        "/build/output");
  }
  return variables;
}

std::string state_script() {
  std::string script;
  for (const std::string& variable : state_variables()) script += "export " + variable + "\n";
  for (int i = 0; i < kFunctions; ++i) {
    script += "bench_step_" + number(i) +
              "() {\n  local target=$1\n  if [[ -n $target && -d $target ]]; then\n"
              "    printf '%s\\n' \"step " +
              number(i) + ": $target\"\n  fi\n}\n";
  }
  for (int i = 0; i < kAliases; ++i) {
    script += "alias bench_alias_" + number(i) + "='ls --color=auto -la'\n";
  }
  return script;
}

}  // namespace talaria::bench
