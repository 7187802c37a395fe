#include "policy/guard/run/tmux_commands.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using Words = std::vector<SeenWord>;

// What the words behind the options are.
enum class Takes { nothing, shell, tmux, keys, file };

struct Row {
  std::string_view name;
  std::string_view alias;
  Takes takes;
  std::string_view valued;  // letters of the options that take a value
};
constexpr Row kRows[] = {
    {"new-session", "new", Takes::shell, "cFensxytf"},
    {"new-window", "neww", Takes::shell, "cFent"},
    {"split-window", "splitw", Takes::shell, "ceFlpt"},
    {"respawn-pane", "respawnp", Takes::shell, "cet"},
    {"respawn-window", "respawnw", Takes::shell, "cet"},
    {"display-popup", "popup", Takes::shell, "bcdehsStTwxy"},
    {"pipe-pane", "pipep", Takes::shell, "t"},
    {"run-shell", "run", Takes::shell, "cdt"},
    {"if-shell", "if", Takes::tmux, "t"},
    {"confirm-before", "confirm", Takes::tmux, "cpt"},
    {"command-prompt", "command-prompt", Takes::tmux, "IpTt"},
    {"display-menu", "menu", Takes::tmux, "bcHOsStTxy"},
    {"bind-key", "bind", Takes::tmux, "NT"},
    {"set-hook", "set-hook", Takes::tmux, "t"},
    {"set-option", "set", Takes::shell, "t"},
    {"set-window-option", "setw", Takes::shell, "t"},
    {"source-file", "source", Takes::file, "t"},
    {"save-buffer", "saveb", Takes::file, "b"},
    {"send-keys", "send", Takes::keys, "ctN"},
    {"paste-buffer", "pasteb", Takes::keys, "bst"},
};

// A name may be shortened.
const Row* find_row(std::string_view name) {
  const auto exact = [&](const Row& row) { return row.name == name || row.alias == name; };
  const auto shortened = [&](const Row& row) { return row.name.starts_with(name); };
  const auto* row = std::ranges::find_if(kRows, exact);
  if (row == std::end(kRows) && name.size() > 1) row = std::ranges::find_if(kRows, shortened);
  return row == std::end(kRows) ? nullptr : row;
}

Words behind(const Words& words, std::string_view valued) {
  std::vector<std::string_view> views;
  for (const SeenWord& word : words) views.emplace_back(word.text);
  const std::size_t at = behind_options(views, 1, {.letters = valued});
  return words_from({.words = words}, at);
}

// A text of tmux is read like one of a shell; a ; in it is one of tmux.
InnerCommand tmux_text(std::string_view text) {
  std::string script = "tmux ";
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) script += text[i++];
    if (quote != '\0' || c == '\'' || c == '"') quote = c == quote ? '\0' : quote ? quote : c;
    const bool bare = quote == '\0' && (i == 0 || text[i - 1] != '\\');
    const bool ends = bare && (c == ';' || c == '\n');
    if (ends || (bare && (c == '{' || c == '}'))) {
      script += " \\; ";
    } else {
      script += text[i];
    }
  }
  return run_text({std::move(script)});
}

InnerCommand tmux_words(Words words) {
  if (words.size() == 1) return tmux_text(words.front().text);
  words.insert(words.begin(), {"tmux"});
  return {.words = std::move(words)};
}

InnerCommand unknown_text() { return run_text({std::string(1, kUnknownPiece)}); }

// What keys type: whole lines, or nobody knows what they are a part of.
void add_typed(const TmuxCommand& command, std::vector<InnerCommand>& inner) {
  std::string text;
  for (const SeenWord& key : command.operands) {
    const bool control = key.text.size() <= 3 && key.text.starts_with("C-") && !command.has('l');
    if (among(key.text, "Enter C-m C-j KPEnter")) {
      text += '\n';
    } else if (key.text == "Space") {
      text += ' ';
    } else if (!control) {
      text += key.text;
    }
  }
  const bool coded = command.has('H') || command.has('F') || command.name == "paste-buffer";
  if (coded || (!text.empty() && (!text.ends_with('\n') || text == "\n"))) {
    inner.push_back(unknown_text());
  }
  if (!text.empty()) inner.push_back(run_text({std::move(text)}));
}

void add_read(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  inner.push_back(command.input.text ? tmux_text(*command.input.text) : unknown_text());
}

