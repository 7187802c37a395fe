#include "policy/guard/syntax/shell_syntax.h"

#include <utility>

namespace talaria {

WordPart::WordPart(Kind part_kind, bool part_quoted, std::string part_text)
    : kind(part_kind), quoted(part_quoted), text(std::move(part_text)) {}
WordPart::WordPart(WordPart&&) noexcept = default;
WordPart& WordPart::operator=(WordPart&&) noexcept = default;
WordPart::~WordPart() = default;

}  // namespace talaria
