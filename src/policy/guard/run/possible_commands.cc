#include "policy/guard/run/possible_commands.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/guard/path_text.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMostTriedWords = 64;
constexpr std::size_t kMostTriedBytes = 4096;

// Programs whose operands are text, or that have a reader of their own.
constexpr std::string_view kTakesText =
    ": true false ansible salt salt-ssh pssh pdsh parallel-ssh fab echo printf grep egrep fgrep "
    "zgrep rg ag ack git hg svn jj gh glab hub jira linear cat tee test [ expr logger wall write "
    "mail mailx mutt sendmail notify-send osascript say espeak cowsay figlet man apropos whatis "
    "which type command help history alias export declare typeset local readonly set unset read "
    "cd trap jq yq tr cut sort uniq diff patch sed gsed awk gawk mawk nawk perl ruby python "
    "python3 node php lua R Rscript julia ssh docker podman kubectl psql mysql sqlite3 curl wget "
    "http https xh talaria hermes claude codex gemini aider cursor-agent opencode llm ollama tmux "
    "screen crontab at batch find fd fdfind ls rm mv cp touch mkdir ln chmod chown tar zip unzip "
    "make cmake ninja npm cargo go mvn gradle vim vi nvim emacs nano code subl bash sh zsh dash "
    "ksh fish kill pkill sqlcmd mongosh redis-cli expect dialog whiptail zenity slack "
    "telegram-send toot commitizen cz conventional-commit todo task";

constexpr std::string_view kRemovers = "rm rmdir shred unlink dd find truncate mkfs wipefs";

// A command that removes something: `rm -rf x`, `sudo rm /x`, and not "rm the old file".
bool removes(std::string_view text) {
  text = trim(text);
  for (const std::string_view start : {"sudo ", "exec ", "env "}) {
    if (text.starts_with(start)) text = trim(text.substr(start.size()));
  }
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view program = base_name(text.substr(0, end));
  const std::string_view rest = trim(text.substr(end));
  if (program == "sh" || program == "bash") return rest.starts_with("-c");
  return among(program, kRemovers) && !rest.empty() && std::string_view("-/~$.").contains(rest[0]);
}

bool is_command(std::string_view text) {
  return text.size() <= kMostTriedBytes && text.contains(' ') && removes(text) &&
         read_script(text).trouble.empty();
}

}  // namespace

bool is_unreadable(const InnerCommand& inner) {
  return inner.is_text && !read_script(inner.text.text).trouble.empty();
}

void add_possible_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.words.size() < 2 || command.words.size() > kMostTriedWords) return;
  const auto may_begin = [](const SeenWord& word) {
    return word.text.contains(' ') || among(word.text, "-- exec rm");
  };
  if (std::none_of(command.words.begin() + 1, command.words.end(), may_begin)) return;
  const bool own = command.word(0).contains('/') && !is_installed(command.word(0));
  if (own || among(command.program, kTakesText) || find_wrapper(command.program) != nullptr) return;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    const bool begins = word == "--" || (word == "exec" && i > 1);
    if (begins || (word == "rm" && command.word(i + 1).starts_with("-r"))) {
      std::vector<SeenWord> words = words_from(command, begins ? i + 1 : i);
      if (removes(joined(words).text)) inner.push_back({.words = std::move(words)});
      continue;
    }
    word.remove_prefix(is_command(word) ? 0 : std::min(word.find('=') + 1, word.size()));
    if (is_command(word)) inner.push_back(run_text({with_unknown_variable(word)}));
  }
}

}  // namespace talaria::guard
