#include "shell/dump.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "shell/quote.h"

namespace talaria::shell {
namespace {

// Off at the start of every command, or meaningless for a shell that reads one command.
constexpr std::array<std::string_view, 9> kNotPersisted{"errexit",    "nounset", "xtrace",
                                                        "verbose",    "noexec",  "onecmd",
                                                        "restricted", "posix",   "history"};

// bad_request: a dump that is there and cannot be understood; one that is not there, or cut off, is
// what a killed shell leaves.
Error malformed(std::string_view what) {
  return Error(ErrorKind::bad_request, "the shell's state dump is malformed: " + std::string(what));
}

// Reads words as bash quotes them when it prints values: "...", '...', $'...' and bare characters.
class WordReader {
 public:
  explicit WordReader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  bool skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  std::string_view until(std::string_view stops) {
    const std::size_t size = std::min(rest_.find_first_of(stops), rest_.size());
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  // One word up to an unquoted newline or blank; nullopt when a quote is not closed.
  std::optional<std::string> word() {
    std::string value;
    while (!rest_.empty() && rest_.front() != '\n' && rest_.front() != ' ') {
      bool closed = true;
      if (skip("\"")) {
        closed = double_quoted(value);
      } else if (skip("$'")) {
        closed = ansi_quoted(value);
      } else if (skip("'")) {
        closed = single_quoted(value);
      } else {
        if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
        value += rest_.front();
        rest_.remove_prefix(1);
      }
      if (!closed) return std::nullopt;
    }
    return value;
  }

 private:
  bool single_quoted(std::string& value) {
    const std::size_t end = rest_.find('\'');
    if (end == std::string_view::npos) return false;
    value += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return true;
  }

  bool double_quoted(std::string& value) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      if (c == '\\' && !rest_.empty() && std::string_view("\"\\$`!").contains(rest_.front())) {
        value += rest_.front();
        rest_.remove_prefix(1);
      } else {
        value += c;
      }
    }
    return false;
  }

  bool ansi_quoted(std::string& value) {
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\'') return true;
      if (c != '\\') {
        value += c;
      } else if (!ansi_escape(value)) {
        return false;
      }
    }
    return false;
  }

  // bash writes only these in $'...': letters, octal bytes, and the quoted characters themselves.
  bool ansi_escape(std::string& value) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    if (c >= '0' && c <= '7') {
      unsigned byte = 0;
      int digits = 0;
      while (digits < 3 && !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '7') {
        byte = byte * 8 + static_cast<unsigned>(rest_.front() - '0');
        rest_.remove_prefix(1);
        ++digits;
      }
      value += static_cast<char>(byte);
      return true;
    }
    constexpr std::string_view names = "abtnvfrE";
    constexpr std::string_view bytes = "\a\b\t\n\v\f\r\033";
    const std::size_t at = names.find(c);
    value += at == std::string_view::npos ? c : bytes[at];
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

// `export NAME="value"` lines (posix mode) or `declare -x NAME="value"`; a name without a value is
// marked for export but not set.
Result<NameMap> parse_exports(std::string_view text) {
  NameMap variables;
  WordReader reader(text);
  while (!reader.at_end()) {
    if (reader.skip("declare -")) {
      reader.until(" ");
      reader.skip(" ");
    } else if (!reader.skip("export ")) {
      return fail(malformed("exports"));
    }
    while (reader.skip("-")) {  // `export -r NAME`: attributes, which a session does not keep
      reader.until(" ");
      reader.skip(" ");
    }
    const std::string name(reader.until("=\n"));
    if (reader.skip("=")) {
      if (reader.rest().starts_with("(")) {  // an exported array never reaches a child either
        reader.until("\n");
      } else if (auto value = reader.word()) {
        variables.insert_or_assign(name, std::move(*value));
      } else {
        return fail(malformed("the value of " + name));
      }
    }
    if (!reader.skip("\n") && !reader.at_end()) return fail(malformed("after " + name));
  }
  return variables;
}

// `alias name='value'` lines; in posix mode without the word alias.
Result<NameMap> parse_aliases(std::string_view text) {
  NameMap aliases;
  WordReader reader(text);
  while (!reader.at_end()) {
    reader.skip("alias ");
    reader.skip("-- ");
    const std::string name(reader.until("=\n"));
    if (!reader.skip("=")) return fail(malformed("alias " + name));
    auto value = reader.word();
    if (!value || (!reader.skip("\n") && !reader.at_end())) return fail(malformed("alias " + name));
    aliases.insert_or_assign(name, std::move(*value));
  }
  return aliases;
}

// Where the function `name` begins in `bodies`. Behind the end of another one, "}", perhaps with
// its redirections, or the line that gives it attributes ("declare -fx OTHER"); if there is no such
// place, behind anything (a here-document of the function before ends with its own word).
std::size_t find_function(std::string_view bodies, const std::string& name) {
  std::size_t anywhere = std::string_view::npos;
  for (const std::string& header : {name + " () \n{ \n", "function " + name + " () \n{ \n"}) {
    for (std::size_t at = bodies.find("\n" + header); at != std::string_view::npos;
         at = bodies.find("\n" + header, at + 1)) {
      const std::size_t line = bodies.rfind('\n', at - 1) + 1;
      const std::string_view before = bodies.substr(line, at - line);
      const bool ends =
          before == "}" || before.starts_with("} ") || before.starts_with("declare -f");
      if (ends) return at + 1;
      anywhere = std::min(anywhere, at + 1);
    }
  }
  return anywhere;
}

