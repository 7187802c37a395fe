#include "policy/redact.h"

#include "policy/redact/rows.h"

namespace talaria::policy {
namespace {

void mask_all(RewrittenText& text, const RedactOptions& options) {
  mask_vendor_tokens(text);
  if (!options.code_file) {
    mask_assignments(text);
    mask_json_fields(text);
  }
  mask_authorization(text);
  mask_registry_tokens(text);
  mask_bot_tokens(text);
  mask_private_keys(text);
  mask_database_passwords(text);
  mask_web_tokens(text);
  mask_form(text);
  mask_phone_numbers(text);
  if (options.command_line) mask_command_passwords(text);
}

}  // namespace

std::string redact(std::string_view text, const RedactOptions& options) {
  RewrittenText result{.text = std::string(text)};
  if (!text.empty()) mask_all(result, options);
  return std::move(result.text);
}

bool has_vendor_token(std::string_view text) {
  RewrittenText masked{.text = std::string(text)};
  mask_vendor_tokens(masked);
  return masked.text != text;
}

std::string redact(const PartOfText& part, const RedactOptions& options) {
  RewrittenText whole =
      trace(std::string(part.before) + std::string(part.text) + std::string(part.after));
  if (!whole.text.empty()) mask_all(whole, options);
  const std::size_t begin = part.before.size();
  const std::size_t end = begin + part.text.size();
  std::string result;
  for (std::size_t at = 0; at < whole.text.size(); ++at) {
    if (whole.origins[at] >= begin && whole.origins[at] < end) result += whole.text[at];
  }
  return result;
}

}  // namespace talaria::policy
