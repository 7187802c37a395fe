#include "host/config/env_file.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "shell/quote.h"

namespace talaria::host {
namespace {

constexpr std::string_view kExport = "export";

bool is_blank(char character) { return character == ' ' || character == '\t'; }

// Empty, or a comment.
bool is_end(std::string_view rest) {
  rest = trim(rest);
  return rest.empty() || rest.starts_with('#');
}

char unescaped(char character) {
  switch (character) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    default:
      return character;
  }
}

// What stands between quotes; nothing if they are not closed, or something follows.
std::optional<std::string> quoted_value(std::string_view text) {
  const char quote = text[0];
  std::string value;
  for (std::size_t at = 1; at < text.size(); ++at) {
    if (text[at] == quote) {
      if (!is_end(text.substr(at + 1))) return std::nullopt;
      return value;
    }
    const bool escape = quote == '"' && text[at] == '\\' && at + 1 < text.size();
    value += escape ? unescaped(text[++at]) : text[at];
  }
  return std::nullopt;
}

// Up to a comment, which has a blank in front.
std::string plain_value(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '#' && (at == 0 || is_blank(text[at - 1]))) {
      text = text.substr(0, at);
      break;
    }
  }
  return std::string(trim(text));
}

std::optional<EnvFileEntry> parse_line(std::string_view line, int number) {
  if (line.starts_with(kExport) && line.size() > kExport.size() && is_blank(line[kExport.size()])) {
    line = trim(line.substr(kExport.size()));
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return std::nullopt;
  const std::string_view name = trim(line.substr(0, equals));
  if (!shell::is_variable_name(name)) return std::nullopt;
  const std::string_view text = trim(line.substr(equals + 1));
  const bool quoted = text.starts_with('"') || text.starts_with('\'');
  std::optional<std::string> value = quoted ? quoted_value(text) : plain_value(text);
  if (!value || value->contains('\0')) return std::nullopt;
  return EnvFileEntry{std::string(name), std::move(*value), number};
}

}  // namespace

const EnvFileEntry* EnvFile::find(std::string_view name) const {
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->name == name) return &*entry;
  }
  return nullptr;
}

EnvFile parse_env_file(std::string_view text) {
  EnvFile file;
  text = without_bom(text);
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = trim(next_word(text, '\n'));
    if (is_end(line)) continue;
    if (auto entry = parse_line(line, number)) {
      file.entries.push_back(std::move(*entry));
    } else {
      file.bad_lines.push_back(number);
    }
  }
  return file;
}

}  // namespace talaria::host
