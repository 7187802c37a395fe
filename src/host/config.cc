#include "host/config.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text.h"
#include "environment/environment.h"
#include "host/config/values.h"
#include "host/shared/credential_files.h"
#include "host/withheld.h"

namespace talaria::host {
namespace {

ProcessConfig process_config(const Values& values) {
  const auto count = [&](std::string_view name) {
    return static_cast<std::uint64_t>(values.integer(name));
  };
  return {.max_running = count("TERMINAL_MAX_PROCESSES"),
          .max_terminals = count("TERMINAL_MAX_TERMINALS"),
          .max_finished = count("TERMINAL_MAX_FINISHED_PROCESSES"),
          .retention = values.seconds("TERMINAL_PROCESS_RETENTION_SECONDS"),
          .max_age = values.seconds("TERMINAL_PROCESS_MAX_AGE_SECONDS"),
          .output_chars = static_cast<std::size_t>(count("TERMINAL_PROCESS_OUTPUT_CHARS"))};
}

FileConfig file_config(const Values& values) {
  const auto count = [&](std::string_view name) {
    return static_cast<std::size_t>(values.integer(name));
  };
  return {.max_lines = count("tool_output.max_lines"),
          .max_line_chars = count("tool_output.max_line_length"),
          .max_chars = count("file_read_max_chars"),
          .write_root = values.text("HERMES_WRITE_SAFE_ROOT"),
          .compare_with_read = !values.truth("HERMES_DISABLE_FILE_STATE_GUARD")};
}

ResultConfig result_config(const Values& values, std::vector<std::string>& notices) {
  constexpr std::string_view kOwn = "tool_output.result_chars";
  const auto count = [&](std::string_view name) {
    return static_cast<std::size_t>(values.integer(name));
  };
  ResultConfig config{.max_chars = count("tool_output.max_result_chars"),
                      .max_turn_chars = count("tool_output.max_turn_chars")};
  const json::value own = values.raw(kOwn);
  for (const auto& [tool, value] : own.as_object()) {
    if (value.is_int64() && value.get_int64() > 0) {
      config.by_tool[std::string(tool)] = static_cast<std::size_t>(value.get_int64());
    } else {
      notices.push_back(std::string(kOwn) + ": the value of " + std::string(tool) +
                        " is not a number of characters and is left out");
    }
  }
  return config;
}

void read_passthrough(const Values& values, Config& config) {
  for (const std::string& name : values.texts("terminal.env_passthrough")) {
    if (const auto added = config.env_passthrough.add(name); !added) {
      config.notices.push_back("terminal.env_passthrough: " + added.error().message());
    }
  }
}

void read_shared(const Values& values, Config& config) {
  std::vector<std::string> flaws;
  config.credential_files =
      credential_paths(values.raw("terminal.credential_files").as_array(), flaws);
  for (const std::string& flaw : flaws) {
    config.notices.push_back("terminal.credential_files: " + flaw);
  }
  config.skill_directories = values.texts("skills.external_dirs");
  config.always_sync = values.truth("HERMES_FORCE_FILE_SYNC");
}

Result<Config> config_from(const Caller& caller, ConfigSources sources,
                           std::chrono::seconds default_lifetime) {
  Result<Config> config = make_config(resolve(caller, sources), default_lifetime);
  if (config) config->sources = std::make_shared<const ConfigSources>(std::move(sources));
  return config;
}

}  // namespace

std::string configured_target(const Caller& caller) {
  return std::string(caller.variable("TERMINAL_ENV").value_or("local"));
}

Result<Config> make_config(const Resolution& resolution, std::chrono::seconds default_lifetime) {
  if (const std::vector<std::string> errors = resolution.errors(); !errors.empty()) {
    return fail(ErrorKind::bad_request, errors.front());
  }
  const Values values(resolution);
  const bool says_lifetime = !values.is_default("TERMINAL_LIFETIME_SECONDS");
  Config config{
      .home = resolution.home,
      .target = resolution.target,
      .target_name = resolution.target_name,
      .cwd = values.text("TERMINAL_CWD"),
      .timeout = values.seconds("TERMINAL_TIMEOUT"),
      .max_foreground_timeout = values.seconds("TERMINAL_MAX_FOREGROUND_TIMEOUT"),
      .lifetime = says_lifetime ? std::max(std::chrono::seconds(1),
                                           values.seconds("TERMINAL_LIFETIME_SECONDS"))
                                : default_lifetime,
      .local_runners = static_cast<std::size_t>(values.integer("TERMINAL_LOCAL_RUNNERS")),
      .max_output_chars = static_cast<std::size_t>(values.integer("tool_output.max_bytes")),
      .redact_secrets = values.truth("HERMES_REDACT_SECRETS"),
      .spill_quota = static_cast<std::uint64_t>(values.integer("TERMINAL_SPILL_QUOTA_MB")) << 20,
      .processes = process_config(values),
      .files = file_config(values),
      .home_mode = parse_home_mode(values.text("TERMINAL_HOME_MODE")),
      .shell_init_files = values.texts("terminal.shell_init_files"),
      .auto_source_bashrc = values.truth("terminal.auto_source_bashrc"),
      .trace_interrupts = !values.text("HERMES_DEBUG_INTERRUPT").empty(),
      .profile = values.text("HERMES_PROFILE"),
      .sandbox_dir = values.text("TERMINAL_SANDBOX_DIR"),
      .notices = resolution.notices,
      .warnings = resolution.warnings,
      .default_lifetime = default_lifetime};
  if (config.sandbox_dir.empty()) config.sandbox_dir = config.home + "/sandboxes";
  config.results = result_config(values, config.notices);
  read_targets(resolution, config);
  if (const auto read = read_policy(resolution, config); !read) return fail(read.error());
  read_passthrough(values, config);
  read_shared(values, config);
  config.web = read_web(values);
  config.scripts = {
      .timeout = values.seconds("code_execution.timeout"),
      .max_tool_calls = static_cast<std::size_t>(values.integer("code_execution.max_tool_calls")),
      .strict = values.text("code_execution.mode") == "strict",
      .python = values.text("code_execution.python"),
      .time_zone = std::string(trim(values.text("HERMES_TIMEZONE")))};
  return config;
}

Result<Config> read_config(const Caller& caller, std::chrono::seconds default_lifetime,
                           std::vector<ConfigFlag> flags) {
  Result<ConfigSources> sources = read_sources(caller, std::move(flags));
  if (!sources) return fail(sources.error());
  return config_from(caller, std::move(*sources), default_lifetime);
}

Result<Config> config_with(const Config& config, const Caller& caller,
                           std::vector<ConfigFlag> flags) {
  ConfigSources sources = config.sources ? *config.sources : ConfigSources{.home = config.home};
  flags.insert(flags.end(), sources.flags.begin(), sources.flags.end());
  sources.flags = std::move(flags);
  return config_from(caller, std::move(sources), config.default_lifetime);
}

environment::LoginFiles login_files(const Config& config) {
  return {.files = config.shell_init_files,
          .bashrc = config.auto_source_bashrc,
          .withheld = withheld_patterns(config.env_passthrough.names())};
}

}  // namespace talaria::host
