#include "host/hooks.h"

namespace talaria {
namespace {

// Somebody else's code: what it throws must not end a call that has nothing to do with it.
template <class Call>
void call_safely(Call call) {
  try {
    call();
  } catch (...) {
    return;
  }
}

}  // namespace

std::optional<std::string> transformed(const Hooks& hooks, const FinishedCommand& command) {
  std::optional<std::string> text;
  for (const auto& transform : hooks.transform_output) {
    call_safely([&] { text = transform(command); });
    if (text) break;
  }
  return text;
}

void observe(const Hooks& hooks, const ObservedCall& call) {
  for (const auto& observer : hooks.observers) call_safely([&] { observer(call); });
}

std::function<void(const std::string&)> preparing_teller(const Hooks& hooks) {
  if (!hooks.preparing) return nullptr;
  return [told = hooks.preparing](const std::string& text) { call_safely([&] { told(text); }); };
}

bool ask_sudo_password(const Hooks& hooks, const SudoRequest& request, SudoReply reply) {
  bool asked = false;
  call_safely([&] {
    hooks.ask_sudo_password(request, std::move(reply));
    asked = true;
  });
  return asked;
}

void tell_activity(const Hooks& hooks, std::chrono::seconds elapsed) {
  const std::string text =
      "terminal command running (" + std::to_string(elapsed.count()) + "s elapsed)";
  call_safely([&] { hooks.activity(text); });
}

}  // namespace talaria
