#include "tools/workdir.h"

#include <cstdio>

namespace talaria::tool {
namespace {

bool is_allowed(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || std::string_view("/\\:_-.~ +@=,").contains(c);
}

// As Python writes it.
std::string quoted(char c) {
  switch (c) {
    case '\n':
      return "'\\n'";
    case '\t':
      return "'\\t'";
    case '\r':
      return "'\\r'";
    case '\'':
      return "\"'\"";
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x20 && byte != 0x7F) return std::string("'") + c + "'";
  char text[8];
  std::snprintf(text, sizeof text, "'\\x%02x'", byte);
  return text;
}

}  // namespace

std::string workdir_flaw(std::string_view workdir) {
  for (const char c : workdir) {
    if (is_allowed(c)) continue;
    return "Blocked: workdir contains disallowed character " + quoted(c) +
           ". Use a simple filesystem path without shell metacharacters.";
  }
  return {};
}

}  // namespace talaria::tool
