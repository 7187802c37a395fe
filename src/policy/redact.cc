#include "policy/redact.h"

#include "policy/redact/rows.h"

namespace talaria {

std::string redact(std::string_view text, const RedactOptions& options) {
  std::string result(text);
  if (result.empty()) return result;
  mask_vendor_tokens(result);
  if (!options.code_file) {
    mask_assignments(result);
    mask_json_fields(result);
  }
  mask_authorization(result);
  mask_bot_tokens(result);
  mask_private_keys(result);
  mask_database_passwords(result);
  mask_web_tokens(result);
  mask_form(result);
  mask_phone_numbers(result);
  return result;
}

}  // namespace talaria
