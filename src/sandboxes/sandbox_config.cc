#include "sandboxes/sandbox_config.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.h"

namespace talaria::sandboxes {
namespace {

namespace json = boost::json;

std::string shortest(double number) {
  std::array<char, 32> digits;
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
  return {digits.data(), error == std::errc() ? end : digits.data()};
}

Result<void> within(std::string_view field, double asked, double most, std::string_view setting) {
  if (most == 0 || asked <= most) return {};
  return fail(ErrorKind::bad_request,
              std::string(field) + " of " + shortest(asked) +
                  " is more than a sandbox may have here: " + shortest(most) + " at most (" +
                  std::string(setting) + ")");
}

// 0 means no limit, both as the configured value and as the maximum.
double effective(double asked, double configured, double most) {
  if (asked > 0) return asked;
  if (most == 0 || configured == 0) return std::max(most, configured);
  return std::min(most, configured);
}

std::string whole(double number) { return shortest(std::max(1.0, std::floor(number))); }

}  // namespace

Result<void> check_spec(const SandboxSpec& spec, const host::GatewayConfig& most) {
  auto fine = within("cpu", spec.cpu, most.max_cpu, "gateway.max_cpu");
  if (fine) {
    fine = within("memoryMiB", spec.memory_mib, static_cast<double>(most.max_memory_mb),
                  "gateway.max_memory");
  }
  if (fine) {
    fine =
        within("diskMiB", spec.disk_mib, static_cast<double>(most.max_disk_mb), "gateway.max_disk");
  }
  if (fine && !permits_image(most.images, spec.image)) {
    return fail(ErrorKind::bad_request,
                "image '" + sanitize_utf8(spec.image) + "' is not permitted here (gateway.images)");
  }
  return fine;
}

json::object override_for(const SandboxSpec& spec, const std::string& target,
                          const host::Config& config) {
  json::object settings{{"env_type", target}};
  if (!spec.image.empty()) {
    const bool is_docker = target == "docker" || target == "podman";
    settings[(is_docker ? "docker" : target) + "_image"] = spec.image;
  }
  const environment::ContainerConfig& usual = config.container;
  const host::GatewayConfig& most = config.gateway;
  const double cpu = effective(spec.cpu, usual.cpu, most.max_cpu);
  const double memory = effective(spec.memory_mib, static_cast<double>(usual.memory_mb),
                                  static_cast<double>(most.max_memory_mb));
  const double disk = effective(spec.disk_mib, static_cast<double>(usual.disk_mb),
                                static_cast<double>(most.max_disk_mb));
  if (cpu != usual.cpu) settings["container_cpu"] = shortest(cpu);
  if (memory != static_cast<double>(usual.memory_mb)) settings["container_memory"] = whole(memory);
  if (disk != static_cast<double>(usual.disk_mb)) settings["container_disk"] = whole(disk);
  return settings;
}

}  // namespace talaria::sandboxes

namespace talaria {

bool permits_image(const std::vector<std::string>& patterns, const std::string& image) {
  const auto fits = [&](const std::string& pattern) {
    return ::fnmatch(pattern.c_str(), image.c_str(), FNM_NOESCAPE) == 0;
  };
  return image.empty() || patterns.empty() || std::ranges::any_of(patterns, fits);
}

}  // namespace talaria
