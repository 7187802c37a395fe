#include "policy/guard/run/filter_script.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxInserted = 64 * 1024;  // more is no edit any more
constexpr std::size_t kMaxFound = 250;           // commands and files

// Goes through a script once.
class FilterReader {
 protected:
  explicit FilterReader(std::string_view script) : script_(script) {}

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < script_.size() ? script_[at_ + ahead] : '\0';
  }
  bool ended() const { return at_ >= script_.size(); }
  std::size_t found() const {
    return actions_.commands.size() + actions_.files.size() + actions_.read.size();
  }

  void skip(std::string_view characters) {
    at_ = std::min(script_.find_first_not_of(characters, at_), script_.size());
  }

  std::string_view rest_of_line() {
    const std::size_t end = std::min(script_.find('\n', at_), script_.size());
    const std::string_view line = script_.substr(at_, end - at_);
    at_ = end;
    return line;
  }

  std::string_view script_;
  std::size_t at_ = 0;
  FilterActions actions_;
};

// What it cannot read, sed would not run either.
class SedReader : FilterReader {
 public:
  explicit SedReader(std::string_view script) : FilterReader(script) {}

  FilterActions read() {
    while (read_command()) {
      if (found() < kMaxFound) continue;
      actions_.runs_commands = true;  // enough to ask
      break;
    }
    return std::move(actions_);
  }

 private:
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
      skip_part(take(), true);
      skip("IM");
      return true;
    }
    const std::size_t before = at_;
    skip("0123456789$+~");
    return at_ > before;
  }

  void read_substitution() {
    const char delimiter = take();
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
        add_file(actions_.files);
        return;
      }
      if (flag == 'e') actions_.runs_commands = true;
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

  void add_file(std::vector<std::string>& files) {
    skip(" \t");
    files.emplace_back(rest_of_line());
  }

  char take() {
    const char c = peek();
    ++at_;
    return c;
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

  // Without one, or in `e;p` and `e}`, what it reads becomes commands.
  void add_command(std::string_view command) {
    if (command.empty() || command.front() == ';' || command.front() == '}') {
      actions_.runs_commands = true;
    }
    if (!command.empty()) actions_.commands.emplace_back(command);
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
    switch (take()) {
      case 's':
        read_substitution();
        break;
      case 'y': {
        const char delimiter = take();
        skip_part(delimiter, false);
        skip_part(delimiter, false);
        break;
      }
      case 'e':
        skip(" \t");
        add_command(rest_of_line());
        break;
      case 'w':
      case 'W':
        add_file(actions_.files);
        break;
      case 'a':
      case 'i':
      case 'c':
        skip_text();
        break;
      case 'r':
      case 'R':
        if (found() < kMaxFound) add_file(actions_.read);
        break;
      case '#':
        rest_of_line();
        break;
      case ':':
      case 'b':
      case 't':
      case 'T':
        skip(" \t");
        at_ = std::min(script_.find_first_of(" \t;\n}", at_), script_.size());
        break;
      default:
        break;
    }
    return true;
  }
};

class AwkReader : FilterReader {
 public:
  using Values = std::map<std::string, std::string, std::less<>>;

  // `values`: of the variables that are set for it.
  AwkReader(std::string_view script, Values values)
      : FilterReader(script), values_(std::move(values)) {}

  FilterActions read() {
    while (!ended()) read_token();
    return std::move(actions_);
  }

 private:
  // Also ends of lines that a backslash joins.
  void skip_blanks() {
    for (;; at_ += 2) {
      skip(" \t");
      if (peek() != '\\' || peek(1) != '\n') return;
    }
  }

  std::string read_string() {
    std::string text;
    for (++at_; at_ < script_.size() && peek() != '"'; ++at_) {
      const bool escape = peek() == '\\' && at_ + 1 < script_.size();
      if (escape) ++at_;
      text += escape ? escaped(peek()) : peek();
    }
    ++at_;
    return text;
  }

