// Variables that make programs load code or take orders from elsewhere.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_table.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

// What a variable must hold to count: one of these pieces; "": anything.
struct LoadVariable {
  std::string_view names;  // "NAME*": whatever begins so
  std::string_view pieces = {};
};
constexpr LoadVariable kLoadVariables[] = {
    {"NODE_OPTIONS npm_config_node_options NPM_CONFIG_NODE_OPTIONS",
     "--require -r --import --loader --experimental-loader --env-file --eval -e"},
    {"PERL5OPT", "-M -m -d -I"},
    {"RUBYOPT", "-r -I"},
    {"PYTHONSTARTUP LUA_INIT* MAKEFILES GCONV_PATH PERL5DB R_PROFILE_USER R_PROFILE"},
    {"GIT_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_EXEC_PATH GIT_TEMPLATE_DIR"},
    {"JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS MAVEN_OPTS GRADLE_OPTS",
     "-javaagent -agentpath -agentlib -XX:OnError -XX:OnOutOfMemoryError"},
    {"GOFLAGS", "-toolexec -exec -overlay"},
    {"PYTHONBREAKPOINT", "os. subprocess builtins"},
    {"PYTEST_PLUGINS"},
    {"npm_config_script_shell NPM_CONFIG_SCRIPT_SHELL npm_config_git NPM_CONFIG_GIT "
     "npm_config_shell NPM_CONFIG_SHELL"},
    {"GLIBC_TUNABLES", "glibc.rtld"},
    {"PIP_INDEX_URL PIP_EXTRA_INDEX_URL UV_INDEX_URL UV_DEFAULT_INDEX UV_EXTRA_INDEX_URL UV_INDEX "
     "GOPROXY npm_config_registry NPM_CONFIG_REGISTRY YARN_REGISTRY CARGO_REGISTRIES_* "
     "BUNDLE_MIRROR_*",
     "http:// https:// sparse+http"},
};

// A list of pieces: an option alone, or with its value behind it.
bool holds_piece(std::string_view value, std::string_view pieces) {
  if (pieces.empty()) return true;
  while (!value.empty()) {
    const std::string_view word = next_word(value);
    for (std::string_view rest = pieces; !rest.empty();) {
      const std::string_view piece = next_word(rest);
      if (!word.starts_with(piece)) continue;
      const char behind = word.size() > piece.size() ? word[piece.size()] : '=';
      const bool whole = piece.starts_with("--") || piece == "-e";
      if (!whole || behind == '=') return true;
    }
    if (word.contains(kUnknownPiece)) return true;
  }
  return false;
}

bool is_named(std::string_view name, std::string_view names) {
  while (!names.empty()) {
    std::string_view one = next_word(names);
    const bool start = one.ends_with('*');
    if (start) one.remove_suffix(1);
    if (start ? name.starts_with(one) : name == one) return true;
  }
  return false;
}

// sh /tmp/p.sh, /tmp/p: a program at a place where anybody may have put it
bool starts_at_open_place(std::string_view command) {
  const auto is_open = [](std::string_view word) {
    return word.starts_with("/tmp/") || word.starts_with("/var/tmp/") ||
           word.starts_with("/dev/shm/");
  };
  const std::string_view first = next_word(command);
  const std::string_view second = next_word(command);
  return is_open(first) ||
         ((is_shell(base_name(first)) || is_interpreter(base_name(first))) && is_open(second));
}

bool loads(std::string_view name, std::string_view value) {
  if (value.empty() || value == "/dev/null") return false;
  if (among(name, kRunVariables)) return starts_at_open_place(value);
  if (is_this_machine(value)) return false;  // an index
  if (name.ends_with("script_shell") && among(value, "bash sh /bin/bash /bin/sh")) return false;
  return std::ranges::any_of(kLoadVariables, [&](const LoadVariable& one) {
    return is_named(name, one.names) && holds_piece(value, one.pieces);
  });
}

bool is_loaded_by_variable(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.variables, [](const SeenAssignment& one) {
    return loads(one.name, one.value.text);
  });
}

bool is_loaded_by_word(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--setenv=")) word.remove_prefix(9);
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos &&
           loads(word.substr(0, equals), word.substr(equals + 1));
  });
}

constexpr auto kEnvironmentRules = only_ours(std::to_array<Rule>({
    {.key = "variable that makes programs load code",
     .when = is_loaded_by_variable,
     .yes = {"NODE_OPTIONS='--require /tmp/x.js' npm test", "MAKEFILES=x make",
             "PYTHONSTARTUP=x.py python3", "PERL5OPT=-Mx perl a.pl",
             "GIT_CONFIG_GLOBAL=x git status",
             "JAVA_TOOL_OPTIONS=-javaagent:x.jar java -jar a.jar"},
     .no = {"NODE_OPTIONS=--max-old-space-size=4096 npm test", "MAKEFLAGS=-j4 make",
            "GIT_CONFIG_GLOBAL=/dev/null git status", "RUBYOPT=-W0 ruby a.rb",
            "PERL5OPT=-w perl a.pl", "JAVA_TOOL_OPTIONS=-Xmx2g java -jar a.jar"}},
    {.key = "variable that makes programs load code",
     .programs = "env sudo doas export declare typeset readonly local cross-env systemd-run",
     .when = is_loaded_by_word,
     .yes = {"env NODE_OPTIONS=--require=./x npm test", "export RUBYOPT=-r./x",
             "declare -x GIT_EXEC_PATH=d", "export NODE_OPTIONS=--import=./x.mjs",
             "export GIT_SSH_COMMAND='sh /tmp/p.sh'"},
     .no = {"export NODE_OPTIONS=--openssl-legacy-provider", "env GOFLAGS=-mod=mod go build",
            "export PYTHONSTARTUP=", "export GOFLAGS=-buildvcs=false",
            "export GIT_SSH_COMMAND='ssh -i /tmp/key'"}},
}));

}  // namespace

std::span<const Rule> environment_rules() { return kEnvironmentRules; }

}  // namespace talaria::guard
