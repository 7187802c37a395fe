#include "policy/guard/run/line_script.h"

#include <cctype>

#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxScript = 64 * 1024;  // more is no filter for lines any more

constexpr std::string_view kOutside =
    "system exec qx unlink rmdir rename open eval kill syscall require fork symlink link chmod "
    "chown spawn popen rm_rf rm_r rm instance_eval class_eval send opendir sysopen truncate";
constexpr std::string_view kOutsideClasses = "FileUtils Open3 IO File Dir Process Kernel Pathname";

// What stands behind a name, if it is called there and not only text of a pattern.
bool is_call(std::string_view behind) {
  const std::size_t at = behind.find_first_not_of(" \t\n");
  if (at == std::string_view::npos) return true;
  const std::string_view rest = behind.substr(at);
  if (std::string_view("(\"'$@`{<;}+\\&%:~").contains(rest.front())) return true;
  // a text between other marks, q(…), qq{…}, or a word before => or a comma
  std::size_t end = 0;
  while (end < rest.size() && is_name_char(rest[end])) ++end;
  if (end == 0 || at == 0) return false;
  if (std::isdigit(static_cast<unsigned char>(rest.front())) != 0) return true;
  if (among(rest.substr(0, end), "q qq qw qx my shift map grep join sprintf glob")) return true;
  const std::size_t next = rest.find_first_not_of(" \t", end);
  return next != std::string_view::npos &&
         (rest[next] == ',' || rest.substr(next).starts_with("=>"));
}

// s/…/…/ee: what is made by it is evaluated.
bool evaluates_twice(std::string_view script) {
  for (std::size_t at = 0, end = 0; (at = script.find("ee", end)) != std::string_view::npos;) {
    std::size_t begin = at;
    while (begin > end && std::isalpha(static_cast<unsigned char>(script[begin - 1])) != 0) --begin;
    end = at;
    while (end < script.size() && std::isalpha(static_cast<unsigned char>(script[end])) != 0) ++end;
    const bool flags = script.substr(begin, end - begin).find_first_not_of("msixpodualngcer") ==
                       std::string_view::npos;
    const bool marked =
        begin > 0 && std::ispunct(static_cast<unsigned char>(script[begin - 1])) != 0;
    const bool closed = end == script.size() || std::string_view(" ;})\n").contains(script[end]);
    if (flags && marked && closed) return true;
  }
  return false;
}

}  // namespace

bool calls_outside(std::string_view script) {
  if (script.size() > kMaxScript) return true;
  if (script.contains('`') || script.contains("%x") || evaluates_twice(script)) return true;
  for (std::size_t at = 0; at < script.size();) {
    if (!is_name_start(script[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < script.size() && is_name_char(script[end])) ++end;
    const std::string_view name = script.substr(at, end - at);
    const std::string_view behind = script.substr(end);
    const char before = at > 0 ? script[at - 1] : '\0';
    const bool variable = before == '$' || before == '@' || before == '%';
    if (!variable && among(name, kOutside) &&
        (is_call(behind) || (name == "qx" && !behind.empty()))) {
      return true;
    }
    if (among(name, kOutsideClasses) && (behind.starts_with('.') || behind.starts_with("::"))) {
      return true;
    }
    at = end;
  }
  return false;
}

LineScript read_line_script(const SeenCommand& command) {
  LineScript found;
  const bool perl = command.program.starts_with("perl");
  const std::string_view valued = perl ? "IMmFDCxV" : "IrECKFxWT";
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "-" || word == "--") {
      found.reads_input = word == "-";
      found.has_file = word == "--" && i + 1 < command.words.size();
      return found;
    }
    if (word.size() < 2 || word.front() != '-') {
      found.has_file = true;
      return found;
    }
    if (word.starts_with("--")) {
      found.looks = found.looks || among(word, "--version --help");
      continue;
    }
    for (std::size_t at = 1; at < word.size(); ++at) {
      const char letter = word[at];
      const bool last = at + 1 == word.size();
      if (letter == 'e' || (perl && letter == 'E')) {
        if (last && i + 1 >= command.words.size()) return found;
        found.scripts.push_back(last ? command.word(++i) : word.substr(at + 1));
        break;
      }
      if (letter == 'n' || letter == 'p' || letter == 'i') found.filters = true;
      if (letter == 'v' || letter == 'c' || (letter == 'h' && at == 1)) found.looks = true;
      if (letter == 'i') {  // what follows is the ending of a copy, but for -ie, -ne's relatives
        break;
      }
      if (valued.contains(letter)) {
        // -M'Module;code' is code as well
        if (perl && (letter == 'M' || letter == 'm') &&
            word.substr(at).find_first_of(";({`") != std::string_view::npos) {
          found.scripts.push_back(word.substr(at + 1));
        }
        if (last && (letter == 'I' || letter == 'r')) ++i;
        break;
      }
    }
  }
  return found;
}

}  // namespace talaria::guard
