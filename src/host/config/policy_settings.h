// The settings that decide what may run, who is asked, and what is logged.

#pragma once

#include <array>
#include <string_view>

#include "host/config/setting.h"

namespace talaria::host {

// An invalid value of a setting about approvals counts as the default, which asks or refuses: so a
// typing error never lets a command through, nor keeps harmless ones from running.
inline constexpr auto kPolicySettings = [] {
  using enum SettingType;
  using enum Standing;
  return std::array{
      // who is asked
      Setting("", "approvals.mode", choice, "manual",
              "who decides about dangerous commands: a person (`manual`), first a program "
              "(`smart`), or nobody (`off`: they run)",
              {.choices = "manual=true smart off=false", .forgiving = true}),
      Setting("", "approvals.timeout", time, "60",
              "seconds that a person at a terminal has to answer; no answer means no",
              {.least = 1, .forgiving = true}),
      Setting("", "approvals.gateway_timeout", time, "300",
              "seconds to answer in a chat or with `talaria approve`", {.forgiving = true}),
      Setting("", "approvals.cron_mode", choice, "deny", "dangerous commands of scheduled work",
              {.choices = "deny approve=off,allow,yes", .forgiving = true}),
      Setting("TALARIA_APPROVALS_HEADLESS", "approvals.headless", choice, "queue",
              "dangerous commands when no person can be asked at once, at a target that is not "
              "isolated: `queue` stores the question (`talaria approvals`) and the call returns "
              "`pending_approval`, `deny` refuses them, `allow` runs them. An exec of the gateway "
              "waits for its answer",
              {.choices = "queue deny allow", .forgiving = true}),
      Setting("", "approvals.queue", boolean, "false",
              "ask through the queue (`talaria approvals`) if there is no other way to ask"),
      Setting("", "approvals.wait", boolean, "true",
              "wait for an answer from the queue; false: the call returns `pending_approval`, and "
              "may be repeated once it was approved"),
      Setting("", "approvals.smart_program", path, "",
              "program that `smart` asks: JSON on its input, `{\"answer\":\"APPROVE\"}` or `DENY` "
              "on its output; for any other output a person is asked"),
      Setting("", "approvals.smart_timeout", time, "30", "time limit of `smart_program`, seconds",
              {.least = 1, .forgiving = true}),
      Setting("", "command_allowlist", list, "[]",
              "rules that need no approval at any target, in addition to those approved with "
              "`always`, which are in `talaria.db`",
              {.forgiving = true}),
      Setting("", "approvals.rules", list, "[]",
              "your own rules: `{answer: allow, argv: [make, clean]}`, also `ask` or `deny`, with "
              "`path` (a pattern) and `target`; deny overrides ask, ask overrides allow"),
      Setting(
          "", "guard.rules", choice, "talaria",
          "which rules judge a command: `talaria` (its own set) or `hermes` (exactly the set that "
          "Hermes has)",
          {.choices = "talaria hermes", .forgiving = true}),
      Setting("TIRITH_ENABLED", "security.tirith_enabled", flag, "false",
              "check every command with a program: `BIN check --json --non-interactive --shell "
              "posix -- COMMAND`; exit code 1 or 2 means ask"),
      Setting("TIRITH_BIN", "security.tirith_path", text, "tirith",
              "the program that checks commands"),
      Setting("TIRITH_TIMEOUT", "security.tirith_timeout", time, "5",
              "time limit of that program, seconds", {.least = 1, .forgiving = true}),
      Setting("TIRITH_FAIL_OPEN", "security.tirith_fail_open", flag, "false",
              "if that program fails: true runs the command, false means ask"),
      Setting("HERMES_YOLO_MODE", "", flag, "",
              "run dangerous commands without asking; forbidden commands stay forbidden. Read "
              "once, at the start"),
      Setting("HERMES_INTERACTIVE", "", flag, "", "a person is at the terminal of the agent"),
      Setting("HERMES_GATEWAY_SESSION", "", flag, "",
              "the person is in a chat: ask through the queue"),
      Setting("HERMES_EXEC_ASK", "", flag, "", "always ask, through the queue if necessary"),
      Setting("HERMES_CRON_SESSION", "", flag, "", "scheduled work: no person can be asked"),
      Setting("HERMES_SESSION_KEY", "", text, "", "default session key of calls"),
      Setting("HERMES_SESSION_PLATFORM", "", text, "",
              "the chat the session came from; implies HERMES_GATEWAY_SESSION"),
      Setting("SUDO_PASSWORD", "terminal.sudo_password", text, "",
              "password for sudo; an empty value counts as set",
              {.secret = true, .empty_counts = true}),
      // what is shown and logged
      Setting("HERMES_REDACT_SECRETS", "security.redact_secrets", flag, "true",
              "mask secrets in what a model gets. Read once, at the start"),
      Setting("TALARIA_AUDIT", "audit.enabled", flag, "true",
              "log every decision and every command below `<home>/talaria/audit`"),
      Setting("", "audit.max_mb", integer, "16", "size of one file of the audit log, MB",
              {.least = 1, .most = 1'000'000, .forgiving = true}),
      Setting("", "audit.keep", integer, "8", "number of full files of the audit log that are kept",
              {.most = 100'000, .forgiving = true}),
  };
}();

}  // namespace talaria::host
