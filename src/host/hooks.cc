#include "host/hooks.h"

#include <utility>

namespace talaria::host {
namespace {

// Somebody else's code: what it throws must not end a call that has nothing to do with it. False if
// it threw.
template <class Call>
bool call_safely(Call call) {
  try {
    call();
    return true;
  } catch (...) {
    return false;
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

std::function<void(const std::string&)> preparing_hook(const Hooks& hooks) {
  if (!hooks.preparing) return nullptr;
  return [hook = hooks.preparing](const std::string& text) { call_safely([&] { hook(text); }); };
}

Result<void> ask_by_hook(const Hooks& hooks, const ApprovalRequest& request, ApprovalReply reply) {
  if (call_safely([&] { hooks.ask(request, std::move(reply)); })) return {};
  return fail(ErrorKind::unavailable, "the program that was to ask failed");
}

void notify_requested(const Hooks& hooks, const ApprovalRequest& request) {
  for (const auto& hook : hooks.approval_requested) call_safely([&] { hook(request); });
}

void notify_answered(const Hooks& hooks, const ApprovalRequest& request, std::string_view choice) {
  for (const auto& hook : hooks.approval_answered) call_safely([&] { hook(request, choice); });
}

void notify_waiting(const Hooks& hooks, std::chrono::seconds elapsed) {
  if (!hooks.activity) return;
  const std::string text =
      "waiting for user approval (" + std::to_string(elapsed.count()) + "s elapsed)";
  call_safely([&] { hooks.activity(text); });
}

bool ask_sudo_password(const Hooks& hooks, const SudoRequest& request, SudoReply reply) {
  return call_safely([&] { hooks.ask_sudo_password(request, std::move(reply)); });
}

bool call_own_tool(const OwnTools& tools, const OwnToolCall& call, OwnToolReply reply) {
  return call_safely([&] { tools.call(call, std::move(reply)); });
}

void notify_activity(const Hooks& hooks, std::chrono::seconds elapsed) {
  const std::string text =
      "terminal command running (" + std::to_string(elapsed.count()) + "s elapsed)";
  call_safely([&] { hooks.activity(text); });
}

}  // namespace talaria::host
