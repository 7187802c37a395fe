#include "front/cli/install/toml_keys.h"

#include <algorithm>
#include <cstddef>

#include "base/text.h"

namespace talaria::front::cli {
namespace {

// A header, or a key with its value, which may take several lines.
struct Statement {
  std::string table;  // the table it belongs to: "a.b"
  std::string key;    // empty: a header
  std::size_t begin = 0;
  std::size_t value = 0;  // where it begins
  std::size_t value_end = 0;
  std::size_t end = 0;  // after the end of its line
  bool list = false;    // "[[a]]"
};

// Positions in a TOML text. It finds the ends of values, but does not check them.
class TomlScanner {
 public:
  explicit TomlScanner(std::string_view text) : text_(text) {}

  Result<std::vector<Statement>> statements() {
    std::vector<Statement> found;
    std::string table;
    for (;;) {
      skip_blank_lines();
      if (at_ >= text_.size()) return found;
      Statement statement{.begin = at_};
      const bool fine = here() == '[' ? read_header(statement) : read_pair(statement);
      if (!fine || !ends_line()) {
        const auto line = 1 + std::ranges::count(text_.substr(0, statement.begin), '\n');
        return fail(ErrorKind::bad_request,
                    "line " + std::to_string(line) +
                        ": invalid TOML, or a form that Talaria does not support");
      }
      statement.end = at_;
      if (statement.key.empty()) table = statement.table;
      statement.table = table;
      found.push_back(std::move(statement));
    }
  }

