#include "policy/approval/refusals.h"

namespace talaria::policy {
namespace {

const std::string kDoNot =
    " The user has NOT consented. Do NOT retry this command, do NOT rephrase it, and do NOT try to "
    "reach the same outcome with a different command.";

}  // namespace

std::string refused_for_good(const std::string& description) {
  return "BLOCKED (hardline): " + description +
         ". Such a command is never run on this target, whatever anybody says: no setting, mode or "
         "approval allows it." +
         kDoNot;
}

std::string refused_sudo_stdin(const std::string& description) {
  return "BLOCKED: " + description +
         ". A password for sudo comes from the user, never from a command: SUDO_PASSWORD in "
         "Talaria's configuration has it, and sudo without -S then finds it." +
         kDoNot;
}

std::string refused_by_rule(const std::string& description) {
  return "BLOCKED: " + description + ". A rule of the configuration forbids it." + kDoNot;
}

std::string refused_in_cron(const std::string& description) {
  return "BLOCKED: " + description +
         ". Scheduled work has nobody to ask. Its owner can allow such commands with "
         "approvals.cron_mode: approve in config.yaml." +
         kDoNot;
}

std::string refused_headless(const std::string& description, const std::string& target) {
  return "BLOCKED: " + description + ". Nobody can be asked here, and target '" + target +
         "' is not isolated." + kDoNot +
         " The operator of Talaria can allow it: from a terminal, where Talaria asks; with "
         "approvals.queue: true in config.yaml and `talaria approve`; at an isolated target "
         "(TERMINAL_ENV=docker); or, for all dangerous commands that nobody can be asked about, "
         "with approvals.headless: allow (TALARIA_APPROVALS_HEADLESS=allow).";
}

std::string refused_by_user(const std::string& description) {
  return "BLOCKED: " + description + ". It was denied by user." + kDoNot;
}

std::string refused_by_silence(const std::string& description) {
  return "BLOCKED: " + description + ". The request timed out without user response." + kDoNot +
         " Silence is not consent.";
}

std::string refused_by_program(const std::string& description) {
  return "BLOCKED by smart approval: " + description + ". It was judged too dangerous." + kDoNot;
}

std::string refused_unasked() {
  return "BLOCKED: Failed to send approval request to user. Do NOT retry." + kDoNot;
}

std::string waits_for_approval(const std::string& description, const std::string& command) {
  return "⚠️ " + description + ". Asking the user for approval.\n```\n" + command + "\n```";
}

}  // namespace talaria::policy
