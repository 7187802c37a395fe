#include "front/cli/config_text.h"

#include <array>
#include <charconv>
#include <string_view>

#include <boost/json/parse.hpp>

#include "front/cli/table.h"
#include "json/json_text.h"

namespace talaria::front::cli {
namespace {

bool is_set(const SettingValue& one) { return one.origin != "default"; }

bool works(const SettingValue& one) { return one.setting.standing == Standing::works; }

bool is_invalid(const SettingValue& one) { return !one.flaw.empty(); }

// 1.5, not 1.5E0.
std::string in_digits(double number) {
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end};
}

std::string value_text(const SettingValue& one) {
  if (is_invalid(one)) return "invalid";
  const std::string_view note = one.setting.default_note;
  const json::value value = json::parse(one.value);
  if (value.is_string()) return value.as_string().empty() ? "-" : std::string(value.as_string());
  if (value.is_double()) return in_digits(value.as_double());
  return !is_set(one) && !note.empty() ? std::string(note) : to_line(value);
}

std::string remark(const SettingValue& one) {
  const SettingInfo& setting = one.setting;
  if (setting.standing == Standing::no_effect) return "no effect";
  if (!one.counts && !setting.targets.empty()) {
    return "for " + std::string(setting.targets) + " only";
  }
  if (setting.standing == Standing::planned) return "not yet";
  return "";
}

void add_row(Table& table, const SettingValue& one) {
  std::string where = one.place == one.setting.name ? "" : one.place;
  if (const std::string said = remark(one); !said.empty()) {
    where += (where.empty() ? "(" : " (") + said + ")";
  }
  const Look look = is_invalid(one) ? Look::bad : is_set(one) ? Look::plain : Look::faint;
  const std::string origin = one.origin == "flag" ? "option" : one.origin;
  table.add({std::string(one.setting.name), value_text(one), origin, std::move(where)}, look);
}

// "integer", "secret", "`auto`, `real`, `profile`".
std::string type_text(const SettingInfo& setting) {
  if (!setting.choices.empty()) {
    std::string text;
    for (const std::string_view choice : setting.choices) {
      text += (text.empty() ? "`" : ", `") + std::string(choice) + "`";
    }
    return text;
  }
  if (!setting.secret) return std::string(setting.type);
  return setting.type == "text" ? "secret" : std::string(setting.type) + ", secret";
}

std::string in_code(std::string_view text) {
  return text.empty() ? "" : "`" + std::string(text) + "`";
}

std::string name_cell(std::string_view name, std::string_view older) {
  return in_code(name) + (older.empty() ? "" : ", else " + in_code(older));
}

std::string default_cell(const SettingInfo& setting) {
  if (!setting.default_note.empty()) return std::string(setting.default_note);
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

std::string config_table(const Configuration& configuration, bool all, const TextStyle& style) {
  Table table({"SETTING", "VALUE", "ORIGIN", "WHERE"});
  for (const SettingValue& one : configuration.settings) {
    if (all || is_set(one) || (one.counts && works(one))) add_row(table, one);
  }
  return table.drawn(style);
}

json::object config_json(const Configuration& configuration) {
  json::array settings;
  for (const SettingValue& one : configuration.settings) {
    json::object row;
    row["name"] = one.setting.name;
    if (!one.setting.variable.empty()) row["variable"] = one.setting.variable;
    if (!one.setting.key.empty()) row["key"] = one.setting.key;
    row["value"] = json::parse(one.value);
    row["origin"] = one.origin;
    if (is_set(one)) row["where"] = one.place;
    row["works"] = works(one);
    row["counts"] = one.counts;
    if (is_invalid(one)) row["invalid"] = one.flaw;
    settings.push_back(std::move(row));
  }
  const auto list = [](const std::vector<std::string>& lines) {
    return json::array(lines.begin(), lines.end());
  };
  return {{"home", configuration.home},
          {"target", configuration.target},
          {"settings", std::move(settings)},
          {"notices", list(configuration.notices)},
          {"errors", list(configuration.errors)}};
}

std::string config_markdown() {
  std::string text =
      "| key in `config.yaml` | variable | value | default | targets | meaning |\n"
      "|---|---|---|---|---|---|\n";
  for (const SettingInfo& setting : settings()) {
    text += "| " + name_cell(setting.key, setting.older_key) + " | " +
            name_cell(setting.variable, setting.older_variable) + " | " + type_text(setting) +
            " | " + default_cell(setting) + " | " +
            (setting.targets.empty() ? "all" : std::string(setting.targets)) + " | " +
            std::string(standing_text(setting.standing)) + std::string(setting.meaning) + " |\n";
  }
  return text;
}

}  // namespace talaria::front::cli
