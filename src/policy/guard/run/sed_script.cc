#include "policy/guard/run/sed_script.h"

#include <algorithm>
#include <utility>

#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxInserted = 64 * 1024;  // more is no edit any more
constexpr std::size_t kMaxSedFound = 250;        // commands and files

// Goes through a script once. What it cannot read, sed would not run either.
class SedReader {
 public:
  explicit SedReader(std::string_view script) : script_(script) {}

  SedActions read() {
    while (read_command()) {
      if (actions_.commands.size() + actions_.files.size() < kMaxSedFound) continue;
      actions_.runs_lines = true;  // enough to ask
      break;
    }
    return std::move(actions_);
  }

 private:
  char peek() const { return at_ < script_.size() ? script_[at_] : '\0'; }
  bool ended() const { return at_ >= script_.size(); }

  void skip(std::string_view characters) {
    at_ = std::min(script_.find_first_not_of(characters, at_), script_.size());
  }

  std::string_view rest_of_line() {
    const std::size_t end = std::min(script_.find('\n', at_), script_.size());
    const std::string_view line = script_.substr(at_, end - at_);
    at_ = end;
    return line;
  }

  // [a-z], []x], [^]x], [[:alpha:]x]: a backslash in it is a character like any other.
  void skip_bracket() {
    ++at_;
    if (peek() == '^') ++at_;
    if (peek() == ']') ++at_;
    for (; !ended() && peek() != ']'; ++at_) {
      const char kind = at_ + 1 < script_.size() ? script_[at_ + 1] : '\0';
      if (peek() != '[' || !std::string_view(":.=").contains(kind) || kind == '\0') continue;
      const char end[] = {kind, ']'};
      at_ = std::min(script_.find(std::string_view(end, 2), at_ + 2), script_.size());
      if (!ended()) ++at_;
    }
  }

  // Up to a delimiter that is neither escaped nor, in a pattern, between brackets.
  void skip_part(char delimiter, bool pattern) {
    for (; !ended(); ++at_) {
      if (peek() == delimiter) {  // which may be a backslash
        ++at_;
        return;
      }
      if (peek() == '\\') {
        ++at_;
      } else if (pattern && peek() == '[') {
        skip_bracket();
      }
    }
  }

  bool skip_address() {
    if (peek() == '/' || peek() == '\\') {
      if (peek() == '\\') ++at_;
      const char delimiter = peek();
      ++at_;
      skip_part(delimiter, true);
      skip("IM");
      return true;
    }
    const std::size_t before = at_;
    skip("0123456789$+~");
    return at_ > before;
  }

  void read_substitution() {
    const char delimiter = peek();
    ++at_;
    skip_part(delimiter, true);
    const std::size_t begin = at_;
    skip_part(delimiter, false);
    const std::size_t end = std::min(at_, script_.size());  // an escape may lead behind it
    const std::size_t from = std::min(begin, end);
    insert(script_.substr(from, end - from - (end > from ? 1 : 0)));
    for (;; ++at_) {
      const char flag = peek();
      if (flag == 'w') {
        ++at_;
        add_file();
        return;
      }
      if (flag == 'e') actions_.runs_lines = true;
      if (flag == '\0' || !std::string_view("gpiIemM0123456789").contains(flag)) return;
    }
  }

  void insert(std::string_view text) {
    if (actions_.inserted.size() + text.size() > kMaxInserted) {
      actions_.unknown = true;
    } else {
      actions_.inserted.append(text).append("\n");
    }
  }

  void add_file() {
    skip(" \t");
    actions_.files.emplace_back(rest_of_line());
  }

  // a, i and c: to the end of the line, and on where that is escaped
  void skip_text() {
    while (!ended()) {
      const std::string_view line = rest_of_line();
      insert(line);
      if (!line.ends_with('\\')) return;
      ++at_;
    }
  }

  bool read_command() {
    skip(" \t\n;");
    if (ended()) return false;
    if (skip_address()) {
      skip(" \t");
      if (peek() == ',') {
        ++at_;
        skip(" \t");
        skip_address();
      }
    }
    skip(" \t!");
    const char name = peek();
    ++at_;
    switch (name) {
      case 's':
        read_substitution();
        break;
      case 'y': {
        const char delimiter = peek();
        ++at_;
        skip_part(delimiter, false);
        skip_part(delimiter, false);
        break;
      }
      case 'e':
        skip(" \t");
        if (const std::string_view command = rest_of_line(); command.empty()) {
          actions_.runs_lines = true;
        } else {
          // `e;p` and `e}`: no command of its own
          actions_.runs_lines =
              actions_.runs_lines || command.front() == ';' || command.front() == '}';
          actions_.commands.emplace_back(command);
        }
        break;
      case 'w':
      case 'W':
        add_file();
        break;
      case 'a':
      case 'i':
      case 'c':
        skip_text();
        break;
      case 'r':
      case 'R':
      case '#':
        rest_of_line();
        break;
      case ':':
        skip(" \t");
        at_ = std::min(script_.find_first_of(" \t;\n}", at_), script_.size());
        break;
      case 'b':
      case 't':
      case 'T':
        at_ = std::min(script_.find_first_of(";\n}", at_), script_.size());
        break;
      default:
        break;
    }
    return true;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  SedActions actions_;
};

}  // namespace

SedActions read_sed_script(std::string_view script) { return SedReader(script).read(); }

SedActions sed_actions(const SeenCommand& command) {
  std::string all;  // one script, of a line per option
  bool given = false;
  bool unknown = false;
  std::size_t operand = 0;
  const auto file = [&](std::string_view path) {
    given = true;
    const bool process = path.starts_with("/dev/fd/") && !command.processes.empty();
    unknown = unknown || process || among(path, "- /dev/stdin");
  };
  const auto script = [&](std::string_view text) {
    given = true;
    all.append(text).append("\n");
  };
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.starts_with("--e") && word.contains('=')) {
      script(word.substr(word.find('=') + 1));
    } else if (word.starts_with("--e") && i + 1 < command.words.size()) {
      script(command.word(++i));
    } else if (word.starts_with("--fi") && word.contains('=')) {
      file(word.substr(word.find('=') + 1));
    } else if (word.starts_with("--fi")) {
      file(command.word(++i));
    } else if (word.size() > 1 && word[0] == '-' && word[1] != '-') {
      const std::size_t valued = word.find_first_of("efil", 1);
      if (valued == std::string_view::npos || word[valued] == 'i') continue;
      const std::string_view value =
          valued + 1 < word.size() ? word.substr(valued + 1) : command.word(++i);
      if (word[valued] == 'e') script(value);
      if (word[valued] == 'f') file(value);
    } else if (!word.starts_with("--") && operand == 0) {
      operand = i;
    }
  }
  if (!given && operand > 0) script(command.word(operand));
  SedActions actions = read_sed_script(all);
  actions.unknown = actions.unknown || unknown;
  return actions;
}

}  // namespace talaria::guard
