#include "tools/foreground_guidance.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"
#include "policy/guard/plain_commands.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kDetaches =
    "Foreground command uses shell-level background wrappers (nohup/disown/setsid). Use "
    "terminal(background=true) so Hermes can track the process, then run readiness checks and "
    "tests in separate commands.";
constexpr std::string_view kBackgrounds =
    "Foreground command uses '&' backgrounding. Use terminal(background=true) for long-lived "
    "processes, then run health checks and tests in follow-up terminal calls.";
constexpr std::string_view kServes =
    "This foreground command appears to start a long-lived server/watch process. Run it with "
    "background=true, verify readiness (health endpoint/log signal), then execute tests in a "
    "separate command.";

constexpr std::string_view kByItself =
    "This foreground command does not end by itself, and there are no background processes over "
    "this transport. End it with & and redirect its input and output: "
    "`COMMAND </dev/null >FILE 2>&1 &`.";

using Arguments = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> arguments) {
  return std::ranges::find(arguments, word) != arguments.end();
}

std::string program_name(const Arguments& arguments) {
  if (arguments.empty()) return {};
  return lower_case(std::string_view(arguments[0]).substr(arguments[0].rfind('/') + 1));
}

// The first argument that is not an option.
std::string_view subcommand(const Arguments& arguments, std::size_t from = 1) {
  for (std::size_t at = from; at < arguments.size(); ++at) {
    if (!arguments[at].starts_with('-')) return arguments[at];
  }
  return {};
}

bool has_argument(const Arguments& arguments, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(arguments,
                             [&](const std::string& word) { return is_one_of(word, wanted); });
}

bool runs_package_script(const Arguments& arguments) {
  std::size_t at = 1;
  while (at < arguments.size() && arguments[at].starts_with('-')) ++at;
  if (at < arguments.size() && arguments[at] == "run") ++at;
  return is_one_of(subcommand(arguments, at), {"dev", "start", "serve", "watch"});
}

// Options in front of it may have values that are separate arguments.
bool runs_compose(const Arguments& arguments) {
  constexpr auto kValued = std::to_array<std::string_view>(
      {"-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory",
       "--ansi", "--parallel", "--progress"});
  auto word = arguments.begin() + 1;
  if (word != arguments.end() && *word == "compose") ++word;
  while (word != arguments.end() && word->starts_with('-')) {
    const bool has_value = std::ranges::find(kValued, *word) != kValued.end();
    ++word;
    if (has_value && word != arguments.end()) ++word;
  }
  return word != arguments.end() && *word == "up" &&
         !has_argument(arguments, {"-d", "--detach", "--wait", "--no-start"});
}

bool serves(const Arguments& arguments) {
  const std::string program = program_name(arguments);
  if (is_one_of(program, {"npm", "pnpm", "yarn", "bun"})) return runs_package_script(arguments);
  if (program == "docker") return subcommand(arguments) == "compose" && runs_compose(arguments);
  if (program == "docker-compose") return runs_compose(arguments);
  if (program == "next") return subcommand(arguments) == "dev";
  if (program == "vite") return !has_argument(arguments, {"build", "optimize"});
  if (is_one_of(program, {"nodemon", "uvicorn", "gunicorn"})) return true;
  if (program.starts_with("python")) {
    const auto module = std::ranges::find(arguments, "-m");
    return std::ranges::distance(module, arguments.end()) > 1 && *(module + 1) == "http.server";
  }
  return false;
}

bool asks_for_help(std::string_view command) {
  if (!command.contains('-')) return false;
  std::string text;
  for (const char c : lower_case(trim(command))) {
    const bool blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    if (!blank) text += c;
    if (blank && !text.ends_with(' ')) text += ' ';
  }
  return text.contains(" --help") || text.contains(" --version") || text.ends_with(" -h") ||
         text.ends_with(" -v");
}

}  // namespace

std::string_view foreground_guidance(std::string_view command, bool has_background) {
  if (asks_for_help(command)) return {};
  const auto commands = guard::plain_commands(command);
  if (!commands) return {};  // bash will say what is wrong with it
  bool backgrounds = false;
  bool waits = false;
  bool starts_server = false;
  bool detaches = false;
  for (const guard::PlainCommand& plain : *commands) {
    const std::string program = program_name(plain.words);
    if (is_one_of(program, {"nohup", "disown", "setsid"})) detaches = true;
    backgrounds |= plain.background;
    waits |= program == "wait";
    starts_server |= serves(plain.words);
  }
  if (!has_background) {
    return !backgrounds && (detaches || starts_server) ? kByItself : std::string_view();
  }
  if (detaches) return kDetaches;
  if (backgrounds && !waits) return kBackgrounds;
  return starts_server ? kServes : std::string_view();
}

}  // namespace talaria::tool
