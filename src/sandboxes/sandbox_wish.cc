#include "sandboxes/sandbox_wish.h"

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

Result<void> within(std::string_view field, double wished, double most, std::string_view setting) {
  if (most == 0 || wished <= most) return {};
  return fail(ErrorKind::bad_request,
              std::string(field) + " of " + shortest(wished) +
                  " is more than a sandbox can have here: " + shortest(most) + " at most (" +
                  std::string(setting) + ")");
}

// 0 is no limit, of what is configured and of what may be.
double effective(double wished, double configured, double most) {
  if (wished > 0) return wished;
  if (most == 0 || configured == 0) return std::max(most, configured);
  return std::min(most, configured);
}

std::string whole(double number) { return shortest(std::max(1.0, std::floor(number))); }

}  // namespace

Result<void> check_wish(const SandboxSpec& wish, const host::GatewayConfig& most) {
  auto fine = within("cpu", wish.cpu, most.max_cpu, "gateway.max_cpu");
  if (fine) {
    fine = within("memoryMiB", wish.memory_mib, static_cast<double>(most.max_memory_mb),
                  "gateway.max_memory");
  }
  if (fine) {
    fine =
        within("diskMiB", wish.disk_mib, static_cast<double>(most.max_disk_mb), "gateway.max_disk");
  }
  if (fine && !permits_image(most.images, wish.image)) {
    return fail(ErrorKind::bad_request, "'" + sanitize_utf8(wish.image) +
                                            "' is no image that may be used here (gateway.images)");
  }
  return fine;
}

json::object override_for(const SandboxSpec& wish, const std::string& target,
                          const host::Config& config) {
  json::object said{{"env_type", target}};
  if (!wish.image.empty()) {
    const bool is_docker = target == "docker" || target == "podman";
    said[(is_docker ? "docker" : target) + "_image"] = wish.image;
  }
  const environment::ContainerConfig& usual = config.container;
  const host::GatewayConfig& most = config.gateway;
  const double cpu = effective(wish.cpu, usual.cpu, most.max_cpu);
  const double memory = effective(wish.memory_mib, static_cast<double>(usual.memory_mb),
                                  static_cast<double>(most.max_memory_mb));
  const double disk = effective(wish.disk_mib, static_cast<double>(usual.disk_mb),
                                static_cast<double>(most.max_disk_mb));
  if (cpu != usual.cpu) said["container_cpu"] = shortest(cpu);
  if (memory != static_cast<double>(usual.memory_mb)) said["container_memory"] = whole(memory);
  if (disk != static_cast<double>(usual.disk_mb)) said["container_disk"] = whole(disk);
  return said;
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
