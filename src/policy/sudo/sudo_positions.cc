#include "policy/sudo/sudo_positions.h"

#include <algorithm>
#include <array>

#include "policy/guard/command_words.h"

namespace talaria::policy {
namespace {

// Options with a value behind them.
constexpr std::string_view kValueOptions = "CDacghpRrTtUu";
constexpr std::array<std::string_view, 11> kLongValueOptions{
    "--chdir", "--chroot", "--close-from", "--command-timeout",
    "--group", "--host",   "--other-user", "--prompt",
    "--role",  "--type",   "--user"};

// The word at the beginning of `text`, taken off it, as far as options are concerned: none of them
// has a space in it.
std::string_view next_option_word(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t') || text.starts_with("\\\n")) {
    text.remove_prefix(text.front() == '\\' ? 2 : 1);
  }
  const std::size_t size = std::min(text.find_first_of(" \t\n;|&()<>`"), text.size());
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

// With -S it has a password already, or is to be given one by what stands before it; -A does not go
// together with that.
bool reads_stdin(std::string_view behind) {
  for (;;) {
    std::string_view word = next_option_word(behind);
    if (word == "--stdin") return true;
    if (!word.starts_with('-') || word == "--" || word == "-") return false;
    if (word.starts_with("--")) {
      const bool valued = std::ranges::find(kLongValueOptions, word) != kLongValueOptions.end();
      if (valued) (void)next_option_word(behind);
      continue;
    }
    word.remove_prefix(1);
    const std::size_t valued = std::min(word.find_first_of(kValueOptions), word.size());
    if (word.substr(0, valued).contains('S')) return true;
    if (valued + 1 == word.size()) (void)next_option_word(behind);
  }
}

// `command -v sudo` only asks where it is.
bool only_looks_for_it(std::string_view text, const guard::CommandWord& runner,
                       const guard::CommandWord& word) {
  if (word.behind != "command") return false;
  std::string_view between = text.substr(runner.end, word.begin - runner.end);
  for (std::string_view option = next_option_word(between); !option.empty();
       option = next_option_word(between)) {
    if (option.starts_with('-') && option.find_first_of("vV") != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::size_t> find_sudo(std::string_view command) {
  std::vector<std::size_t> ends;
  if (!command.contains("sudo")) return ends;
  const guard::CommandWords found = guard::find_command_words(command);
  for (std::size_t i = 0; i < found.words.size(); ++i) {
    const guard::CommandWord& word = found.words[i];
    const std::string_view behind = command.substr(word.end);
    if (word.name != "sudo" || !word.plain || reads_stdin(behind)) continue;
    if (behind.starts_with('>') || behind.starts_with('<')) continue;
    if (i > 0 && only_looks_for_it(command, found.words[i - 1], word)) continue;
    ends.push_back(word.end);
  }
  return ends;
}

std::string with_options(std::string_view command, const std::vector<std::size_t>& positions,
                         std::string_view options) {
  std::string text;
  std::size_t at = 0;
  for (const std::size_t end : positions) {
    text.append(command.substr(at, end - at)).append(options);
    at = end;
  }
  return text.append(command.substr(at));
}

}  // namespace talaria::policy
