#include "shell/simple_commands.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "shell/quote.h"

namespace talaria::shell {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool ends_word(char c) { return is_blank(c) || std::string_view("\n;&|()<>").contains(c); }

// Reads one text, and for each substitution in it the text inside.
class Scanner {
 public:
  Scanner(std::string_view text, std::vector<SimpleCommand>& found, bool substituted)
      : text_(text), found_(found), substituted_(substituted) {}

  // Up to the end, or, in a substitution, to the parenthesis that closes it. False: a quote or a
  // substitution has no end.
  bool read(bool to_parenthesis) {
    int depth = 0;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == ')' && to_parenthesis && depth == 0) {
        end_command("");
        ++at_;
        return true;
      }
      if (is_blank(c)) {
        ++at_;
      } else if (text_.substr(at_).starts_with("\\\n")) {
        at_ += 2;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (text_.substr(at_).starts_with("((") && command_.words.empty()) {
        if (!skip_arithmetic(2)) return false;
      } else if (c == '<' || c == '>' || text_.substr(at_).starts_with("&>")) {
        if (!read_redirection()) return false;
      } else if (ends_word(c)) {
        if (c == '(') ++depth;
        if (c == ')') depth = std::max(0, depth - 1);
        read_operator();
      } else if (!read_command_word()) {
        return false;
      }
    }
    end_command("");
    return !to_parenthesis;
  }

  std::size_t position() const { return at_; }

 private:
  bool at_end() const { return at_ >= text_.size(); }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }

  void end_command(std::string_view separator) {
    if (!command_.words.empty()) {
      command_.separator = separator;
      command_.substituted = substituted_;
      found_.push_back(std::move(command_));
    }
    command_ = {};
  }

  void read_operator() {
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view two : {"&&", "||", ";;", "|&"}) {
      if (!rest.starts_with(two)) continue;
      end_command(two == ";;" ? ";" : two == "|&" ? "|" : two);
      at_ += 2;
      return;
    }
    end_command(rest.substr(0, 1));
    ++at_;
    if (rest.front() == '\n') skip_here_documents();
  }

  bool read_command_word() {
    std::string word;
    if (!read_word(word)) return false;
    const bool is_first = command_.words.empty();
    // Inside [[ ]] operators are words.
    if (is_first && word == "[[") return read_condition();
    // The number of a descriptor belongs to the redirection behind it.
    const bool is_number = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isdigit(c) != 0;
    });
    if (is_number && !at_end() && (text_[at_] == '<' || text_[at_] == '>')) return true;
    command_.words.push_back(std::move(word));
    return true;
  }

  bool read_condition() {
    command_.words.emplace_back("[[");
    while (!at_end()) {
      if (is_blank(text_[at_]) || (ends_word(text_[at_]))) {
        ++at_;
        continue;
      }
      std::string word;
      if (!read_word(word)) return false;
      const bool closes = word == "]]";
      command_.words.push_back(std::move(word));
      if (closes) break;
    }
    return true;
  }

  bool read_redirection() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<(") || rest.starts_with(">(")) {
      at_ += 2;
      command_.words.emplace_back("/dev/fd/63");
      return read_nested();
    }
    const bool here_document = rest.starts_with("<<") && !rest.starts_with("<<<");
    const bool strips_tabs = rest.starts_with("<<-");
    while (!at_end() && std::string_view("<>&|-").contains(text_[at_])) ++at_;
    while (!at_end() && is_blank(text_[at_])) ++at_;
    std::string target;
    if (!at_end() && !ends_word(text_[at_]) && !read_word(target)) return false;
    if (here_document) here_documents_.push_back({std::move(target), strips_tabs});
    return true;
  }

  void skip_here_documents() {
    for (const auto& [delimiter, strips_tabs] : std::exchange(here_documents_, {})) {
      while (!at_end()) {
        const std::size_t end = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, end - at_);
        at_ = std::min(end + 1, text_.size());
        while (strips_tabs && line.starts_with('\t')) line.remove_prefix(1);
        if (line == delimiter) break;
      }
    }
  }

  bool read_word(std::string& word) {
    while (!at_end() && !ends_word(text_[at_])) {
      const char c = text_[at_];
      bool whole = true;
      if (c == '\'') {
        whole = read_single_quoted(word);
      } else if (c == '"') {
        whole = read_double_quoted(word);
      } else if (c == '\\') {
        read_escape(word);
      } else if (c == '`') {
        whole = read_backquoted(word);
      } else if (c == '$') {
        whole = read_dollar(word);
      } else {
        word += c;
        ++at_;
      }
      if (!whole) return false;
    }
    return true;
  }

  void read_escape(std::string& word) {
    if (next() != '\n' && at_ + 1 < text_.size()) word += text_[at_ + 1];
    at_ = std::min(at_ + 2, text_.size());
  }

  bool read_single_quoted(std::string& word) {
    const std::size_t end = text_.find('\'', at_ + 1);
    if (end == std::string_view::npos) return false;
    word += text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return true;
  }

  bool read_double_quoted(std::string& word) {
    ++at_;
    while (!at_end()) {
      const char c = text_[at_];
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        read_escape(word);
      } else if (c == '`') {
        if (!read_backquoted(word)) return false;
      } else if (c == '$' && (next() == '(' || next() == '{')) {
        if (!read_dollar(word)) return false;
      } else {
        word += c;
        ++at_;
      }
    }
    return false;
  }

  bool read_backquoted(std::string& word) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != '`') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return false;
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    word += text_.substr(at_, end + 1 - at_);
    at_ = end + 1;
    return Scanner(inside, found_, true).read(false);
  }

  bool read_dollar(std::string& word) {
    const std::size_t begin = at_;
    if (next() == '\'') return read_ansi_quoted(word);
    if (text_.substr(at_).starts_with("$((")) {
      if (!skip_arithmetic(3)) return false;
    } else if (next() == '(') {
      at_ += 2;
      if (!read_nested()) return false;
    } else if (next() == '{') {
      if (!skip_braces()) return false;
    } else {
      ++at_;
    }
    word += text_.substr(begin, at_ - begin);
    return true;
  }

  bool read_ansi_quoted(std::string& word) {
    std::size_t end = at_ + 2;
    while (end < text_.size() && text_[end] != '\'') end += text_[end] == '\\' ? 2 : 1;
    if (end >= text_.size()) return false;
    word += text_.substr(at_ + 2, end - at_ - 2);
    at_ = end + 1;
    return true;
  }

  bool read_nested() {
    Scanner inside(text_.substr(at_), found_, true);
    if (!inside.read(true)) return false;
    at_ += inside.position();
    return true;
  }

  bool skip_arithmetic(std::size_t opening) {
    at_ += opening;
    for (int depth = 2; !at_end(); ++at_) {
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')' && --depth == 0) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_braces() {
    at_ += 2;
    std::string ignored;
    for (int depth = 1; !at_end();) {
      const char c = text_[at_];
      if (c == '\'') {
        if (!read_single_quoted(ignored)) return false;
      } else if (c == '"') {
        if (!read_double_quoted(ignored)) return false;
      } else if (c == '\\') {
        read_escape(ignored);
      } else if (c == '$' && (next() == '(' || next() == '{')) {
        if (!read_dollar(ignored)) return false;
      } else {
        ++at_;
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0) return true;
      }
    }
    return false;
  }

  struct HereDocument {
    std::string delimiter;
    bool strips_tabs = false;
  };

  std::string_view text_;
  std::vector<SimpleCommand>& found_;
  bool substituted_;
  std::size_t at_ = 0;
  SimpleCommand command_;
  std::vector<HereDocument> here_documents_;
};

