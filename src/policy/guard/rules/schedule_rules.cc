// What runs later, or whenever the system or the session starts.
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool removes_jobs(const Arguments& arguments) { return arguments.has("-r"); }

bool installs_jobs(const Arguments& arguments) {
  return !arguments.has("-l") && !arguments.has("-r");
}

constexpr Rule kScheduleRules[] = {
    {.key = "remove all scheduled jobs (crontab -r)",
     .programs = "crontab",
     .when = removes_jobs,
     .yes = {"crontab -r", "crontab -u alice -r"},
     .no = {"crontab -l"},
     .set = RuleSet::talaria},
    {.key = "change scheduled jobs",
     .programs = "crontab",
     .when = installs_jobs,
     .yes = {"crontab jobs.txt", "echo '* * * * * x' | crontab -", "crontab -e"},
     .no = {"crontab -l"},
     .set = RuleSet::talaria},
    {.key = "schedule a command for later",
     .programs = "systemd-run",
     .flags = "--on-active*|--on-calendar*|--on-boot*|--on-startup*|--on-unit*|--timer-property*",
     .yes = {"systemd-run --user --on-calendar=daily /tmp/x"},
     .no = {"systemd-run --user --scope make"},
     .set = RuleSet::talaria},
    {.key = "schedule a command for later",
     .programs = "at batch",
     .when = [](const Arguments& a) { return !a.has("-l|-c|-V"); },
     .yes = {"echo x | at now + 1 minute", "at -f job.sh 10:00"},
     .no = {"atq", "at -l", "at -c 3"},
     .set = RuleSet::talaria},
    {.key = "started with the system or the session",
     .programs = "systemctl",
     .verbs = "enable|reenable|preset|preset-all|link|add-wants|add-requires|edit|unmask|"
              "set-property|set-environment|unset-environment|import-environment|daemon-reexec|"
              "switch-root|bind|mount-image|log-level|service-watchdogs",
     .yes = {"systemctl --user enable --now agent", "systemctl enable x.service",
             "systemctl edit nginx"},
     .no = {"systemctl is-enabled x", "systemctl start x", "systemctl daemon-reload"},
     .set = RuleSet::talaria},
    {.key = "started with the system or the session",
     .programs = "loginctl",
     .verbs = "enable-linger|disable-linger|lock-sessions|activate|flush-devices",
     .yes = {"loginctl enable-linger alice"},
     .no = {"loginctl list-sessions"},
     .set = RuleSet::talaria},
    {.key = "started with the system or the session",
     .programs = "launchctl",
     .verbs = "load|bootstrap|enable|submit|setenv|config|asuser|start",
     .yes = {"launchctl load ~/Library/LaunchAgents/x.plist"},
     .no = {"launchctl list", "launchctl print system"},
     .set = RuleSet::talaria},
    {.key = "started with the system or the session",
     .programs = "update-rc.d chkconfig rc-update insserv",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) {
             return among(word.text, "defaults enable on add default");
           });
         },
     .yes = {"update-rc.d x defaults", "chkconfig x on"},
     .no = {"chkconfig --list"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> schedule_rules() { return kScheduleRules; }

}  // namespace talaria::guard
