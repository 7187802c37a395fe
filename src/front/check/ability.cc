#include "front/check/ability.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <vector>

namespace talaria::front::check {
namespace {

struct Lack {
  std::string_view transport;
  std::string_view why;
  std::vector<Ability> abilities;
};

// A runner has every ability, over a stream and over batches. Without a runner, each command is a
// new shell, and nothing supervises what it leaves behind.
const std::vector<Lack>& lacks() {
  static const std::vector<Lack> all{
      {"plain",
       "the plain transport has no runner at the target",
       {Ability::streams, Ability::files, Ability::full_output, Ability::processes,
        Ability::cursors, Ability::terminals, Ability::events, Ability::controllers,
        Ability::scripts}},
      // Their changes are merged, but the first one sent may begin last.
      {"plain",
       "the plain transport does not order commands at the target",
       {Ability::concurrency}}};
  return all;
}

}  // namespace

std::string_view ability_text(Ability ability) {
  switch (ability) {
    case Ability::commands:
      return "commands";
    case Ability::sessions:
      return "sessions";
    case Ability::input:
      return "input for a command";
    case Ability::exact_bytes:
      return "output byte for byte";
    case Ability::streams:
      return "standard error apart, and input while a command runs";
    case Ability::files:
      return "file tools";
    case Ability::full_output:
      return "complete output in a file";
    case Ability::trees:
      return "ending whole trees";
    case Ability::concurrency:
      return "commands of one session at the same time";
    case Ability::processes:
      return "background processes";
    case Ability::cursors:
      return "output of processes by position";
    case Ability::terminals:
      return "terminals";
    case Ability::events:
      return "events of processes";
    case Ability::controllers:
      return "sessions and processes that several controllers share";
    case Ability::scripts:
      return "scripts that call tools";
  }
  return "";
}

std::optional<std::string> absent_because(Ability ability, std::string_view transport) {
  for (const Lack& lack : lacks()) {
    if (lack.transport != transport) continue;
    if (std::ranges::find(lack.abilities, ability) == lack.abilities.end()) continue;
    return std::string(lack.why) + ": no " + std::string(ability_text(ability));
  }
  return std::nullopt;
}

}  // namespace talaria::front::check
