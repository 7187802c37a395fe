// The labels by which containers are found again: those of upstream Hermes, so that each finds the
// other's, and ours, which say for whom and how a container was made. No I/O here.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "environment/environment_spec.h"

namespace talaria::environment::docker {

inline constexpr std::string_view kTaskDigestLabel = "talaria-task-sha256";
inline constexpr std::string_view kSettingsLabel = "talaria-settings";
inline constexpr std::string_view kKeepLabel =
    "talaria-keep";  // "yes", or "no": not to be found again

inline constexpr std::string_view kHomeLabel = "talaria-home";  // see home_mark.h

// The key of the pool it was made for. Which task it serves is in its lease.
inline constexpr std::string_view kPoolLabel = "talaria-pool";
inline constexpr std::string_view kPoolTask = "talaria-pool";  // in the place of a task's name

// What a label's value may be: characters other than letters, digits, _ . and - become _, one each;
// 63 at most; "unknown" for nothing.
std::string label_value(std::string_view text);

// The three of upstream, in its order: a container is ours or theirs if it has them.
std::vector<std::string> upstream_labels(const EnvironmentSpec& spec);

// All that a new container gets.
std::vector<std::string> all_labels(const DockerConfig& config, const EnvironmentSpec& spec);

// What was asked for when it was made, as one line of JSON.
std::string settings_text(const DockerConfig& config, const ContainerConfig& container);

// Whether the runner of a container with these settings has a directory with the container's name
// in it, because the container starts it. Earlier versions named it after the container's id.
bool starts_runner(std::string_view made_with);

// How the settings differ from those a container was made with, for people: "TERMINAL_DOCKER_IMAGE
// A, not B"; empty: they do not.
std::string settings_difference(std::string_view made_with, const DockerConfig& config,
                                const ContainerConfig& container);

}  // namespace talaria::environment::docker
