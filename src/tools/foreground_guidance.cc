#include "tools/foreground_guidance.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "base/text.h"
#include "shell/simple_commands.h"

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

using Words = std::vector<std::string>;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

std::string program_name(const Words& words) {
  if (words.empty()) return {};
  return lower_case(std::string_view(words[0]).substr(words[0].rfind('/') + 1));
}

// The first word behind the program that is no option.
std::string_view subcommand(const Words& words, std::size_t from = 1) {
  for (std::size_t at = from; at < words.size(); ++at) {
    if (!words[at].starts_with('-')) return words[at];
  }
  return {};
}

bool has_word(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return is_one_of(word, wanted); });
}

bool runs_package_script(const Words& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-')) ++at;
  if (at < words.size() && words[at] == "run") ++at;
  return is_one_of(subcommand(words, at), {"dev", "start", "serve", "watch"});
}

// Options in front of it may have values that are words of their own.
bool runs_compose(const Words& words) {
  constexpr auto kValued = std::to_array<std::string_view>(
      {"-f", "--file", "-p", "--project-name", "--profile", "--env-file", "--project-directory",
       "--ansi", "--parallel", "--progress"});
  auto word = words.begin() + 1;
  if (word != words.end() && *word == "compose") ++word;
  while (word != words.end() && word->starts_with('-')) {
    const bool has_value = std::ranges::find(kValued, *word) != kValued.end();
    ++word;
    if (has_value && word != words.end()) ++word;
  }
  return word != words.end() && *word == "up" &&
         !has_word(words, {"-d", "--detach", "--wait", "--no-start"});
}

bool serves(const Words& words) {
  const std::string program = program_name(words);
  if (is_one_of(program, {"npm", "pnpm", "yarn", "bun"})) return runs_package_script(words);
  if (program == "docker") return subcommand(words) == "compose" && runs_compose(words);
  if (program == "docker-compose") return runs_compose(words);
  if (program == "next") return subcommand(words) == "dev";
  if (program == "vite") return !has_word(words, {"build", "optimize"});
  if (is_one_of(program, {"nodemon", "uvicorn", "gunicorn"})) return true;
  if (program.starts_with("python")) {
    const auto module = std::ranges::find(words, "-m");
    return module != words.end() && module + 1 != words.end() && *(module + 1) == "http.server";
  }
  return false;
}

bool asks_for_help(std::string_view command) {
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

std::string_view foreground_guidance(std::string_view command) {
  if (asks_for_help(command)) return {};
  const auto commands = shell::simple_commands(command);
  if (!commands) return {};  // bash will say what is wrong with it
  bool backgrounds = false;
  bool waits = false;
  bool starts_server = false;
  for (const shell::SimpleCommand& simple : *commands) {
    const Words words = shell::program_words(simple);
    const std::string program = program_name(words);
    if (is_one_of(program, {"nohup", "disown", "setsid"})) return kDetaches;
    backgrounds |= simple.separator == "&";
    waits |= program == "wait";
    starts_server |= serves(words);
  }
  if (backgrounds && !waits) return kBackgrounds;
  return starts_server ? kServes : std::string_view();
}

}  // namespace talaria::tool
