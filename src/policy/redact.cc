#include "policy/redact.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "policy/redact/rows.h"
#include "policy/redact/secret_values.h"

namespace talaria::policy {
namespace {

// Files of settings, by the end of their names. JSON is not among them: its texts are as often
// labels and data.
constexpr auto kSettingsEndings =
    std::to_array<std::string_view>({".cfg", ".cnf", ".conf", ".config", ".env", ".ini", ".netrc",
                                     ".npmrc", ".pgpass", ".properties", ".pypirc", ".tfvars",
                                     ".toml", ".yaml", ".yml", "/credentials", "/settings.xml"});

void mask_all(RewrittenText& text, const RedactOptions& options) {
  const bool by_name = !options.code_file || options.settings_file;
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
  mask_url_passwords(text);
  mask_web_tokens(text);
  if (by_name) {
    mask_elements(text);
    mask_login_lines(text);
  }
  mask_named_values(text, by_name ? NamedValues::all : NamedValues::random);
  mask_form(text);
  mask_phone_numbers(text);
  if (options.command_line) mask_command_passwords(text);
}

}  // namespace

std::string redact(std::string_view text, const RedactOptions& options) {
  RewrittenText result{.text = std::string(text), .shows_commands = options.shows_commands};
  if (!text.empty()) mask_all(result, options);
  return std::move(result.text);
}

RedactOptions options_for_file(std::string_view path) {
  const bool has_settings = std::ranges::any_of(
      kSettingsEndings, [&](std::string_view ending) { return path.ends_with(ending); });
  return {.code_file = true, .settings_file = has_settings};
}

// Masked before it is cut: of half a secret nobody knows what it is.
std::string redact_command(std::string_view command, std::size_t most) {
  const std::string text = sanitize_utf8(command.substr(0, most + kSecretBytes));
  const std::string shown = redact(text, {.command_line = true});
  return std::string(first_bytes(shown, most));
}

bool is_plain_secret(std::string_view value) {
  return std::ranges::all_of(value,
                             [](char c) { return is_name_byte(c) || is_any_of(c, "+/=~:@%"); });
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
