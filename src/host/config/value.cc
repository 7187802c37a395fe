#include "host/config/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <span>
#include <system_error>

#include <boost/json/parse.hpp>

#include "base/duration.h"
#include "base/text.h"

namespace talaria::host {
namespace {

using Parsed = std::expected<json::value, std::string>;

constexpr auto kTrueWords = std::to_array<std::string_view>({"true", "1", "yes"});
constexpr auto kFalseWords = std::to_array<std::string_view>({"false", "0", "no", "off", ""});

bool is_one_of(std::span<const std::string_view> choices, std::string_view text) {
  return std::ranges::find(choices, lower_case(trim(text))) != choices.end();
}

// A bound as a person writes it: 1, 0.001, 1000000000.
std::string bound(double number) {
  if (number == std::floor(number)) return std::to_string(static_cast<std::int64_t>(number));
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

std::string within(std::string_view kind, const SettingDetails& details) {
  return std::string(kind) + " from " + bound(details.least) + " to " + bound(details.most);
}

Parsed parse_integer(const SettingDetails& details, std::string_view text) {
  const std::string_view digits = trim(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return std::unexpected("integer");
  }
  const auto value = static_cast<double>(number);
  if (error != std::errc() || value < details.least || value > details.most) {
    return std::unexpected(within("integer", details));
  }
  return number;
}

Parsed parse_number(const SettingDetails& details, std::string_view text) {
  const std::string_view digits = trim(text);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size() ||
      std::isnan(number)) {
    return std::unexpected("number");
  }
  if (error != std::errc() || number < details.least || number > details.most) {
    return std::unexpected(within("number", details));
  }
  return number;
}

// Seconds, or a number with a unit.
Parsed parse_seconds(const SettingDetails& details, std::string_view text, bool whole) {
  const auto parse = whole ? parse_integer : parse_number;
  const auto time = parse_time(trim(text));
  const bool has_unit = time && !is_digit(trim(text).back());
  if (!has_unit || (whole && time->count() % 1000 != 0)) {
    Parsed plain = parse(details, text);
    const bool is_none = !plain && (plain.error() == "integer" || plain.error() == "number");
    return is_none ? std::unexpected(plain.error() + ", or a time such as 90s, 5m or 2h") : plain;
  }
  const double seconds = static_cast<double>(time->count()) / 1000;
  return parse(details, bound(seconds));
}

// "'auto', 'real' or 'profile'"
std::string either(std::string_view choices) {
  std::string text;
  while (!choices.empty()) {
    std::string_view spellings = next_word(choices);
    const std::string_view name = next_word(spellings, '=');
    if (!text.empty()) text += choices.empty() ? " or " : ", ";
    text += "'" + std::string(name) + "'";
  }
  return text;
}

Parsed parse_choice(const SettingDetails& details, std::string_view text) {
  const std::string word = lower_case(trim(text));
  std::string_view choices = details.choices;
  while (!choices.empty()) {
    std::string_view spellings = next_word(choices);
    const std::string_view name = next_word(spellings, '=');
    bool found = word == name;
    while (!found && !spellings.empty()) found = next_word(spellings, ',') == word;
    if (found) return json::string(name);
  }
  return std::unexpected(either(details.choices));
}

Parsed parse_text(const WrittenValue& written) {
  if (written.structured || written.text.contains('\0')) return std::unexpected("text");
  return json::string(written.text);
}

// No variable, argument or path can have one.
bool has_nul(const json::value& value) {
  if (const auto* text = value.if_string()) return text->find('\0') != json::string::npos;
  if (const auto* list = value.if_array()) return std::ranges::any_of(*list, has_nul);
  const auto* object = value.if_object();
  return object != nullptr && std::ranges::any_of(*object, [](const auto& pair) {
           return pair.key().find('\0') != json::string_view::npos || has_nul(pair.value());
         });
}

Parsed parse_structure(SettingType type, std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return std::unexpected("valid JSON");
  if (has_nul(value)) return std::unexpected("JSON without NUL characters");
  if (type == SettingType::list && !value.is_array()) return std::unexpected("a JSON list");
  if (type == SettingType::object && !value.is_object()) return std::unexpected("a JSON object");
  return value;
}

}  // namespace

bool is_plain_truth(std::string_view text) {
  return is_one_of(kTrueWords, text) || is_one_of(kFalseWords, text);
}

Parsed parse_value(const Setting& setting, const WrittenValue& written) {
  switch (setting.type) {
    case SettingType::integer:
      return parse_integer(setting.details, written.text);
    case SettingType::number:
      return parse_number(setting.details, written.text);
    case SettingType::time:
      return parse_seconds(setting.details, written.text, true);
    case SettingType::fine_time:
      return parse_seconds(setting.details, written.text, false);
    case SettingType::boolean:
      return is_one_of(kTrueWords, written.text);
    case SettingType::flag:
      return is_one_of(kTrueWords, written.text) || lower_case(trim(written.text)) == "on";
    case SettingType::choice:
      return parse_choice(setting.details, written.text);
    case SettingType::path:
    case SettingType::text:
      return parse_text(written);
    case SettingType::list:
    case SettingType::object:
      return parse_structure(setting.type, written.text);
  }
  return nullptr;
}

}  // namespace talaria::host