constexpr auto kLeadingWords = std::to_array<std::string_view>(
    {"if", "then", "else", "elif", "while", "until", "do", "{", "!", "time"});

// Words that run the rest of the command, and those of their options that take a value.
struct Wrapper {
  std::string_view word;
  std::string_view valued;  // letters
};
constexpr auto kWrappers = std::to_array<Wrapper>({{"sudo", "ugpChrtDRT"},
                                                   {"env", "uCS"},
                                                   {"command", ""},
                                                   {"builtin", ""},
                                                   {"exec", "a"},
                                                   {"nice", "n"},
                                                   {"ionice", "cnp"},
                                                   {"stdbuf", "ioe"},
                                                   {"time", "fo"}});

bool is_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         is_variable_name(word.substr(0, word[equals - 1] == '+' ? equals - 1 : equals));
}

using Words = std::vector<std::string>;

std::size_t skip_leading(const Words& words, std::size_t at) {
  while (at < words.size() &&
         (is_assignment(words[at]) ||
          std::ranges::find(kLeadingWords, words[at]) != kLeadingWords.end())) {
    ++at;
  }
  return at;
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

std::optional<std::vector<SimpleCommand>> simple_commands(std::string_view text) {
  std::vector<SimpleCommand> found;
  if (!Scanner(text, found, false).read(false)) return std::nullopt;
  return found;
}

std::vector<std::string> program_words(const SimpleCommand& command) {
  const Words& words = command.words;
  std::size_t at = skip_leading(words, 0);
  while (at < words.size()) {
    const auto wrapper = std::ranges::find(kWrappers, base_name(words[at]), &Wrapper::word);
    if (wrapper == kWrappers.end()) break;
    ++at;
    while (at < words.size() && words[at].starts_with('-') && words[at] != "-") {
      const std::string& option = words[at++];
      if (option == "--") break;
      const bool takes_next = option.size() == 2 && wrapper->valued.contains(option[1]);
      if (takes_next && at < words.size()) ++at;
    }
    at = skip_leading(words, at);
  }
  return {words.begin() + static_cast<std::ptrdiff_t>(at), words.end()};
}

bool is_negated(const SimpleCommand& command) {
  bool negated = false;
  for (const std::string& word : command.words) {
    if (std::ranges::find(kLeadingWords, word) == kLeadingWords.end()) break;
    if (word == "!") negated = !negated;
  }
  return negated;
}

}  // namespace talaria::shell
