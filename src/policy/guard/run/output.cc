#include "policy/guard/run/output.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "policy/guard/run/links.h"
#include "policy/guard/syntax/script_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

constexpr std::size_t kMaxPrinted = 256 * 1024;
constexpr std::size_t kMaxTexts = 6;

// Who reads the escapes: they differ in small things.
enum class Escapes { echo, format, argument };

// False: \c, nothing follows.
bool unescape(std::string_view text, Escapes kind, std::string& out) {
  static constexpr std::string_view kLetters = "abeEfnrtv\\";
  static constexpr std::string_view kMeanings = "\a\b\x1b\x1b\f\n\r\t\v\\";
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i++];
      continue;
    }
    const char c = text[i + 1];
    i += 2;
    const bool hex = i < text.size() && digit_value(text[i]) < 16;
    if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
      out += kMeanings[at];
    } else if (c == 'c' && kind != Escapes::format) {
      return false;
    } else if (c == 'x' && hex) {
      out += static_cast<char>(take_number(text, i, 2, 16));
    } else if ((c == 'u' || c == 'U') && hex) {
      append_utf8(out, take_number(text, i, c == 'u' ? 4 : 8, 16));
    } else if (c == '0' && kind != Escapes::format) {
      out += static_cast<char>(take_number(text, i, 3, 8));
    } else if (c >= '0' && c <= '7' && kind != Escapes::echo) {
      out += static_cast<char>(take_number(text, --i, 3, 8));
    } else if ((c == '"' || c == '\'' || c == '?') && kind == Escapes::format) {
      out += c;
    } else {
      out += '\\';
      out += c;
    }
  }
  return true;
}

std::string echo(const SeenCommand& command) {
  std::size_t at = 1;
  bool newline = true;
  bool escapes = false;
  for (; at < command.words.size(); ++at) {
    const std::string_view word = command.word(at);
    if (word.size() < 2 || word[0] != '-' || word.find_first_not_of("neE", 1) != word.npos) break;
    newline = newline && !word.contains('n');
    const std::size_t last = word.find_last_of("eE");
    if (last != word.npos) escapes = word[last] == 'e';
  }
  std::string words;
  for (std::size_t i = at; i < command.words.size(); ++i) {
    if (i > at) words += ' ';
    words += command.words[i].text;
  }
  if (!escapes) return newline ? words + "\n" : words;
  std::string out;
  if (unescape(words, Escapes::echo, out) && newline) out += '\n';
  return out;
}

