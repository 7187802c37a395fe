#include "policy/guard/syntax/shell_syntax.h"

#include <utility>

namespace talaria::guard {

WordPart::WordPart(Kind part_kind, bool part_quoted, std::string part_text)
    : kind(part_kind), quoted(part_quoted), text(std::move(part_text)) {}
WordPart::WordPart(WordPart&&) noexcept = default;
WordPart& WordPart::operator=(WordPart&&) noexcept = default;
WordPart::~WordPart() = default;

std::string_view literal_name(const ShellCommand& command) {
  if (command.kind != ShellCommand::Kind::simple || command.words.empty()) return "";
  const std::vector<WordPart>& parts = command.words.front().parts;
  const bool literal = parts.size() == 1 && parts.front().kind == WordPart::Kind::text;
  return literal ? std::string_view(parts.front().text) : std::string_view();
}

}  // namespace talaria::guard
