#include "host/config/resolve.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "host/config/first_cwd.h"

namespace talaria::host {
namespace {

constexpr std::string_view kMasked = "***";
// What a message shows of a value, in characters.
constexpr std::size_t kMaxShownValue = 200;

// What was written for a setting in the place that counts.
struct Found {
  WrittenValue value;
  Origin origin = Origin::standard;
  std::string name;   // of the setting, as it is called there
  std::string place;  // the file and the line, or the same as name
};

std::string at_line(const std::string& path, int line) {
  return line > 0 ? path + ", line " + std::to_string(line) : path;
}

class Search {
 public:
  Search(const Caller& caller, const ConfigSources& sources) : caller_(caller), sources_(sources) {}

  std::optional<Found> find(const Setting& setting) const {
    for (const ConfigFlag& flag : sources_.flags) {
      if (flag.setting == setting.name()) {
        const std::string name(flag.flag);
        return Found{{flag.value}, Origin::flag, name, name};
      }
    }
    const std::array variables{setting.variable, setting.details.older_variable};
    for (const std::string_view name : variables) {
      if (auto found = in_environment(setting, name)) return found;
    }
    if (setting.details.environment_only) return std::nullopt;
    for (const std::string_view name : variables) {
      if (auto found = in_env_file(setting, name)) return found;
    }
    for (const std::string_view key : {setting.key, setting.details.older_key}) {
      if (auto found = in_yaml_file(setting, key)) return found;
    }
    return std::nullopt;
  }

 private:
  static bool counts(const Setting& setting, std::string_view value) {
    return !value.empty() || setting.details.empty_counts;
  }

  std::optional<Found> in_environment(const Setting& setting, std::string_view name) const {
    const auto value = name.empty() ? std::nullopt : caller_.variable(name);
    if (!value || !counts(setting, *value)) return std::nullopt;
    return Found{{std::string(*value)}, Origin::environment, std::string(name), std::string(name)};
  }

  std::optional<Found> in_env_file(const Setting& setting, std::string_view name) const {
    const EnvFileEntry* entry = name.empty() ? nullptr : sources_.env_file.find(name);
    if (!entry || !counts(setting, entry->value)) return std::nullopt;
    return Found{{entry->value},
                 Origin::env_file,
                 std::string(name),
                 at_line(sources_.env_path(), entry->line)};
  }

  std::optional<Found> in_yaml_file(const Setting& setting, std::string_view key) const {
    const YamlEntry* entry = key.empty() ? nullptr : sources_.yaml_file.find(key);
    if (!entry || !counts(setting, entry->value.text)) return std::nullopt;
    return Found{entry->value, Origin::yaml_file, entry->key,
                 at_line(sources_.yaml_path(), entry->line)};
  }

  const Caller& caller_;
  const ConfigSources& sources_;
};

std::string shown_value(const Setting& setting, std::string_view written) {
  if (setting.details.secret) return std::string(kMasked);
  const std::string text = sanitize_utf8(written);
  const std::string_view head = first_chars(text, kMaxShownValue);
  return head.size() == text.size() ? text : std::string(head) + "...";
}

// Where to look for what is wrong.
std::string hint(const Found& found) {
  switch (found.origin) {
    case Origin::standard:
    case Origin::flag:
      return "";
    case Origin::environment:
      return " Check ~/.hermes/.env or environment variables.";
    case Origin::env_file:
      return " Check ~/.hermes/.env or environment variables. It is set in " + found.place + ".";
    case Origin::yaml_file:
      return " Check " + found.place + ".";
  }
  return "";
}

// In config.yaml a list is a list, not JSON.
std::string expectation(const Setting& setting, const Found& found, std::string expected) {
  if (found.origin != Origin::yaml_file) return expected;
  if (setting.type == SettingType::list) return "a list";
  if (setting.type == SettingType::object) return "a mapping";
  return expected;
}

std::string complaint(const Setting& setting, const Found& found, std::string expected) {
  return "Invalid value for " + found.name + ": '" + shown_value(setting, found.value.text) +
         "' (expected " + expectation(setting, found, std::move(expected)) + ")." + hint(found);
}

ResolvedSetting resolve_one(const Search& search, const Setting& setting) {
  ResolvedSetting resolved{.setting = &setting};
  const std::optional<Found> found = search.find(setting);
  if (!found) return resolved;
  resolved.origin = found->origin;
  resolved.place = found->place;
  auto value = parse_value(setting, found->value);
  if (value) {
    resolved.given = std::move(*value);
  } else {
    resolved.complaint = complaint(setting, *found, std::move(value.error()));
  }
  return resolved;
}

// Whether there are settings below that key.
bool is_section(const std::string& key) {
  return std::ranges::any_of(all_settings(), [prefix = key + "."](const Setting& one) {
    return one.key.starts_with(prefix) || one.details.older_key.starts_with(prefix);
  });
}

// For a key that is called like a variable, such as terminal.env of TERMINAL_ENV.
std::string meant_key(std::string_view key) {
  std::string name(key);
  for (char& c : name) c = c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  const Setting* const setting = find_variable(name);
  if (!setting || setting->key.empty()) return "";
  return ". Did you mean " + std::string(setting->key) + "?";
}

// What is wrong without being an error.
class Notes {
 public:
  Notes(const Caller& caller, const ConfigSources& sources, Resolution& resolution)
      : caller_(caller), sources_(sources), resolution_(resolution) {}

