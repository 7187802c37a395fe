#include "environment/docker/labels.h"

#include <array>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/sha256.h"

namespace talaria::environment::docker {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestValue = 63;
constexpr std::size_t kShownDigest = 16;

bool is_label_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-';
}

bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::string digest_of(const json::value& value) {
  return sha256_hex(json::serialize(value)).substr(0, kShownDigest);
}

// What may hold secrets is there as a digest only.
json::object settings_of(const DockerOptions& options) {
  json::object env;
  for (const auto& [name, value] : options.env) env[name] = value;
  return {
      {"image", options.image},
      {"cpu", options.cpu},
      {"memory_mb", options.memory_mb},
      {"disk_mb", options.disk_mb},
      {"persistent", options.persistent},
      {"network", options.network},
      {"host_cwd", options.host_cwd},
      {"host_user", options.run_as_host_user},
      {"volumes", json::array(options.volumes.begin(), options.volumes.end())},
      {"env", digest_of(env)},
      {"extra_args", digest_of(json::array(options.extra_args.begin(), options.extra_args.end()))}};
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
    value += is_label_character(c) ? c : '_';
  }
  return value.empty() ? "unknown" : value;
}

std::vector<std::string> upstream_labels(const DockerOptions& options) {
  return {"hermes-agent=1", "hermes-task-id=" + label_value(options.task),
          "hermes-profile=" + label_value(options.profile)};
}

std::vector<std::string> all_labels(const DockerOptions& options) {
  std::vector<std::string> labels = upstream_labels(options);
  labels.push_back(std::string(kTaskDigestLabel) + "=" + sha256_hex(options.task));
  labels.push_back(std::string(kKeepLabel) + (options.persist_across_processes ? "=yes" : "=no"));
  labels.push_back(std::string(kSettingsLabel) + "=" + settings_text(options));
  return labels;
}

std::string settings_text(const DockerOptions& options) {
  return json::serialize(settings_of(options));
}

std::string settings_difference(std::string_view made_with, const DockerOptions& options) {
  boost::system::error_code error;
  const json::value parsed = json::parse(made_with, error);
  if (error || !parsed.is_object()) return {};
  const json::value now = json::parse(settings_text(options));  // as numbers are read back
  std::string told;
  for (const auto& [key, name] : kNames) {
    const json::value* before = parsed.as_object().if_contains(key);
    const json::value& wanted = now.as_object().at(key);
    if (!before || *before == wanted) continue;
    told += (told.empty() ? "" : ", ") + std::string(name);
    if (is_shown(key)) told += " " + json::serialize(*before) + ", not " + json::serialize(wanted);
  }
  return told;
}

}  // namespace talaria::environment::docker
