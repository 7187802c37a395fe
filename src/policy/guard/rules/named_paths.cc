#include "policy/guard/rules/named_paths.h"

#include <algorithm>

#include "policy/guard/run/filter_script.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// Programs whose words or input are scripts that name files to read and write.
constexpr std::string_view kScripted =
    "sqlite3 sqlite duckdb psql mysql mariadb vim vi nvim ex ed emacs awk gawk mawk nawk gdb lldb "
    "gnuplot octave tclsh expect m4 cpio pax";

constexpr std::size_t kMaxNamedBytes = 4096;

bool test_path(const Arguments& arguments, SeenWord path, const PathTest& test) {
  std::string& text = path.text;
  if (text.empty() || text.size() > kMaxNamedBytes) return false;
  const SeenCommand& command = arguments.command;
  const bool relative = text.front() != '/' && text.front() != '~';
  const bool placed = !relative || (text.front() != kUnknownPiece &&
                                    (!command.directory.empty() || command.from_start));
  if (placed) path = arguments.resolved(path);
  if (placed && text.front() != kUnknownPiece) return test(path);
  path.guessed = true;
  path.listed = false;
  if (text.front() == kUnknownPiece) {
    if (!text.substr(1).starts_with('/')) return false;
    text.replace(0, 1, "~");  // "$x/.bashrc"
  } else {
    text.insert(0, text == "environ" ? "/proc/1/" : "~/");
  }
  return test(path);
}

bool test_path(const Arguments& arguments, std::string path, const PathTest& test) {
  return test_path(arguments, SeenWord{std::move(path)}, test);
}

// Where a value begins in a word: behind an option, NAME=, @, < or file://.
std::size_t value_at(std::string_view word) {
  for (const std::string_view scheme : {"file://", "fileb://"}) {
    if (const std::size_t at = word.find(scheme); at != std::string_view::npos) {
      return at + scheme.size();
    }
  }
  const std::size_t path = word.find_first_of("/~");
  const std::size_t before = std::min(word.find_last_of("=@<", path), word.size());
  if (before < word.size()) return before + 1;
  return word.starts_with('-') && !word.starts_with("--") ? std::min(path, word.size()) : 0;
}

// install, -j4, 1, main.py: a verb, a number or a source, and no key, wherever it is.
bool is_ordinary(std::string_view word) {
  if (word.contains('/') || word.contains('~')) return false;
  const std::size_t dot = word.find_last_of('.');
  if (dot != std::string_view::npos) {
    return among(word.substr(dot + 1), "py js ts sh rb pl c h cc cpp go rs java lua php md txt");
  }
  return std::ranges::all_of(word,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '-'; }) &&
         !among(word, "credentials config shadow key keys token hosts");
}

bool test_word(const Arguments& arguments, const SeenWord& word, const PathTest& test) {
  const std::string_view text = word.text;
  if (text.empty() || (text.front() == '-' && text.find_first_of("=/~") == text.npos)) return false;
  const bool filter = text.front() == '.' && !text.contains('/');
  if (filter && among(arguments.command.program, "jq yq gojq")) return false;
  const std::size_t value = value_at(text);
  SeenWord path = word;
  path.text.erase(0, value);
  if (test_path(arguments, std::move(path), test)) return true;
  const std::size_t colon = text.find(':');  // -v ~/.ssh:/keys
  return colon != text.npos && colon > value &&
         test_path(arguments, std::string(text.substr(value, colon - value)), test);
}

// Whatever begins like a path in a script.
bool test_script(const Arguments& arguments, std::string_view script, const PathTest& test) {
  constexpr std::string_view kEnds = " \t\n\"'`();,|&<>{}";
  for (std::size_t at = 0; (at = script.find_first_of("/~", at)) != script.npos;) {
    const std::size_t end = std::min(script.find_first_of(kEnds, at), script.size());
    while (at > 0 && script[at - 1] == '.') --at;        // ../x
    const bool whole = at == 0 && end == script.size();  // which is no script
    constexpr std::size_t kLeast = 5;                    // ~/bin
    const bool begins = !whole && end - at >= kLeast &&
                        (at == 0 || kEnds.contains(script[at - 1]) || script[at - 1] == '=');
    if (begins && test_path(arguments, std::string(script.substr(at, end - at)), test)) {
      return true;
    }
    at = end;
  }
  return false;
}

}  // namespace

bool names_path(const Arguments& arguments, const PathTest& test, bool all_files) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!all_files && is_ordinary(command.word(i))) continue;
    if (test_word(arguments, command.words[i], test)) return true;
  }
  if (among(command.program, "tar gtar bsdtar")) {  // tar -C ~ .ssh
    for (const SeenWord& from : option_values(command, 'C', "directory")) {
      for (const SeenWord* word : arguments.operands()) {
        SeenWord path = *word;
        path.text.insert(0, from.text + "/");
        if (test_path(arguments, std::move(path), test)) return true;
      }
    }
  }
  return among(command.program, "rg ag ack") && test_path(arguments, ".", test);
}

bool script_names_path(const Arguments& arguments, const PathTest& test) {
  const SeenCommand& command = arguments.command;
  if (!among(command.program, kScripted)) return false;
  const auto names = [&](std::string_view script) { return test_script(arguments, script, test); };
  if (is_awk_program(command.program)) {  // which may put the names together
    const FilterActions actions = filter_actions(command);
    const auto named = [&](const std::string& path) { return test_path(arguments, path, test); };
    if (std::ranges::any_of(actions.files, named)) return true;
  }
  return (command.input.text && names("\n" + *command.input.text)) || arguments.any_word(names);
}

bool redirect_names(const Arguments& arguments, bool writes, const PathTest& test) {
  return std::ranges::any_of(arguments.command.redirects, [&](const SeenRedirect& redirect) {
    const bool counts = writes ? redirect.writes() : redirect.kind == ShellRedirect::Kind::input;
    return counts && test_path(arguments, redirect.target, test);
  });
}

}  // namespace talaria::guard
