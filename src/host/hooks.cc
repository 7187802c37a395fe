#include "host/hooks.h"

#include <exception>

namespace talaria {
namespace {

// Somebody else's code: what it throws must not end a call that has nothing to do with it.
template <class Call>
void call_safely(Call call) {
  try {
    call();
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

std::optional<std::string> Hooks::transformed(const FinishedCommand& command) const {
  std::optional<std::string> text;
  for (const auto& transform : transform_output) {
    call_safely([&] { text = transform(command); });
    if (text) break;
  }
  return text;
}

void Hooks::observe(const ObservedCall& call) const {
  for (const auto& observer : observers) call_safely([&] { observer(call); });
}

void Hooks::tell_activity(std::chrono::seconds elapsed) const {
  const std::string text =
      "terminal command running (" + std::to_string(elapsed.count()) + "s elapsed)";
  call_safely([&] { activity(text); });
}

}  // namespace talaria
