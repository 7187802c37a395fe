#include "front/cli/config_text.h"

#include <array>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "front/cli/table.h"
#include "tools/json_text.h"

namespace talaria {
namespace {

bool is_set(const ResolvedSetting& one) { return one.origin != Origin::standard; }

// What was written makes no sense.
bool is_invalid(const ResolvedSetting& one) { return !one.complaint.empty(); }

// 1.5, not 1.5E0.
std::string in_digits(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

std::string value_text(const ResolvedSetting& one) {
  if (is_invalid(one)) return "invalid";
  const std::string_view note = one.setting->details.default_note;
  const json::value value = one.shown_value();
  if (value.is_string()) return value.as_string().empty() ? "-" : std::string(value.as_string());
  if (value.is_double()) return in_digits(value.as_double());
  return !is_set(one) && !note.empty() ? std::string(note) : to_line(value);
}

std::string remark(const ResolvedSetting& one) {
  const SettingDetails& details = one.setting->details;
  if (details.standing == Standing::no_effect) return "no effect";
  if (!one.counts && !details.targets.empty()) {
    return "for " + std::string(details.targets) + " only";
  }
  if (details.standing == Standing::planned) return "not yet";
  return "";
}

void add_row(Table& table, const ResolvedSetting& one) {
  std::string where = one.place == one.setting->name() ? "" : one.place;
  if (const std::string said = remark(one); !said.empty()) {
    where += (where.empty() ? "(" : " (") + said + ")";
  }
  const Look look = is_invalid(one) ? Look::bad : is_set(one) ? Look::plain : Look::faint;
  table.add({std::string(one.setting->name()), value_text(one),
             std::string(origin_name(one.origin)), std::move(where)},
            look);
}

std::string_view type_name(const Setting& setting) {
  switch (setting.type) {
    case SettingType::integer:
      return "integer";
    case SettingType::number:
      return "number";
    case SettingType::boolean:
      return "boolean";
    case SettingType::flag:
      return "flag";
    case SettingType::choice:
      return "choice";
    case SettingType::path:
      return "path";
    case SettingType::text:
      return setting.details.secret ? "secret" : "text";
    case SettingType::list:
      return "list";
    case SettingType::object:
      return setting.details.secret ? "object, secret" : "object";
  }
  return "";
}

// "integer, 1 to 65535", "`auto`, `real`, `profile`".
std::string type_text(const Setting& setting) {
  if (setting.type == SettingType::choice) {
    std::string text;
    std::string_view choices = setting.details.choices;
    while (!choices.empty()) {
      std::string_view spellings = next_word(choices);
      text += (text.empty() ? "`" : ", `") + std::string(next_word(spellings, '=')) + "`";
    }
    return text;
  }
  return std::string(type_name(setting));
}

std::string in_code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

std::string name_cell(std::string_view name, std::string_view older) {
  return in_code(name) + (older.empty() ? "" : ", else " + in_code(older));
}

std::string default_cell(const Setting& setting) {
  if (!setting.details.default_note.empty()) return std::string(setting.details.default_note);
  return in_code(setting.default_text);
}

std::string_view standing_text(Standing standing) {
  switch (standing) {
    case Standing::works:
      return "";
    case Standing::planned:
      return "(not yet) ";
    case Standing::no_effect:
      return "(no effect) ";
  }
  return "";
}

}  // namespace

std::string config_table(const Resolution& resolution, bool all, const TextStyle& style) {
  Table table({"SETTING", "VALUE", "ORIGIN", "WHERE"});
  for (const ResolvedSetting& one : resolution.settings) {
    const bool works = one.counts && one.setting->details.standing == Standing::works;
    if (all || is_set(one) || works) add_row(table, one);
  }
  return table.drawn(style);
}

json::object config_json(const Resolution& resolution, const std::vector<std::string>& notices) {
  json::array settings;
  for (const ResolvedSetting& one : resolution.settings) {
    json::object row;
    row["name"] = one.setting->name();
    if (!one.setting->variable.empty()) row["variable"] = one.setting->variable;
    if (!one.setting->key.empty()) row["key"] = one.setting->key;
    row["value"] = one.shown_value();
    row["origin"] = origin_name(one.origin);
    if (is_set(one)) row["where"] = one.place;
    row["works"] = one.setting->details.standing == Standing::works;
    row["counts"] = one.counts;
    if (is_invalid(one)) row["invalid"] = one.complaint;
    settings.push_back(std::move(row));
  }
  json::object all;
  all["home"] = resolution.home;
  all["target"] = resolution.target;
  all["settings"] = std::move(settings);
  all["notices"] = json::array(notices.begin(), notices.end());
  const std::vector<std::string> errors = resolution.errors();
  all["errors"] = json::array(errors.begin(), errors.end());
  return all;
}

std::string config_markdown() {
  std::string text =
      "| key in `config.yaml` | variable | value | default | targets | meaning |\n"
      "|---|---|---|---|---|---|\n";
  for (const Setting& setting : all_settings()) {
    const SettingDetails& details = setting.details;
    text += "| " + name_cell(setting.key, details.older_key) + " | " +
            name_cell(setting.variable, details.older_variable) + " | " + type_text(setting) +
            " | " + default_cell(setting) + " | " +
            (details.targets.empty() ? "all" : std::string(details.targets)) + " | " +
            std::string(standing_text(details.standing)) + std::string(setting.meaning) + " |\n";
  }
  return text;
}

}  // namespace talaria