bool is_plain_number(std::string_view text) {
  return !text.empty() && text.size() < 10 && (text.size() == 1 || text.front() != '0') &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// One pass over the format. Nothing: it does what is not known here. `over`: by \c.
std::optional<std::string> print_once(std::string_view format, const SeenCommand& command,
                                      std::size_t& at, bool& over) {
  std::string out;
  for (std::size_t i = 0; i < format.size();) {
    const std::size_t percent = std::min(format.find('%', i), format.size());
    unescape(format.substr(i, percent - i), Escapes::format, out);
    if (percent == format.size()) break;
    const char kind = percent + 1 < format.size() ? format[percent + 1] : '\0';
    i = percent + 2;
    if (kind == '%') {
      out += '%';
      continue;
    }
    const std::string_view value = command.word(at++);
    if (kind == 's' || (kind == 'd' && is_plain_number(value))) {
      out += value;
    } else if (kind == 'c') {
      out += value.substr(0, 1);
    } else if (kind == 'b') {
      over = !unescape(value, Escapes::argument, out);
      if (over) return out;
    } else {
      return std::nullopt;
    }
  }
  return out;
}

std::optional<std::string> print_format(const SeenCommand& command) {
  if (command.word(1) == "-v") return "";  // into a variable
  std::size_t at = command.word(1) == "--" ? 2 : 1;
  if (at >= command.words.size()) return "";
  const std::string format = command.words[at++].text;
  if (format.starts_with('-') && at == 2) return std::nullopt;
  std::string out;
  bool over = false;
  for (std::size_t before = 0; !over && at != before && out.size() < kMaxPrinted;) {
    before = at;
    const std::optional<std::string> more = print_once(format, command, at, over);
    if (!more) return std::nullopt;
    out += *more;
    if (at >= command.words.size()) break;
  }
  return out;
}

// All its words are among these.
bool has_only(const SeenCommand& command, std::string_view options) {
  return std::all_of(command.words.begin() + 1, command.words.end(),
                     [&](const SeenWord& word) { return among(word.text, options); });
}

// What a filter makes of its input; nothing: that is not known.
std::optional<std::string> filtered(const SeenCommand& command, std::string text) {
  if (command.program == "tee" || (command.program == "cat" && has_only(command, "- -u"))) {
    return text;
  }
  if (command.program != "base64" || command.words.size() < 2 ||
      !has_only(command, "-d -D --decode -")) {
    return std::nullopt;
  }
  std::erase(text, '\n');
  return base64_decode(text);
}

// What is made of the one path that it is given: dirname, realpath, readlink -f. A repository is
// where it is asked for.
std::optional<std::string> printed_path(const SeenCommand& command) {
  const std::string& program = command.program;
  const bool known = !command.directory.empty();
  if (program == "git") {
    const bool root = command.word(1) == "rev-parse" && command.word(2) == "--show-toplevel";
    return root && known ? std::optional(command.directory) : std::nullopt;
  }
  const bool finds = among(program, "realpath grealpath") ||
                     (among(program, "readlink greadlink") && command.word(1).starts_with('-'));
  if (!finds && program != "dirname") return std::nullopt;
  std::size_t at = 1;
  while (among(command.word(at), "-f -e -m -s -L -P -q -z -n --")) ++at;
  if (at + 1 != command.words.size() || command.word(at).empty()) return std::nullopt;
  const std::string_view word = command.word(at);
  if (finds && (known || word.starts_with('/'))) {
    return normalized_path(path_in(command.directory, word));
  }
  if (word == std::string_view(&kUnknownPiece, 1)) return ".";  // of a script: where it is
  if (finds || word == "/" || word.contains(kUnknownPiece)) return std::nullopt;
  const std::string path = normalized_path(word);
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return path == ".." ? std::nullopt : std::optional(".");
  return path.ends_with("..") ? std::nullopt
                              : std::optional(slash == 0 ? "/" : path.substr(0, slash));
}

std::optional<std::string> printed(const SeenCommand& command) {
  static constexpr std::string_view kSilent = "true false : [ test sleep mkdir touch";
  const std::string& program = command.program;
  if (program.empty() || !command.is_by_name()) return std::nullopt;
  if (program == "echo") return echo(command);
  if (program == "printf") return print_format(command);
  if (among(program, kSilent)) return "";
  if (program == "pwd" && !command.directory.empty()) return command.directory + "\n";
  // behind a `cd` that failed, which nobody means
  if (program == "pwd" && !command.from_start && !command.lost) return "";
  if (program == "cd" && command.words.size() == 1) return "";
  if ((program == "cd" || program == "export") && command.words.size() > 1 &&
      (!command.word(1).starts_with('-') || among(command.word(1), "-P -L --"))) {
    return "";
  }
  if (const std::optional<std::string> path = printed_path(command)) return *path + "\n";
  // the path of a program, whatever its directory is
  if (may_print_nothing(command)) return command.words.back().text + "\n";
  if (!command.input.text || command.input.text->size() > kMaxPrinted) return std::nullopt;
  return filtered(command, *command.input.text);
}

bool is_some_file(const SeenWord& target) {
  const std::string_view path = target.text;
  if (!target.known() || target.pattern) return false;
  if (path == "/dev/null" || path == "/dev/stderr") return true;
  return !path.starts_with("/dev/") && !path.starts_with("/proc/") && !path.contains("..");
}

}  // namespace

bool prints_what_it_made(const SeenCommand& command) {
  if (!command.is_by_name()) return false;
  if (command.program == "mktemp") return true;
  if (!among(command.program, "docker podman nerdctl")) return false;
  const bool detached = std::ranges::any_of(command.words, [](const SeenWord& word) {
    return among(word.text, "-d --detach -dit -itd -td -dt -di -id");
  });
  return command.word(1) == "create" || (command.word(1) == "run" && detached);
}

bool may_print_nothing(const SeenCommand& command) {
  if (command.program == "which") {
    return command.words.size() == 2 && !command.word(1).starts_with('-');
  }
  return (command.program == "command" || command.program == "type") && command.words.size() == 3 &&
         among(command.word(1), "-v -P -p");
}

