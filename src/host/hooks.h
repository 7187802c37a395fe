// Calling what an embedding program put into its Hooks (talaria/hooks.h). What a hook throws ends
// here.
#pragma once

#include <talaria/call.h>
#include <talaria/hooks.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace talaria::host {

std::optional<std::string> transformed(const Hooks& hooks, const FinishedCommand& command);
void observe(const Hooks& hooks, const ObservedCall& call);
// One that may outlive the hooks it was made of.
std::function<void(const std::string&)> preparing_hook(const Hooks& hooks);
// An error: it threw, so nobody was asked.
Result<void> ask_by_hook(const Hooks& hooks, const ApprovalRequest& request, ApprovalReply reply);
void notify_requested(const Hooks& hooks, const ApprovalRequest& request);
void notify_answered(const Hooks& hooks, const ApprovalRequest& request, std::string_view choice);
// "waiting for user approval (20s elapsed)".
void notify_waiting(const Hooks& hooks, std::chrono::seconds elapsed);
// False: it threw.
bool ask_sudo_password(const Hooks& hooks, const SudoRequest& request, SudoReply reply);
// False: it threw.
bool call_own_tool(const OwnTools& tools, const OwnToolCall& call, OwnToolReply reply);
void notify_activity(const Hooks& hooks, std::chrono::seconds elapsed);

}  // namespace talaria::host
