#include "policy/approval/refusals.h"

namespace talaria::policy {
namespace {

const std::string kDoNot =
    " The user has NOT consented. Do NOT retry this command, do NOT rephrase it, and do NOT try to "
    "reach the same outcome with a different command.";

}  // namespace

std::string refused_for_good(const std::string& description) {
  return "BLOCKED (hardline): " + description +
         ". Such a command never runs on this target: no setting, mode or approval allows it." +
         kDoNot;
}

std::string refused_sudo_stdin(const std::string& description) {
  return "BLOCKED: " + description +
         ". A command cannot pass a password to sudo. The user can set SUDO_PASSWORD in Talaria's "
         "configuration; sudo without -S then uses it." +
         kDoNot;
}

std::string refused_by_rule(const std::string& description) {
  return "BLOCKED: " + description + ". A rule in the configuration forbids it." + kDoNot;
}

std::string refused_in_cron(const std::string& description) {
  return "BLOCKED: " + description +
         ". No person can approve it in scheduled work. The operator can allow such commands with "
         "approvals.cron_mode: approve in config.yaml." +
         kDoNot;
}

std::string refused_headless(const std::string& description, const std::string& target) {
  return "BLOCKED: " + description + ". No person can be asked for approval here, and target '" +
         target + "' is not isolated." + kDoNot +
         " The setting approvals.headless: deny (TALARIA_APPROVALS_HEADLESS) refuses such "
         "commands. "
         "The operator of Talaria can run it in a terminal, where Talaria asks, or at an isolated "
         "target (TERMINAL_ENV=docker). With approvals.headless: queue, it waits for `talaria "
         "approve`. With approvals.headless: allow, all dangerous commands run where no person can "
         "be asked.";
}

std::string refused_by_user(const std::string& description) {
  return "BLOCKED: " + description + ". It was denied by user." + kDoNot;
}

std::string quoted_words(const std::string& words) {
  return words.empty() ? "" : " They wrote: " + words;
}

std::string refused_by_silence(const std::string& description) {
  return "BLOCKED: " + description + ". The request timed out without user response." + kDoNot +
         " Silence is not consent.";
}

std::string refused_by_program(const std::string& description) {
  return "BLOCKED by smart approval: " + description + ". It was judged too dangerous." + kDoNot;
}

std::string refused_unanswered(const std::string& description) {
  return "BLOCKED: " + description +
         ". The program that runs Talaria was asked to approve it and dropped the question without "
         "an answer (an error in its Hooks::ask). No person has denied it, and none has approved "
         "it." +
         kDoNot;
}

std::string refused_unasked() {
  return "BLOCKED: Failed to send approval request to user. Do NOT retry." + kDoNot;
}

std::string waits_for_approval(const std::string& description, const std::string& command) {
  return "⚠️ " + description + ". Asking the user for approval.\n```\n" + command + "\n```";
}

}  // namespace talaria::policy