std::optional<std::string> literal_output(const SeenCommand& command) {
  if (command.words.empty()) {
    // $(< file)
    const bool reads = std::ranges::any_of(command.redirects, [](const SeenRedirect& redirect) {
      return redirect.descriptor == 0 && redirect.kind == ShellRedirect::Kind::input;
    });
    if (!reads) return "";
    if (command.input.text && !command.input.text->contains(kUnknownPiece)) {
      return *command.input.text;
    }
    return std::nullopt;
  }
  std::optional<std::string> out = printed_text(command);
  return out && out->contains(kUnknownPiece) ? std::nullopt : out;
}

std::optional<std::string> printed_text(const SeenCommand& command) {
  if (command.words.empty()) return literal_output(command);
  if (command.guessed || command.elsewhere) return std::nullopt;
  std::optional<std::string> out = printed(command);
  if (!out || out->empty()) return out;
  // a pattern becomes names of files
  const bool clear = std::ranges::none_of(command.words, &SeenWord::pattern);
  return command.once && clear ? out : std::nullopt;
}

bool is_unseen(const std::vector<std::string>& programs) {
  static constexpr std::string_view kUnseen =
      "curl wget nc ncat netcat socat ssh scp sftp ftp lftp aria2c http https lynx w3m base64 "
      "base32 basenc xxd openssl gpg gpg2 uudecode";
  static constexpr std::string_view kPassOn = "echo printf tr rev tee read sponge dd fold";
  const auto all_among = [](std::string_view list) {
    return [list](const std::string& program) { return among(program, list); };
  };
  return std::ranges::any_of(programs, all_among(kUnseen)) ||
         std::ranges::all_of(programs, all_among(kPassOn));
}

Destination destination(const std::vector<SeenRedirect>& redirects, bool compound) {
  using Kind = ShellRedirect::Kind;
  std::map<std::string, Destination> leads{{"1", Destination::output},
                                           {"2", Destination::elsewhere}};
  for (const SeenRedirect& redirect : redirects) {
    Destination& lead = leads[std::to_string(redirect.descriptor)];
    if (redirect.kind == Kind::duplicate) {
      const auto other = leads.find(redirect.target.text);
      const bool closed = redirect.target.text == "-";
      lead = other != leads.end() ? other->second
             : closed             ? Destination::elsewhere
                                  : Destination::unclear;
    } else if (redirect.writes()) {
      lead = is_some_file(redirect.target) ? Destination::elsewhere : Destination::unclear;
    } else {
      lead = Destination::elsewhere;
    }
  }
  if (!compound) return leads["1"];
  for (const auto& [descriptor, lead] : leads) {
    if (descriptor != "1" && lead != Destination::elsewhere) return Destination::unclear;
  }
  return leads["1"];
}

std::optional<std::string> Output::text() const {
  return texts_.size() == 1 ? std::optional(texts_.front()) : std::nullopt;
}

void Output::bound() {
  std::size_t bytes = 0;
  for (const std::string& text : texts_) bytes += text.size();
  if (texts_.size() > kMaxTexts || bytes > kMaxPrinted) forget();
}

void Output::add(const Output& more) {
  add_paths(paths_, more.paths_);
  if (more.texts_ == std::vector<std::string>{""}) return;
  std::vector<std::string> all;
  for (const std::string& first : texts_) {
    for (const std::string& second : more.texts_) {
      std::string both = first + second;
      if (std::ranges::find(all, both) == all.end()) all.push_back(std::move(both));
    }
  }
  texts_ = std::move(all);  // none, where one of them is not known
  bound();
}

void Output::add(const std::optional<std::string>& more) {
  Output one;
  one.texts_.clear();
  if (more) one.texts_.push_back(*more);
  add(one);
}

void Output::add_way(const Output& other) {
  add_paths(paths_, other.paths_);
  if (texts_.empty() || other.texts_.empty()) return forget();
  for (const std::string& text : other.texts_) {
    if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(text);
  }
  bound();
}

void Output::add_perhaps(const Output& more) {
  Output both = *this;
  both.add(more);
  add_way(both);
}

}  // namespace talaria::guard