 private:
  char here(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void skip_spaces() {
    while (here() == ' ' || here() == '\t') ++at_;
  }
  void skip_comment() {
    if (here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  void skip_blank_lines() {
    for (;;) {
      const std::size_t before = at_;
      while (at_ < text_.size() && std::string_view(" \t\r\n").contains(here())) ++at_;
      skip_comment();
      if (at_ == before) return;
    }
  }
  bool ends_line() {
    skip_spaces();
    skip_comment();
    if (here() == '\r') ++at_;
    if (at_ >= text_.size()) return true;
    return text_[at_++] == '\n';
  }

  bool read_header(Statement& statement) {
    statement.list = here(1) == '[';
    at_ += statement.list ? 2 : 1;
    if (!read_name(statement.table)) return false;
    for (int i = 0; i < (statement.list ? 2 : 1); ++i) {
      if (text_[at_ < text_.size() ? at_ : 0] != ']' || at_ >= text_.size()) return false;
      ++at_;
    }
    return true;
  }

  bool read_pair(Statement& statement) {
    if (!read_name(statement.key) || here() != '=') return false;
    ++at_;
    skip_spaces();
    statement.value = at_;
    if (!skip_value()) return false;
    statement.value_end = at_;
    return true;
  }

  // "a.b", also if it is written a . "b". A quoted name that contains a dot keeps its quotes. Names
  // with \u escapes are not supported.
  bool read_name(std::string& name) {
    for (;;) {
      skip_spaces();
      const std::size_t begin = at_;
      if (here() == '"' || here() == '\'') {
        if (!skip_string()) return false;
        const std::string_view inner = text_.substr(begin + 1, at_ - begin - 2);
        if (inner.contains("\\u") || inner.contains("\\U") || inner.contains('\n')) return false;
        const bool plain = inner.find_first_of("\\.") == std::string_view::npos;
        name += plain ? inner : text_.substr(begin, at_ - begin);
      } else {
        while (is_word(here())) ++at_;
        if (at_ == begin) return false;
        name += text_.substr(begin, at_ - begin);
      }
      skip_spaces();
      if (here() != '.') return true;
      ++at_;
      name += '.';
    }
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  }

  bool skip_string() {
    const std::string one(1, here());
    const std::string three(3, here());
    const bool many_lines = text_.substr(at_).starts_with(three);
    const std::string& end = many_lines ? three : one;
    for (at_ += end.size(); at_ < text_.size(); ++at_) {
      if (text_.substr(at_).starts_with(end)) {
        at_ += end.size();
        while (many_lines && here() == one[0]) ++at_;  // two quotes may stand before the end
        return true;
      }
      if (here() == '\n' && !many_lines) return false;
      if (here() == '\\' && one == "\"") ++at_;
    }
    return false;
  }

  bool skip_value() {
    if (here() == '"' || here() == '\'') return skip_string();
    if (here() != '[' && here() != '{') {
      const std::size_t begin = at_;
      while (at_ < text_.size() && !std::string_view(",]}#\r\n=\"'").contains(here())) ++at_;
      while (at_ > begin && (text_[at_ - 1] == ' ' || text_[at_ - 1] == '\t')) --at_;
      return at_ > begin;
    }
    std::string open;
    do {
      skip_blank_lines();
      const char c = here();
      if (at_ >= text_.size()) return false;
      if (c == '"' || c == '\'') {
        if (!skip_string()) return false;
        continue;
      }
      if (c == '[' || c == '{') open += c == '[' ? ']' : '}';
      if (c == ']' || c == '}') {
        if (open.back() != c) return false;
        open.pop_back();
      }
      ++at_;
    } while (!open.empty());
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_or_holds(std::string_view outer, std::string_view inner) {
  return inner == outer || (inner.starts_with(outer) && inner[outer.size()] == '.');
}

std::string full_name(const Statement& statement) {
  if (statement.table.empty()) return statement.key;
  return statement.key.empty() ? statement.table : statement.table + "." + statement.key;
}

// Rejects keys and tables that conflict with a plain [table].
Result<void> check_shape(const std::vector<Statement>& statements, std::string_view table) {
  std::size_t headers = 0;
  for (const Statement& statement : statements) {
    const std::string name = full_name(statement);
    const bool header = statement.key.empty();
    headers += header && name == table ? 1 : 0;
    const bool inline_table = !header && is_or_holds(name, table);
    const bool dotted = !header && is_or_holds(table, name) && !is_or_holds(table, statement.table);
    const bool list = statement.list && is_or_holds(name, table);
    if (inline_table || dotted || list || headers > 1) {
      return fail(ErrorKind::bad_request, "'" + name + "' has a form that is not supported here");
    }
  }
  return {};
}

}  // namespace

bool has_toml_key(std::string_view text, std::string_view table, std::string_view key) {
  const auto statements = TomlScanner(text).statements();
  return statements && std::ranges::any_of(*statements, [&](const Statement& statement) {
           return statement.table == table && statement.key == key;
         });
}

std::string toml_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : sanitize_utf8(text)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += std::string{'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += std::string("\\u00") + kDigits[byte >> 4] + kDigits[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

Result<std::string> set_toml_keys(std::string_view text, std::string_view table,
                                  const TomlKeys& keys) {
  const auto statements = TomlScanner(text).statements();
  if (!statements) return fail(statements.error());
  if (const auto fine = check_shape(*statements, table); !fine) return fail(fine.error());
  const auto header = std::ranges::find_if(*statements, [&](const Statement& statement) {
    return statement.key.empty() && statement.table == table;
  });
  std::string changed(text);
  if (header == statements->end()) {
    if (!changed.empty() && !changed.ends_with('\n')) changed += '\n';
    if (!changed.empty()) changed += '\n';
    changed += "[" + std::string(table) + "]\n";
    for (const auto& [name, value] : keys) changed += name + " = " + value + "\n";
    return changed;
  }
  std::string missing;
  std::vector<std::pair<const Statement*, const std::string*>> replaced;
  for (const auto& [name, value] : keys) {
    const std::string full = std::string(table) + "." + name;
    const auto found = std::ranges::find_if(
        *statements, [&](const Statement& statement) { return full_name(statement) == full; });
    if (found == statements->end()) {
      missing += name + " = " + value + "\n";
    } else if (found->key.empty()) {
      return fail(ErrorKind::bad_request, "'" + full + "' is a table");
    } else {
      replaced.emplace_back(&*found, &value);
    }
  }
  // From the end, so that earlier positions stay valid.
  std::ranges::sort(replaced, std::greater(), [](const auto& one) { return one.first->value; });
  for (const auto& [statement, value] : replaced) {
    changed.replace(statement->value, statement->value_end - statement->value, *value);
  }
  if (!missing.empty() && header->end > 0 && text[header->end - 1] != '\n') missing.insert(0, "\n");
  changed.insert(header->end, missing);
  return changed;
}

}  // namespace talaria::front::cli