  void take() {
    for (const int line : sources_.env_file.bad_lines) {
      note(at_line(sources_.env_path(), line) + ": expected NAME=value; the line is ignored");
    }
    for (const std::string_view entry : caller_.variables) {
      unknown_variable(entry.substr(0, entry.find('=')), "the environment");
    }
    for (const EnvFileEntry& entry : sources_.env_file.entries) env_file_entry(entry);
    for (const YamlEntry& entry : sources_.yaml_file.others) {
      const std::string where = at_line(sources_.yaml_path(), entry.line) + ": ";
      if (entry.key.starts_with("terminal.") || entry.key.starts_with("tool_output.")) {
        note(where + "unknown setting " + entry.key + "; it is ignored" + meant_key(entry.key));
      } else if (!entry.value.text.empty() && is_section(entry.key)) {
        warn(where + entry.key + " must be a mapping of settings; it is ignored");
      }
    }
    for (const ResolvedSetting& one : resolution_.settings) resolved(one);
  }

 private:
  void note(std::string text) { resolution_.notices.push_back(std::move(text)); }

  void warn(const std::string& text) {
    resolution_.warnings.push_back(text);
    note(text);
  }

  void unknown_variable(std::string_view name, const std::string& where) {
    if (name.starts_with("TERMINAL_") && !find_variable(name)) {
      note(where + ": unknown setting " + sanitize_utf8(name) + "; it is ignored");
    }
  }

  void env_file_entry(const EnvFileEntry& entry) {
    const std::string where = at_line(sources_.env_path(), entry.line);
    unknown_variable(entry.name, where);
    const Setting* setting = find_variable(entry.name);
    if (setting && setting->details.environment_only) {
      note(where + ": " + entry.name + " is read only from the environment");
    }
  }

  void resolved(const ResolvedSetting& one) {
    if (!one.complaint.empty() && one.setting->details.forgiving) {
      const std::string text = one.complaint + " The default is used.";
      one.counts ? warn(text) : note(text);
    } else if (!one.complaint.empty() && !one.counts) {
      note(one.complaint + " The target does not use it.");
    }
    if (one.origin == Origin::standard || one.setting->type != SettingType::boolean) return;
    const std::optional<Found> found = Search(caller_, sources_).find(*one.setting);
    if (found && !is_plain_truth(found->value.text)) {
      note(found->place + ": " + found->name + " is '" + sanitize_utf8(found->value.text) +
           "', which means false; only true, 1 and yes are true");
    }
  }

  const Caller& caller_;
  const ConfigSources& sources_;
  Resolution& resolution_;
};

std::string text_of(const json::value& value) { return std::string(value.as_string()); }

}  // namespace

std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::standard:
      return "default";
    case Origin::environment:
      return "environment";
    case Origin::env_file:
      return ".env file";
    case Origin::yaml_file:
      return "config.yaml";
    case Origin::flag:
      return "flag";
  }
  return "";
}

json::value ResolvedSetting::value() const {
  if (given) return *given;
  if (setting->default_text.empty() && setting->type != SettingType::flag) return json::string();
  return parse_value(*setting, {std::string(setting->default_text)}).value_or(nullptr);
}

json::value ResolvedSetting::shown_value() const {
  if (!complaint.empty()) return nullptr;
  if (setting->details.secret && origin != Origin::standard) return json::string(kMasked);
  return value();
}

const ResolvedSetting& Resolution::of(std::string_view name) const {
  const auto found = std::ranges::find_if(
      settings, [&](const ResolvedSetting& one) { return one.setting->name() == name; });
  if (found == settings.end()) throw std::logic_error("no setting " + std::string(name));
  return *found;
}

std::vector<std::string> Resolution::errors() const {
  std::vector<std::string> found;
  for (const ResolvedSetting& one : settings) {
    const bool matters = one.counts && !one.setting->details.forgiving;
    if (matters && !one.complaint.empty()) found.push_back(one.complaint);
  }
  return found;
}

Resolution resolve(const Caller& caller, const ConfigSources& sources) {
  const Search search(caller, sources);
  const Setting& target = setting("TERMINAL_ENV");
  Resolution resolution{.home = sources.home,
                        .target = text_of(resolve_one(search, target).value()),
                        .target_name = std::string(target.variable)};
  if (const auto found = search.find(target)) resolution.target_name = found->name;

  resolution.settings.reserve(all_settings().size());
  for (const Setting& row : all_settings()) {
    ResolvedSetting& one = resolution.settings.emplace_back(resolve_one(search, row));
    one.counts = row.counts_for(resolution.target);
    // Some have no value of their own: they are what they make of the caller.
    if (row.name() == "TALARIA_HOME") one.given = json::string(resolution.home);
    if (row.name() == "MODAL_CONFIG_PATH") {
      const std::string said = text_of(one.value());
      one.given = json::string(caller.absolute(said.empty() ? "~/.modal.toml" : said));
    }
    if (row.name() == "TERMINAL_CWD") {
      const Setting& mounts = setting("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE");
      FirstCwd first = first_cwd(caller, {.target = resolution.target,
                                          .said = text_of(one.value()),
                                          .mount = resolve_one(search, mounts).value().as_bool()});
      one.given = json::string(first.directory);
      resolution.mounted_cwd = std::move(first.mounted);
    }
  }
  Notes(caller, sources, resolution).take();
  return resolution;
}

}  // namespace talaria::host