void add_tmux(const TmuxCommand& one, std::vector<InnerCommand>& inner) {
  Words words = one.operands;
  if (one.name == "if-shell" && !words.empty()) {
    if (!one.has('F')) inner.push_back(run_text(words.front()));
    for (std::size_t i = 1; i < words.size(); ++i) inner.push_back(tmux_text(words[i].text));
  } else if (one.name == "display-menu") {
    for (std::size_t i = 2; i < words.size(); i += 3) inner.push_back(tmux_text(words[i].text));
  } else {
    if (among(one.name, "bind-key set-hook") && !words.empty()) words.erase(words.begin());
    if (!words.empty()) inner.push_back(tmux_words(std::move(words)));
  }
}

void add_shell(const TmuxCommand& one, std::vector<InnerCommand>& inner) {
  Words words = one.operands;
  if (one.name.starts_with("set-") && !words.empty()) {
    const std::string name = words.front().text;
    words.erase(words.begin());
    if (name.starts_with("command-alias") && !words.empty()) {
      const std::string& text = words.front().text;
      inner.push_back(tmux_text(text.substr(std::min(text.find('=') + 1, text.size()))));
    }
    if (!name.ends_with("-command") && !among(name, "default-shell editor")) return;
  }
  if (words.empty()) return;
  if (one.name == "run-shell" && one.has('C')) return inner.push_back(tmux_words(std::move(words)));
  inner.push_back(run_text(joined(words)));
  inner.back().fed = one.name == "pipe-pane";
  inner.back().directory = one.value('c');
}

}  // namespace

std::string TmuxCommand::value(char letter) const {
  const Words values = option_values({.words = words}, letter, "");
  return values.empty() ? "" : values.back().text;
}

std::vector<TmuxCommand> tmux_commands(const SeenCommand& command) {
  std::vector<std::string_view> views;
  for (const SeenWord& word : command.words) views.emplace_back(word.text);
  const std::size_t at = behind_options(views, 1, {.letters = "cfLST"});
  const SeenCommand own{
      .words = {command.words.begin(),
                command.words.begin() +
                    std::min(std::ssize(command.words), static_cast<std::ptrdiff_t>(at))}};
  std::string server;
  for (const char letter : {'L', 'S'}) {
    for (const SeenWord& word : option_values(own, letter, "")) server += letter + word.text;
  }
  std::vector<TmuxCommand> all;
  Words words;
  const auto finish = [&] {
    if (words.empty()) return;
    const Row* const row = find_row(words.front().text);
    TmuxCommand one{.name = row == nullptr ? "" : row->name, .words = std::exchange(words, {})};
    if (row != nullptr) one.operands = behind(one.words, row->valued);
    one.server = server;
    all.push_back(std::move(one));
  };
  for (const SeenWord& word : words_from(command, at)) {
    if (among(word.text, "; { }")) {
      finish();
      continue;
    }
    words.push_back(word);
    if (word.text.ends_with(';') && !word.text.ends_with("\\;")) {
      words.back().text.pop_back();
      finish();
    }
  }
  finish();
  return all;
}

void add_tmux_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (const TmuxCommand& one : tmux_commands(command)) {
    for (const SeenWord& word : one.words) add_bracketed(word.text, "#(", inner);  // a format
    if (!one.words.front().known()) inner.push_back(unknown_text());
    const Row* const row = one.name.empty() ? nullptr : find_row(one.name);
    switch (row == nullptr ? Takes::nothing : row->takes) {
      case Takes::shell:
        add_shell(one, inner);
        break;
      case Takes::tmux:
        add_tmux(one, inner);
        break;
      case Takes::keys:
        add_typed(one, inner);
        break;
      case Takes::file:
        if (one.operands.empty()) break;
        if (one.name == "save-buffer") inner.push_back({.words = {{"tee"}, one.operands.back()}});
        if (one.operands.back().text == "-" && one.name == "source-file") add_read(command, inner);
        break;
      case Takes::nothing:
        break;
    }
  }
  for (std::size_t i = 1; i < command.words.size() && command.word(i).starts_with('-'); ++i) {
    if (among(command.word(i), "-C -CC")) add_read(command, inner);
    if (command.word(i) == "-c" && i + 1 < command.words.size()) {
      inner.push_back(run_text(command.words[++i]));
    } else if (among(command.word(i), "-f -L -S -T")) {
      ++i;
    }
  }
}

}  // namespace talaria::guard
