#include "policy/guard/run/findings.h"

#include <algorithm>
#include <utility>

#include "policy/guard/listings.h"

namespace talaria::guard {

std::vector<std::string> Findings::programs_from(std::size_t first) const {
  constexpr std::size_t kEnough = 100;
  std::vector<std::string> programs;
  for (std::size_t i = first; i < commands_.size() && programs.size() < kEnough; ++i) {
    const bool port = finds_port_owner(commands_[i]);
    programs.push_back(port ? std::string(kPortOwner) : commands_[i].called());
  }
  return programs;
}

bool Findings::follow() {
  ++followed_;
  if (!is_full()) return true;
  say_too_much("it has more commands than can be followed");
  return false;
}

void Findings::say(Concern concern, const SeenCommand* about) {
  const auto same = [&](const Concern& one) { return one.key == concern.key; };
  if (std::ranges::any_of(concerns_, same)) return;
  if (about != nullptr) {
    concern.words = shown_words(*about);
    concern.directory = about->directory;
  }
  concerns_.push_back(std::move(concern));
}

void Findings::say_unclear(std::string key, std::string description, const SeenCommand* about) {
  say({RuleClass::unclear, std::move(key), std::move(description), {}}, about);
}

void Findings::say_too_much(std::string description, const SeenCommand* about) {
  say_unclear("too much to follow", std::move(description), about);
}

void Findings::say_too_deep(std::string description) {
  say_unclear("commands nested too deeply", std::move(description));
}

void Findings::note_name(std::string_view name) {
  if (!names_.contains(name)) names_.emplace(name);
}

}  // namespace talaria::guard
