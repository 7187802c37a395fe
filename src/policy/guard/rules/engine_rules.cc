// Container engines: volumes of the host, what a build writes here, and the engine's own socket.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/run/option_commands.h"

namespace talaria::guard {
namespace {

// docker volume create -o device=/: a mount that a later command names without its source
bool makes_host_volume(const Arguments& arguments) {
  if (!arguments.begins("volume create")) return false;
  return std::ranges::any_of(
      option_values(arguments.command, 'o', "opt"), [&](const SeenWord& one) {
        constexpr std::string_view kDevice = "device=";
        if (!one.text.starts_with(kDevice)) return false;
        const std::string path = arguments.resolved({one.text.substr(kDevice.size())}).text;
        return path.starts_with(kUnknownPiece) || arguments.paths.is_home({path}) ||
               arguments.paths.is_private(path) ||
               among(path, "/ /etc /root /usr /boot /proc /sys /dev /var /home");
      });
}

// docker build -o type=local,dest=$HOME, --iidfile ~/.bashrc
bool builds_outside(const Arguments& arguments) {
  const auto outside = [&](std::string_view text) {
    const std::string path = arguments.resolved({std::string(text)}).text;
    return arguments.paths.is_foreign(path) || arguments.paths.is_home({path});
  };
  for (const std::string_view option : {"iidfile", "metadata-file", "cidfile"}) {
    for (const SeenWord& one : option_values(arguments.command, '\0', option)) {
      if (outside(one.text)) return true;
    }
  }
  for (const SeenWord& one : option_values(arguments.command, 'o', "output")) {
    for (std::string_view rest = one.text; !rest.empty();) {
      const std::string_view part = next_word(rest, ',');
      if (part.starts_with("dest=") && outside(part.substr(5))) return true;
    }
  }
  return false;
}

// curl --unix-socket /var/run/docker.sock: access to that socket is as good as root.
bool talks_to_engine(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return word.contains("docker.sock") || word.contains("podman.sock") ||
           word.contains("containerd.sock") || word.contains("crio.sock");
  });
}

constexpr Rule kEngineRules[] = {
    {.key = "container with the rights of the host",
     .programs = "docker podman nerdctl",
     .when = makes_host_volume,
     .yes = {"docker volume create -o type=none -o device=/ -o o=bind v",
             "docker volume create --opt device=$HOME v"},
     .no = {"docker volume create v", "docker volume create -o device=./data v",
            "docker volume create -o type=tmpfs -o device=tmpfs v"},
     .set = RuleSet::talaria},
    {.key = "write outside the project",
     .programs = "docker podman nerdctl buildah",
     .when = builds_outside,
     .yes = {"docker build -o type=local,dest=$HOME .", "docker build --iidfile ~/.bashrc ."},
     .no = {"docker build -o type=local,dest=out .", "docker build --iidfile build/id -t a ."},
     .set = RuleSet::talaria},
    {.key = "control of the container engine by its socket",
     .programs = "curl wget nc ncat netcat socat http https xh",
     .when = talks_to_engine,
     .yes = {"curl --unix-socket /var/run/docker.sock -X POST http://x/containers/create",
             "socat - UNIX-CONNECT:/var/run/docker.sock", "nc -U /run/podman/podman.sock"},
     .no = {"curl --unix-socket /tmp/app.sock http://x/health"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> engine_rules() { return kEngineRules; }

}  // namespace talaria::guard