  // What \c is; \x7e and its like are not read.
  static char escaped(char c) {
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ? kUnknownPiece : c;
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

  // What texts, variables and ENVIRON["HOME"] are together; an unknown piece for all else.
  std::string read_joined() {
    std::string text;
    for (;;) {
      skip_blanks();
      if (peek() == '(') {
        ++at_;
      } else if (peek() == '"') {
        text += read_string();
      } else if (script_.substr(at_).starts_with("ENVIRON[\"HOME\"]")) {
        text += '~';
        at_ += std::string_view("ENVIRON[\"HOME\"]").size();
      } else if (is_name_start(peek())) {
        const std::size_t begin = at_;
        while (!ended() && is_name_char(peek())) ++at_;
        const auto found = values_.find(script_.substr(begin, at_ - begin));
        text += found == values_.end() ? std::string(1, kUnknownPiece) : found->second;
      } else if (peek() == '$' || std::isdigit(static_cast<unsigned char>(peek())) != 0) {
        ++at_;
        if (!text.ends_with(kUnknownPiece)) text += kUnknownPiece;
      } else {
        return text;
      }
    }
  }

  // Looks ahead for the file behind < or >.
  void add_file(std::vector<std::string>& files) {
    const std::size_t before = at_;
    std::string file = read_joined();
    at_ = before;
    if (file.find_first_not_of(kUnknownPiece) != std::string::npos && found() < kMaxFound) {
      files.push_back(std::move(file));
    }
  }

  // Behind |: a text alone is known, anything else is not.
  void read_target(bool pipe) {
    skip_blanks();
    if (!pipe) return add_file(actions_.files);
    if (peek() != '"') {
      actions_.runs_commands = true;
      return;
    }
    std::string text = read_string();
    skip_blanks();
    const bool whole = at_ >= script_.size() || std::string_view("};)\n#").contains(peek());
    if (!whole) actions_.runs_commands = true;
    operand_ = true;
    add_command(std::move(text));
  }

  void add_command(std::string text) {
    if (found() >= kMaxFound) {
      actions_.runs_commands = true;
    } else if (!text.empty()) {
      actions_.commands.push_back(std::move(text));
    }
  }

  // Looks ahead for the command in the brackets, as far as texts tell.
  void read_system() {
    const std::size_t before = at_;
    add_command(with_unknown_variable(read_joined()));
    at_ = before;
    actions_.runs_commands = true;
  }

  void read_name() {
    std::size_t end = at_;
    while (end < script_.size() && is_name_char(script_[end])) ++end;
    const std::string_view name = script_.substr(at_, end - at_);
    at_ = end;
    operand_ = name.size() < 2 || !among(name, "return print printf in case");
    if (name == "system") {
      skip_blanks();
      if (peek() == '(') read_system();
    } else if (name == "getline") {
      in_getline_ = true;
    }
    skip_blanks();
    if (peek() == '=' && peek(1) != '=') {
      const std::size_t before = at_++;
      values_.insert_or_assign(std::string(name), read_joined());
      at_ = before;
    }
  }

  void read_token() {
    const char c = peek();
    if (c == '"') {
      last_text_ = read_string();
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
      if (script_.substr(at_).starts_with("getline")) {  // "command" | getline
        actions_.runs_commands = true;
        add_command(std::exchange(last_text_, ""));
      } else {
        read_target(true);
      }
    } else if (c == '<' && in_getline_) {
      ++at_;
      operand_ = in_getline_ = false;
      add_file(actions_.read);
    } else if (c == '>' && peek(1) != '=') {
      at_ += peek(1) == '>' ? 2 : 1;
      operand_ = false;
      read_target(false);
    } else if ((c == '+' || c == '-') && peek(1) == c) {
      at_ += 2;  // behind an operand it belongs to that
    } else {
      if (c == ';' || c == '}' || c == '\n') in_getline_ = false;
      if (c != ' ' && c != '\t') {
        operand_ = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ')' || c == ']' ||
                   c == '$' || c == kUnknownPiece;
      }
      ++at_;
    }
  }

  Values values_;
  std::string last_text_;      // of those that are not behind an operator
  bool in_getline_ = false;    // a < now is no comparison
  bool operand_ = false;       // a / now would divide
  bool open_bracket_ = false;  // nothing closes one from here on
};

}  // namespace

FilterActions read_sed_script(std::string_view script) { return SedReader(script).read(); }

FilterActions read_awk_script(std::string_view script,
                              const std::map<std::string, std::string, std::less<>>& values) {
  return AwkReader(script, values).read();
}

FilterActions filter_actions(const SeenCommand& command) {
  const bool awk = is_awk_program(command.program);
  std::string all;  // one script, of a line per option
  std::map<std::string, std::string, std::less<>> values;
  bool given = false;
  bool unknown = false;
  bool loads = false;
  std::size_t operand = 0;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word.size() < 2 || word.front() != '-') {
      if (operand == 0) operand = i;
      if (awk) break;
      continue;
    }
    const bool long_name = word[1] == '-';
    std::size_t end = long_name ? word.find('=') : word.find_first_of(awk ? "efvFil" : "efil", 1);
    char kind = end < word.size() ? word[end] : '\0';
    if (long_name) {
      const std::string_view name = word.substr(2, end - 2);
      const bool script = name.starts_with('e') || name.starts_with("so");
      kind = script                                                      ? 'e'
             : name.starts_with("fi") && !name.starts_with("fie")        ? 'f'
             : awk && among(name, "assign field-separator include load") ? name.front()
                                                                         : '\0';
    }
    if (kind == '\0' || (!awk && kind == 'i')) continue;
    const std::string_view value = end + 1 < word.size() ? word.substr(end + 1) : command.word(++i);
    loads = loads || (awk && kind == 'l');
    given = given || kind == 'e' || kind == 'f';
    if (kind == 'e') all.append(value).append("\n");
    if (awk && (kind == 'v' || kind == 'a')) {
      const std::size_t equals = std::min(value.find('='), value.size());
      values.insert_or_assign(std::string(value.substr(0, equals)),
                              std::string(value.substr(std::min(equals + 1, value.size()))));
    }
    unknown =
        unknown || (kind == 'f' && (among(value, "- /dev/stdin") ||
                                    (value.starts_with("/dev/fd/") && !command.processes.empty())));
  }
  if (!given) all = command.word(operand == 0 ? command.words.size() : operand);
  // what awk reads is what FILENAME and ARGV name, one after the other
  constexpr std::size_t kMostFiles = 16;
  FilterActions actions = awk ? FilterActions{} : read_sed_script(all);
  std::size_t file = given ? operand : operand + 1;
  const std::size_t last = all.contains("FILENAME") || all.contains("ARGV") ? file + kMostFiles : 0;
  do {
    if (!awk) break;
    values["FILENAME"] = values["ARGV"] = command.word(file);
    FilterActions one = read_awk_script(all, values);
    std::ranges::move(actions.files, std::back_inserter(one.files));
    actions = std::move(one);
  } while (++file < std::min(last, command.words.size()));
  actions.runs_commands = actions.runs_commands || loads;
  actions.unknown = actions.unknown || unknown;
  return actions;
}

}  // namespace talaria::guard
