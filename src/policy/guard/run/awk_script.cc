#include "policy/guard/run/awk_script.h"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxAwkFound = 250;  // commands and files

class AwkReader {
 public:
  explicit AwkReader(std::string_view script) : script_(script) {}

  AwkActions read() {
    while (at_ < script_.size()) read_token();
    return std::move(actions_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }

  std::size_t found() const { return actions_.commands.size() + actions_.files.size(); }

  // Also ends of lines that a backslash joins.
  void skip_blanks() {
    for (;; at_ += 2) {
      at_ = std::min(script_.find_first_not_of(" \t", at_), script_.size());
      if (peek() != '\\' || peek(1) != '\n') return;
    }
  }

  std::string read_string() {
    std::string text;
    for (++at_; at_ < script_.size() && peek() != '"'; ++at_) {
      if (peek() == '\\' && at_ + 1 < script_.size()) ++at_;
      text += peek();
    }
    ++at_;
    return text;
  }

  void skip_pattern() {
    for (++at_; at_ < script_.size() && peek() != '/' && peek() != '\n'; ++at_) {
      if (peek() == '\\') ++at_;
      if (peek() != '[' || open_bracket_) continue;
      const std::size_t end =
          script_.find_first_of("]\n", std::min(at_ + (peek(1) == '^' ? 3 : 2), script_.size()));
      open_bracket_ = end == std::string_view::npos;  // and so is every other behind it
      if (!open_bracket_ && script_[end] == ']') at_ = end;
    }
    ++at_;
  }

  // Behind | or >: a text alone is known, anything else is not.
  void read_target(bool pipe) {
    skip_blanks();
    if (peek() != '"') {
      if (pipe) actions_.runs_commands = true;
      return;
    }
    std::string text = read_string();
    skip_blanks();
    const bool whole = at_ >= script_.size() || std::string_view("};)\n#").contains(peek());
    if (pipe && (!whole || found() >= kMaxAwkFound)) actions_.runs_commands = true;
    operand_ = true;
    if (found() >= kMaxAwkFound) return;
    (pipe ? actions_.commands : actions_.files).push_back(std::move(text));
  }

  void read_name() {
    std::size_t end = at_;
    while (end < script_.size() && is_name_char(script_[end])) ++end;
    const std::string_view name = script_.substr(at_, end - at_);
    at_ = end;
    operand_ = name.size() < 2 || !among(name, "return print printf in case");
    if (name == "system") {
      skip_blanks();
      if (peek() == '(') actions_.runs_commands = true;
    }
  }

  void read_token() {
    const char c = peek();
    if (c == '"') {
      read_string();
      operand_ = true;
    } else if (c == '/' && !operand_) {
      skip_pattern();
      operand_ = true;
    } else if (c == '#') {
      at_ = std::min(script_.find('\n', at_), script_.size());
    } else if (is_name_start(c)) {
      read_name();
    } else if (c == '@') {
      // @load, @include, and @f(...), which calls what f names
      ++at_;
      skip_blanks();
      if (is_name_start(peek()) && !script_.substr(at_).starts_with("namespace")) {
        actions_.runs_commands = true;
      }
    } else if (c == '|' && peek(1) == '|') {
      at_ += 2;
      operand_ = false;
    } else if (c == '|') {
      at_ += peek(1) == '&' ? 2 : 1;
      skip_blanks();
      if (script_.substr(at_).starts_with("getline")) {
        actions_.runs_commands = true;
      } else {
        read_target(true);
      }
    } else if (c == '>' && peek(1) != '=') {
      at_ += peek(1) == '>' ? 2 : 1;
      operand_ = false;
      read_target(false);
    } else if ((c == '+' || c == '-') && peek(1) == c) {
      at_ += 2;  // behind an operand it belongs to that
    } else {
      if (c != ' ' && c != '\t') {
        operand_ = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ')' || c == ']' ||
                   c == '$' || c == kUnknownPiece;
      }
      ++at_;
    }
  }

  std::string_view script_;
  std::size_t at_ = 0;
  bool operand_ = false;       // a / now would divide
  bool open_bracket_ = false;  // nothing closes one from here on
  AwkActions actions_;
};

}  // namespace

AwkActions read_awk_script(std::string_view script) { return AwkReader(script).read(); }

AwkActions awk_actions(const SeenCommand& command) {
  AwkActions actions;
  const auto add = [&](std::string_view script) {
    AwkActions more = read_awk_script(script);
    std::ranges::move(more.commands, std::back_inserter(actions.commands));
    std::ranges::move(more.files, std::back_inserter(actions.files));
    actions.runs_commands = actions.runs_commands || more.runs_commands;
  };
  const auto file = [&](std::string_view path) {
    const bool process = path.starts_with("/dev/fd/") && !command.processes.empty();
    actions.unknown = actions.unknown || process || among(path, "- /dev/stdin");
  };
  bool given = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with("-f") || word.starts_with("--file")) {
      given = true;
      const bool attached = word.starts_with("-f") ? word.size() > 2 : word.contains('=');
      file(attached ? word.substr(word.starts_with("-f") ? 2 : word.find('=') + 1)
                    : command.word(++i));
    } else if (word.starts_with("-e") || word.starts_with("--source")) {
      given = true;
      const bool attached = word.starts_with("-e") ? word.size() > 2 : word.contains('=');
      add(attached ? word.substr(word.starts_with("-e") ? 2 : word.find('=') + 1)
                   : command.word(++i));
    } else if (among(word, "-v -F -i -l --assign --field-separator --include --load")) {
      if (among(word, "-l --load")) actions.runs_commands = true;
      ++i;
    } else if (!word.starts_with('-') || word == "-") {
      if (!given) add(word);
      break;
    }
  }
  return actions;
}

}  // namespace talaria::guard
