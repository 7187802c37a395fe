#include "policy/guard/run/output.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace talaria {
namespace {

constexpr std::size_t kMaxDecoded = 256 * 1024;

// \n, \t, \\, \0nnn, \xHH as echo -e and printf know them.
std::string unescape(std::string_view text) {
  static constexpr std::string_view kLetters = "abefnrtv\\\"'";
  static constexpr std::string_view kMeanings = "\a\b\x1b\f\n\r\t\v\\\"'";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
      out += kMeanings[at];
      continue;
    }
    const bool hex = c == 'x';
    if (!hex && (c < '0' || c > '7')) {
      out += '\\';
      out += c;
      continue;
    }
    std::size_t from = hex ? i + 1 : i;
    if (c == '0' && from + 1 < text.size() && text[from + 1] >= '0' && text[from + 1] <= '7')
      ++from;
    unsigned value = 0;
    const char* const begin = text.data() + from;
    const char* const limit = std::min(begin + (hex ? 2 : 3), text.data() + text.size());
    const auto [end, error] = std::from_chars(begin, limit, value, hex ? 16 : 8);
    if (error == std::errc()) {
      out += static_cast<char>(value);
      i = static_cast<std::size_t>(end - text.data()) - 1;
    }
  }
  return out;
}

std::string echo(const SeenCommand& command) {
  std::size_t at = 1;
  bool newline = true;
  bool escapes = false;
  for (; at < command.words.size(); ++at) {
    const std::string_view word = command.word(at);
    if (word.size() < 2 || word[0] != '-' || word.find_first_not_of("neE", 1) != word.npos) break;
    newline = newline && !word.contains('n');
    escapes = escapes || word.contains('e');
  }
  std::string out;
  for (std::size_t i = at; i < command.words.size(); ++i) {
    if (i > at) out += ' ';
    out += command.words[i].text;
  }
  if (escapes) out = unescape(out);
  return newline ? out + "\n" : out;
}

std::optional<std::string> print_format(const SeenCommand& command) {
  std::size_t at = 1;
  if (command.word(1) == "--") ++at;
  if (command.word(1) == "-v") return "";  // into a variable
  if (at >= command.words.size()) return "";
  const std::string format = command.words[at++].text;
  std::string out;
  do {
    std::string text;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%') {
        text += format[i];
        if (format[i] == '\\' && i + 1 < format.size()) text += format[++i];
        continue;
      }
      const char kind = i + 1 < format.size() ? format[++i] : '\0';
      if (kind == '%') {
        text += '%';
      } else if (kind == 's' || kind == 'b' || kind == 'd') {
        out += unescape(text);
        text.clear();
        const std::string_view value = command.word(at++);
        out += kind == 'b' ? unescape(value) : std::string(value);
      } else {
        return std::nullopt;
      }
    }
    out += unescape(text);
  } while (at < command.words.size() && format.contains('%') && out.size() < kMaxDecoded);
  return out;
}

std::optional<std::string> decode_base64(std::string_view text) {
  static constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ') continue;
    if (c == '=') break;
    const std::size_t value = kLetters.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(value);
    if ((count += 6) < 8) continue;
    count -= 8;
    out += static_cast<char>((bits >> count) & 0xff);
  }
  return out;
}

std::optional<std::string> decode_hex(std::string_view text) {
  std::string out;
  std::string digits;
  for (const char c : text) {
    if (std::isxdigit(static_cast<unsigned char>(c)) != 0) digits += c;
  }
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    out += static_cast<char>(value);
  }
  return out;
}

std::string reversed_lines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out.append(text.substr(0, end).rbegin(), text.substr(0, end).rend());
    out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

bool has_option(const SeenCommand& command, std::string_view letters, std::string_view name) {
  return std::ranges::any_of(command.words, [&](const SeenWord& word) {
    return word.text == name ||
           (word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
            word.text.find_first_of(letters, 1) != std::string::npos);
  });
}

bool only_options(const SeenCommand& command) {
  return std::all_of(command.words.begin() + 1, command.words.end(),
                     [](const SeenWord& word) { return word.text.starts_with('-'); });
}

bool prints_elsewhere(const SeenCommand& command) {
  return std::ranges::any_of(command.redirects, [](const SeenRedirect& redirect) {
    return redirect.descriptor == 1 && redirect.kind != ShellRedirect::Kind::input;
  });
}

std::optional<std::string> printed(const SeenCommand& command) {
  const std::string& program = command.program;
  if (program == "echo") return echo(command);
  if (program == "printf") return print_format(command);
  if (program == "true" || program == ":" || program == "cd" || program == "export") return "";
  if (program == "which" || program == "command" || program == "type") {
    // the path of a program, whatever its directory is
    const bool asks = program == "which" || command.word(1) == "-v" || command.word(1) == "-P";
    if (!asks || command.words.size() < 2) return std::nullopt;
    return command.words.back().text + "\n";
  }
  if (!command.input.text || command.input.text->size() > kMaxDecoded) return std::nullopt;
  const std::string& text = *command.input.text;
  if ((program == "cat" && only_options(command)) || program == "tee") return text;
  if (program == "base64" && has_option(command, "dD", "--decode")) return decode_base64(text);
  if (program == "xxd" && has_option(command, "r", "--revert") &&
      has_option(command, "p", "--ps")) {
    return decode_hex(text);
  }
  if (program == "rev" && command.words.size() == 1) return reversed_lines(text);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> literal_output(const SeenCommand& command) {
  if (command.words.empty() || prints_elsewhere(command)) return "";
  if (!command.once || command.guessed || command.elsewhere) return std::nullopt;
  std::optional<std::string> out = printed(command);
  // a piece that is not known, or a pattern that becomes names of files
  const bool clear = std::ranges::none_of(command.words, &SeenWord::pattern);
  if (out && (out->contains(kUnknownPiece) || !clear)) return std::nullopt;
  return out;
}

}  // namespace talaria
