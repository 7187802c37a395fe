#include "host/config/target_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <boost/json/serialize.hpp>

#include "base/message.h"
#include "host/config.h"
#include "host/config/values.h"
#include "host/managed_token.h"
#include "shell/quote.h"

namespace talaria::host {
namespace {

// The strings of a list, trimmed and not empty. A notice names any other entry by its position,
// because it may be a secret.
std::vector<std::string> checked_texts(const Values& values, std::string_view name,
                                       std::vector<std::string>& notices) {
  std::vector<std::string> found;
  const json::value list = values.raw(name);
  std::size_t place = 0;
  for (const json::value& item : list.as_array()) {
    ++place;
    if (!item.is_string()) {
      notices.push_back(std::string(name) + ": entry " + std::to_string(place) +
                        " is not a string and is left out");
    } else if (const std::string_view text = trim(item.as_string()); !text.empty()) {
      found.emplace_back(text);
    }
  }
  return found;
}

std::vector<std::string> checked_names(const Values& values, std::string_view setting,
                                       std::vector<std::string>& notices) {
  std::vector<std::string> names;
  for (std::string& name : checked_texts(values, setting, notices)) {
    if (!shell::is_variable_name(name)) {
      notices.push_back(std::string(setting) + ": '" + name +
                        "' is not the name of a variable and is left out");
    } else if (std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

// As Python writes them, because the agent did; nothing for what is not a string, number or bool.
const char* python_truth(bool value) { return value ? "True" : "False"; }

std::string python_number(double value) {
  std::array<char, 64> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  std::string shown(text.data(), end);
  if (shown.find_first_of(".en") == std::string::npos) shown += ".0";
  return shown;
}

std::optional<std::string> python_text(const json::value& value) {
  if (value.is_string()) return std::string(value.as_string());
  if (value.is_bool()) return python_truth(value.as_bool());
  if (value.is_int64() || value.is_uint64()) return json::serialize(value);
  if (value.is_double()) return python_number(value.as_double());
  return std::nullopt;
}

std::map<std::string, std::string> checked_variables(const Values& values, std::string_view setting,
                                                     std::vector<std::string>& notices) {
  std::map<std::string, std::string> variables;
  const json::value object = values.raw(setting);
  for (const auto& [key, value] : object.as_object()) {
    const std::string name(trim(key));
    const std::optional<std::string> text = python_text(value);
    if (!shell::is_variable_name(name)) {
      notices.push_back(std::string(setting) + ": '" + name +
                        "' is not the name of a variable and is left out");
    } else if (!text) {
      notices.push_back(std::string(setting) + ": the value of " + name +
                        " is not a string and is left out");
    } else {
      variables.insert_or_assign(name, *text);
    }
  }
  return variables;
}

bool uses_docker(const Config& config) {
  return config.target == "docker" || config.target == "podman";
}

environment::DockerConfig docker_config(const Resolution& resolution,
                                        std::vector<std::string>& notices) {
  const Values values(resolution);
  return {
      .binary = values.text("HERMES_DOCKER_BINARY"),
      .image = values.text("TERMINAL_DOCKER_IMAGE"),
      .forward_env = checked_names(values, "TERMINAL_DOCKER_FORWARD_ENV", notices),
      .env = checked_variables(values, "TERMINAL_DOCKER_ENV", notices),
      .volumes = checked_texts(values, "TERMINAL_DOCKER_VOLUMES", notices),
      .extra_args = checked_texts(values, "TERMINAL_DOCKER_EXTRA_ARGS", notices),
      .network = values.truth("TERMINAL_DOCKER_NETWORK"),
      .host_cwd = resolution.mounted_cwd,
      .run_as_host_user = values.truth("TERMINAL_DOCKER_RUN_AS_HOST_USER"),
      .persist_across_processes = values.truth("TERMINAL_DOCKER_PERSIST_ACROSS_PROCESSES"),
      .reap_orphans = values.truth("TERMINAL_DOCKER_ORPHAN_REAPER"),
  };
}

environment::CarrierConfig carrier_config(const Values& values) {
  environment::CarrierConfig carrier{.command = values.text("TERMINAL_CARRIER")};
  const std::string_view command = trim(carrier.command);
  const std::string_view program = command.substr(0, command.find(' '));
  carrier.joins_arguments = program == "ssh" || program.ends_with("/ssh");
  const std::string mode = values.text("TERMINAL_CARRIER_MODE");
  carrier.batches = mode == "batch";
  carrier.plain = mode == "plain";
  return carrier;
}

environment::SshConfig ssh_config(const Values& values) {
  return {.host = std::string(trim(values.text("TERMINAL_SSH_HOST"))),
          .user = std::string(trim(values.text("TERMINAL_SSH_USER"))),
          .port = static_cast<int>(values.integer("TERMINAL_SSH_PORT")),
          .key = values.text("TERMINAL_SSH_KEY"),
          .config_file = values.text("TERMINAL_SSH_CONFIG")};
}

std::size_t count_of(const Values& values, std::string_view name) {
  return static_cast<std::size_t>(std::max<std::int64_t>(values.integer(name), 0));
}

// "https://modal-gateway.DOMAIN", unless MODAL_GATEWAY_URL is set.
std::string gateway_origin(const Values& values, std::string& problem) {
  std::string origin(trim(values.text("MODAL_GATEWAY_URL")));
  if (origin.empty()) {
    const std::string scheme = lower_case(trim(values.text("TOOL_GATEWAY_SCHEME")));
    if (scheme != "http" && scheme != "https") {
      problem = "TOOL_GATEWAY_SCHEME must be 'http' or 'https'";
      return {};
    }
    const std::string given = values.text("TOOL_GATEWAY_DOMAIN");
    std::string_view domain = trim(given);
    while (domain.starts_with('/')) domain.remove_prefix(1);
    origin = scheme + "://modal-gateway." + std::string(domain);
  }
  while (origin.ends_with('/')) origin.pop_back();
  return origin;
}

// Modal through the gateway, or with the user's own account. "auto" is the gateway if it can be
// used.
bool goes_through_gateway(const std::string& mode, const Config& config,
                          const environment::ManagedConfig& managed) {
  if (mode != "auto") return mode == "managed";
  return managed.problem.empty() && !managed_token(config.home, managed.token).empty();
}

environment::ModalConfig modal_config(const Values& values) {
  const auto trimmed = [&](std::string_view name) { return std::string(trim(values.text(name))); };
  const bool says_server = !values.is_default("MODAL_SERVER_URL");
  return {.mode = values.text("TERMINAL_MODAL_MODE"),
          .token_id = Secret(trim(values.text("MODAL_TOKEN_ID"))),
          .token_secret = Secret(trim(values.text("MODAL_TOKEN_SECRET"))),
          .server_url = says_server ? trimmed("MODAL_SERVER_URL") : "",
          .environment = trimmed("MODAL_ENVIRONMENT"),
          .image_builder_version = trimmed("MODAL_IMAGE_BUILDER_VERSION"),
          .profile = trimmed("MODAL_PROFILE"),
          .config_path = values.text("MODAL_CONFIG_PATH"),
          .image = trimmed("TERMINAL_MODAL_IMAGE"),
          .life = values.seconds("TERMINAL_MODAL_SANDBOX_TIMEOUT")};
}

environment::ManagedConfig managed_config(const Values& values, const Config& config) {
  environment::ManagedConfig managed{
      .token = Secret(trim(values.text("TOOL_GATEWAY_USER_TOKEN"))),
      .ca_file = values.text("TERMINAL_GATEWAY_CA_FILE"),
      .image = values.text("TERMINAL_MODAL_IMAGE"),
      .connect_seconds = values.number("TERMINAL_MANAGED_MODAL_CONNECT_TIMEOUT_SECONDS"),
      .poll_seconds = values.number("TERMINAL_MANAGED_MODAL_POLL_READ_TIMEOUT_SECONDS"),
      .cancel_seconds = values.number("TERMINAL_MANAGED_MODAL_CANCEL_READ_TIMEOUT_SECONDS")};
  managed.origin = gateway_origin(values, managed.problem);
  managed.chosen = config.target == "managed" ||
                   goes_through_gateway(values.text("TERMINAL_MODAL_MODE"), config, managed);
  return managed;
}

environment::DaytonaConfig daytona_config(const Values& values) {
  return {.url = std::string(trim(values.text("DAYTONA_API_URL"))),
          .key = Secret(trim(values.text("DAYTONA_API_KEY"))),
          .region = std::string(trim(values.text("DAYTONA_TARGET"))),
          .image = std::string(trim(values.text("TERMINAL_DAYTONA_IMAGE")))};
}

}  // namespace

bool shares_environments(const Config& config) {
  if (uses_docker(config)) return config.docker.persist_across_processes;
  return config.container.persistent || has_word("local ssh carrier", config.target);
}

void read_targets(const Resolution& resolution, Config& config) {
  const Values values(resolution);
  config.container = {.cpu = values.number("TERMINAL_CONTAINER_CPU"),
                      .cpu_is_set = !values.is_default("TERMINAL_CONTAINER_CPU"),
                      .memory_mb = values.integer("TERMINAL_CONTAINER_MEMORY"),
                      .memory_is_set = !values.is_default("TERMINAL_CONTAINER_MEMORY"),
                      .disk_mb = values.integer("TERMINAL_CONTAINER_DISK"),
                      .disk_is_set = !values.is_default("TERMINAL_CONTAINER_DISK"),
                      .persistent = values.truth("TERMINAL_CONTAINER_PERSISTENT"),
                      .pool_size = static_cast<std::size_t>(values.integer("TERMINAL_POOL_SIZE"))};
  config.carrier = carrier_config(values);
  config.singularity = {.image = values.text("TERMINAL_SINGULARITY_IMAGE"),
                        .scratch_dir = values.text("TERMINAL_SCRATCH_DIR"),
                        .cache_dir = values.text("APPTAINER_CACHEDIR"),
                        .disk_warning_gb = values.number("TERMINAL_DISK_WARNING_GB")};
  config.gateway = {.max_cpu = values.number("TALARIA_GATEWAY_MAX_CPU"),
                    .max_memory_mb = values.integer("TALARIA_GATEWAY_MAX_MEMORY"),
                    .max_disk_mb = values.integer("TALARIA_GATEWAY_MAX_DISK"),
                    .images = values.texts("TALARIA_GATEWAY_IMAGES"),
                    .max_sandboxes = count_of(values, "TALARIA_GATEWAY_MAX_SANDBOXES"),
                    .max_execs = count_of(values, "TALARIA_GATEWAY_MAX_EXECS"),
                    .requests_per_minute = count_of(values, "TALARIA_GATEWAY_RATE")};
  // Invalid settings of a target that is not used must not affect the one that is.
  if (uses_docker(config)) config.docker = docker_config(resolution, config.notices);
  if (config.target == "ssh") config.ssh = ssh_config(values);
  if (config.target == "daytona") config.daytona = daytona_config(values);
  if (config.target == "managed" || config.target == "modal") {
    config.managed = managed_config(values, config);
  }
  if (config.target == "modal") config.modal = modal_config(values);
}

}  // namespace talaria::host