// The names come first (`declare -f NAME`, in the order of the bodies), so that a body is cut at
// the header of the next name and not at something in a here-document that looks like an end.
Result<std::map<std::string, ShellFunction, std::less<>>> parse_functions(std::string_view names,
                                                                          std::string_view bodies) {
  std::vector<std::pair<std::string, bool>> order;
  while (!names.empty()) {
    const std::size_t end = std::min(names.find('\n'), names.size());
    const std::string_view line = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    const std::size_t blank = line.rfind(' ');
    if (!line.starts_with("declare -f") || blank == std::string_view::npos) {
      return fail(malformed("function names"));
    }
    order.emplace_back(line.substr(blank + 1), line.substr(0, blank).contains('x'));
  }

  std::map<std::string, ShellFunction, std::less<>> functions;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& [name, exported] = order[i];
    const bool last = i + 1 == order.size();
    const std::size_t end = last ? bodies.size() : find_function(bodies, order[i + 1].first);
    if (end == std::string_view::npos) return fail(malformed("function " + name));
    std::string_view text = bodies.substr(0, end);
    const std::string export_line = "declare -fx " + name + "\n";
    if (exported && text.ends_with(export_line)) text.remove_suffix(export_line.size());
    functions.insert_or_assign(name, ShellFunction{std::string(text), exported});
    bodies.remove_prefix(end);
  }
  return functions;
}

void note_options(const std::vector<std::string>& now, const std::vector<std::string>& defaults,
                  const std::string& prefix, OptionMap& options) {
  const auto persisted = [](const std::string& name) {
    return std::ranges::find(kNotPersisted, name) == kNotPersisted.end();
  };
  for (const std::string& name : now) {
    if (persisted(name) && std::ranges::find(defaults, name) == defaults.end()) {
      options.try_emplace(prefix + name, true);
    }
  }
  for (const std::string& name : defaults) {
    if (persisted(name) && std::ranges::find(now, name) == now.end()) {
      options.try_emplace(prefix + name, false);
    }
  }
}

// What $- shows for the options that a session keeps, of a shell that has no $SHELLOPTS.
std::vector<std::string> options_of_letters(std::string_view letters) {
  std::vector<std::string> names;
  if (letters.contains('a')) names.emplace_back("allexport");
  if (letters.contains('f')) names.emplace_back("noglob");
  if (letters.contains('C')) names.emplace_back("noclobber");
  return names;
}

// Splits off everything up to the next NUL; nullopt when there is none.
std::optional<std::string_view> take_section(std::string_view& rest) {
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view section = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return section;
}

}  // namespace

std::string unsaved_options() {
  std::string pattern;
  for (const std::string_view option : kNotPersisted) pattern += std::string(option) + "|";
  pattern.pop_back();
  return pattern;
}

std::vector<std::string> split_options(std::string_view list) {
  std::vector<std::string> options;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) options.emplace_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return options;
}

Result<ShellState> parse_dump(std::string_view dump, std::string_view nonce,
                              const ShellDefaults& defaults) {
  const std::string mark = std::string(1, '\0') + std::string(nonce) + std::string(1, '\0');
  const std::size_t begin = dump.find(mark);
  if (begin == std::string_view::npos) return fail(ErrorKind::not_found, "the shell left no state");
  std::string_view rest = dump.substr(begin + mark.size());

  std::array<std::string_view, 8> sections;
  for (std::string_view& section : sections) {
    const auto taken = take_section(rest);
    if (!taken) return fail(ErrorKind::not_found, "the shell's state dump is cut off");
    section = *taken;
  }
  if (sections[7] != nonce) return fail(malformed("it has no end"));

  ShellState state;
  const std::string_view options = sections[0];
  const std::size_t first = options.find(' ');
  const std::size_t second = options.find(' ', first == std::string_view::npos ? 0 : first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) {
    return fail(malformed("options"));
  }
  const std::string_view set_options = options.substr(first + 1, second - first - 1);
  note_options(
      set_options.starts_with('-') ? options_of_letters(set_options) : split_options(set_options),
      defaults.set_options, "-o ", state.options);
  note_options(split_options(options.substr(second + 1)), defaults.shopt_options, "",
               state.options);

  std::string_view mask = sections[1];
  if (mask.ends_with('\n')) mask.remove_suffix(1);
  const auto bits = parse_integer<int>(mask, 8);
  if (!bits) return fail(malformed("umask"));
  state.umask = bits;

  std::string_view cwd = sections[2];
  if (cwd.ends_with('\n')) cwd.remove_suffix(1);
  state.cwd = cwd;  // empty when the directory is gone

  auto variables = parse_exports(sections[3]);
  if (!variables) return fail(variables.error());
  auto aliases = parse_aliases(sections[4]);
  if (!aliases) return fail(aliases.error());
  auto functions = parse_functions(sections[5], sections[6]);
  if (!functions) return fail(functions.error());
  state.variables = std::move(*variables);
  state.aliases = std::move(*aliases);
  state.functions = std::move(*functions);
  return state;
}

}  // namespace talaria::shell
