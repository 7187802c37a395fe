#include "environment/docker/labels.h"

#include <array>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/sha256.h"
#include "environment/task_name.h"

namespace talaria::environment::docker {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestValue = 63;
constexpr std::size_t kShownDigest = 16;

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string digest_of(const json::value& value) {
  return sha256_hex(json::serialize(value)).substr(0, kShownDigest);
}

// What may hold secrets is there as a digest only.
json::object settings_of(const DockerConfig& config, const ContainerConfig& container) {
  json::object env;
  for (const auto& [name, value] : config.env) env[name] = value;
  return {
      {"image", config.image},
      {"cpu", container.cpu},
      {"memory_mb", container.memory_mb},
      {"disk_mb", container.disk_mb},
      {"persistent", container.persistent},
      {"network", config.network},
      {"host_cwd", config.host_cwd},
      {"host_user", config.run_as_host_user},
      {"starts_runner", true},
      {"volumes", json::array(config.volumes.begin(), config.volumes.end())},
      {"env", digest_of(env)},
      {"extra_args", digest_of(json::array(config.extra_args.begin(), config.extra_args.end()))}};
}

// The setting's name, and what it is called here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kNames{{
    {"image", "TERMINAL_DOCKER_IMAGE"},
    {"cpu", "TERMINAL_CONTAINER_CPU"},
    {"memory_mb", "TERMINAL_CONTAINER_MEMORY"},
    {"disk_mb", "TERMINAL_CONTAINER_DISK"},
    {"persistent", "TERMINAL_CONTAINER_PERSISTENT"},
    {"network", "TERMINAL_DOCKER_NETWORK"},
    {"host_cwd", "the directory mounted as /workspace"},
    {"host_user", "TERMINAL_DOCKER_RUN_AS_HOST_USER"},
    {"volumes", "TERMINAL_DOCKER_VOLUMES"},
    {"env", "TERMINAL_DOCKER_ENV"},
    {"extra_args", "TERMINAL_DOCKER_EXTRA_ARGS"},
}};

bool is_shown(std::string_view key) { return key != "env" && key != "extra_args"; }

}  // namespace

std::string label_value(std::string_view text) {
  std::string value;
  for (const char c : text) {
    if (continues_character(c)) continue;
    if (value.size() == kLongestValue) break;
    value += is_name_character(c) ? c : '_';
  }
  return value.empty() ? "unknown" : value;
}

std::vector<std::string> upstream_labels(const EnvironmentSpec& spec) {
  const std::string_view task = spec.pool.empty() ? spec.task : kPoolTask;
  return {"hermes-agent=1", "hermes-task-id=" + label_value(task),
          "hermes-profile=" + label_value(spec.profile)};
}

std::vector<std::string> all_labels(const DockerConfig& config, const EnvironmentSpec& spec) {
  std::vector<std::string> labels = upstream_labels(spec);
  const bool pooled = !spec.pool.empty();
  if (pooled) {
    labels.push_back(std::string(kPoolLabel) + "=" + spec.pool);
  } else {
    labels.push_back(std::string(kTaskDigestLabel) + "=" + sha256_hex(spec.task));
  }
  const bool keeps = config.persist_across_processes && !pooled;
  labels.push_back(std::string(kKeepLabel) + (keeps ? "=yes" : "=no"));
  if (!spec.home_mark.empty()) labels.push_back(std::string(kHomeLabel) + "=" + spec.home_mark);
  labels.push_back(std::string(kSettingsLabel) + "=" + settings_text(config, spec.container));
  return labels;
}

std::string settings_text(const DockerConfig& config, const ContainerConfig& container) {
  return json::serialize(settings_of(config, container));
}

bool starts_runner(std::string_view made_with) {
  boost::system::error_code error;
  const json::value parsed = json::parse(made_with, error);
  return !error && parsed.is_object() && parsed.as_object().contains("starts_runner");
}

std::string settings_difference(std::string_view made_with, const DockerConfig& config,
                                const ContainerConfig& container) {
  boost::system::error_code error;
  const json::value parsed = json::parse(made_with, error);
  if (error || !parsed.is_object()) return {};
  const json::value now =
      json::parse(settings_text(config, container));  // as numbers are read back
  std::string text;
  for (const auto& [key, name] : kNames) {
    const json::value* before = parsed.as_object().if_contains(key);
    const json::value& wanted = now.as_object().at(key);
    if (!before || *before == wanted) continue;
    text += (text.empty() ? "" : ", ") + std::string(name);
    if (is_shown(key)) text += " " + json::serialize(*before) + ", not " + json::serialize(wanted);
  }
  return text;
}

}  // namespace talaria::environment::docker
