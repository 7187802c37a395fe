#include "api/asio_texts.h"

#include "base/ansi.h"
#include "base/text.h"
#include "policy/redact.h"

namespace talaria {

std::string without_secrets(std::string_view text) { return policy::redact(sanitize_utf8(text)); }

std::string without_escapes(std::string_view text) { return strip_ansi(sanitize_utf8(text)); }

}  // namespace talaria
