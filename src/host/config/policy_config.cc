#include "host/config/policy_config.h"

#include "host/config.h"
#include "host/config/values.h"

namespace talaria::host {
namespace {

ApprovalMode mode_of(const std::string& word) {
  if (word == "off") return ApprovalMode::off;
  return word == "smart" ? ApprovalMode::smart : ApprovalMode::manual;
}

HeadlessMode headless_of(const std::string& word) {
  if (word == "allow") return HeadlessMode::allow;
  return word == "deny" ? HeadlessMode::deny : HeadlessMode::queue;
}

Error bad_rule(std::size_t number, const std::string& flaw) {
  return Error(ErrorKind::bad_request,
               "approvals.rules: rule " + std::to_string(number) + " " + flaw);
}

Result<CommandRule> parse_rule(const json::value& item, std::size_t number) {
  if (!item.is_object()) {
    return fail(bad_rule(number,
                         "must be a mapping, such as {answer: deny, argv: [git, push], target: "
                         "local}"));
  }
  CommandRule rule;
  for (const auto& [key, value] : item.get_object()) {
    if (key == "argv" && value.is_array()) {
      for (const json::value& word : value.get_array()) {
        if (!word.is_string()) {
          return fail(bad_rule(number, "must have strings in argv, such as [git, push]"));
        }
        rule.argv.emplace_back(word.get_string());
      }
      continue;
    }
    const bool known = key == "answer" || key == "path" || key == "target";
    if (!known && key != "argv") {
      return fail(bad_rule(number, "has the unknown key '" + std::string(key) +
                                       "'; expected answer, argv, path or target"));
    }
    if (!known) return fail(bad_rule(number, "must have a list as argv, such as [git, push]"));
    if (!value.is_string()) {
      return fail(bad_rule(number, "must have a string as " + std::string(key)));
    }
    std::string& place = key == "answer" ? rule.answer : key == "path" ? rule.path : rule.target;
    place = value.get_string();
  }
  const bool answers = rule.answer == "allow" || rule.answer == "ask" || rule.answer == "deny";
  if (!answers) return fail(bad_rule(number, "needs answer: allow, ask or deny"));
  if (rule.argv.empty() && rule.path.empty()) return fail(bad_rule(number, "needs argv or path"));
  return rule;
}

SudoConfig read_sudo(const Values& values) {
  SudoConfig config{.interactive = values.truth("HERMES_INTERACTIVE"),
                    .in_chat = values.truth("HERMES_GATEWAY_SESSION")};
  if (!values.is_default("SUDO_PASSWORD")) config.password.emplace(values.text("SUDO_PASSWORD"));
  return config;
}

}  // namespace

Result<void> read_policy(const Resolution& resolution, Config& config) {
  const Values values(resolution);
  config.approvals = {.mode = mode_of(values.text("approvals.mode")),
                      .timeout = values.seconds("approvals.timeout"),
                      .gateway_timeout = values.seconds("approvals.gateway_timeout"),
                      .cron_approves = values.text("approvals.cron_mode") == "approve",
                      .headless = headless_of(values.text("TALARIA_APPROVALS_HEADLESS")),
                      .queue = values.truth("approvals.queue"),
                      .waits = values.truth("approvals.wait"),
                      .smart_program = values.text("approvals.smart_program"),
                      .smart_timeout = values.seconds("approvals.smart_timeout"),
                      .allowlist = values.texts("command_allowlist"),
                      .hermes_rules = values.text("guard.rules") == "hermes",
                      .scanner = {.enabled = values.truth("TIRITH_ENABLED"),
                                  .program = values.text("TIRITH_BIN"),
                                  .timeout = values.seconds("TIRITH_TIMEOUT"),
                                  .fail_open = values.truth("TIRITH_FAIL_OPEN")},
                      .yolo = values.truth("HERMES_YOLO_MODE"),
                      .interactive = values.truth("HERMES_INTERACTIVE"),
                      .gateway = values.truth("HERMES_GATEWAY_SESSION") ||
                                 !values.text("HERMES_SESSION_PLATFORM").empty(),
                      .ask = values.truth("HERMES_EXEC_ASK"),
                      .cron = values.truth("HERMES_CRON_SESSION"),
                      .session_key = values.text("HERMES_SESSION_KEY"),
                      .has_sudo_password = !values.is_default("SUDO_PASSWORD")};
  config.audit = {.enabled = values.truth("TALARIA_AUDIT"),
                  .max_bytes = static_cast<std::uint64_t>(values.integer("audit.max_mb")) << 20,
                  .keep = static_cast<std::size_t>(values.integer("audit.keep"))};
  config.sudo = read_sudo(values);
  const json::value rules = values.raw("approvals.rules");
  for (const json::value& item : rules.as_array()) {
    auto rule = parse_rule(item, config.approvals.rules.size() + 1);
    if (!rule) {
      return fail(rule.error().kind(),
                  resolution.of("approvals.rules").place + ": " + rule.error().message());
    }
    config.approvals.rules.push_back(std::move(*rule));
  }
  return {};
}

}  // namespace talaria::host
