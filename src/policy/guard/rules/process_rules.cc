// Stopping services and processes, those of Hermes among them.
#include <algorithm>

#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool is_kill(std::string_view signal) { return among(signal, "9 KILL SIGKILL kill sigkill"); }

bool forces(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return word.starts_with('-') &&
           (is_kill(word.substr(1)) || word.starts_with("-9") || word == "--signal=KILL" ||
            word == "--signal=9" || word == "--signal=SIGKILL");
  });
}

bool signal_option_kills(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    if (among(command.word(i), "-s --signal") && is_kill(command.word(i + 1))) return true;
  }
  return false;
}

bool pkill_forces(const Arguments& arguments) {
  return forces(arguments) || signal_option_kills(arguments);
}

// In a number that is not written out.
constexpr std::string_view kNoNumber("/*%+()\0", 7);

// kill -9 -$group: with 1 it is everybody.
bool group_is_unknown(const Arguments& arguments) {
  return pkill_forces(arguments) && arguments.any_word([](std::string_view word) {
    return word.starts_with('-') && word.find_first_of(kNoNumber, 1) != std::string_view::npos;
  });
}

bool mentions_hermes(std::string_view text) {
  static constexpr std::string_view kNames[] = {"hermes", "gateway", "cli.py"};
  return std::ranges::any_of(kNames, [&](std::string_view name) {
    const std::size_t at = text.find(name);
    if (at == std::string_view::npos) return false;
    const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
    const std::size_t end = at + name.size();
    return (at == 0 || !is_word(static_cast<unsigned char>(text[at - 1]))) &&
           (end == text.size() || !is_word(static_cast<unsigned char>(text[end])));
  });
}

bool names_hermes(const Arguments& arguments) { return arguments.any_word(mentions_hermes); }

bool kills_what_pgrep_finds(const Arguments& arguments) {
  return std::ranges::any_of(arguments.command.substituted, [](const std::string& program) {
    return among(program, "pgrep pidof ps");
  });
}
bool by_dollar(const Arguments& a) { return kills_what_pgrep_finds(a) && !a.command.backquotes; }
bool by_backquotes(const Arguments& a) { return kills_what_pgrep_finds(a) && a.command.backquotes; }

bool from_xargs(const Arguments& arguments) {
  return among("xargs", arguments.command.run_by) && arguments.command.words.size() > 1;
}

bool runs_gateway_apart(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  bool runs = false;
  for (std::size_t i = 0; i + 1 < command.words.size(); ++i) {
    runs = runs || (command.word(i) == "gateway" && command.word(i + 1) == "run");
  }
  return runs && (command.background || among("nohup", command.run_by) ||
                  among("setsid", command.run_by) || among(command.program, "nohup setsid"));
}

bool removes_jobs(const Arguments& arguments) { return arguments.has("-r"); }

bool installs_jobs(const Arguments& arguments) {
  return !arguments.has("-l") && !arguments.has("-r");
}

bool service_stops(const Arguments& arguments) {
  return arguments.operands().size() > 1 && among(arguments.verb(1), "stop restart disable");
}

bool init_script_stops(const Arguments& arguments) {
  return arguments.command.word(0).starts_with("/etc/init.d/") &&
         among(arguments.verb(0), "stop restart force-reload");
}

constexpr Rule kProcessRules[] = {
    {.key = "stop/restart system service",
     .when = init_script_stops,
     .yes = {"sudo /etc/init.d/nginx stop"},
     .no = {"/etc/init.d/nginx status"}},
    {.key = "stop/restart system service",
     .programs = "systemctl",
     .verbs =
         "stop|restart|disable|mask|kill|isolate|try-restart|reload-or-restart|set-default|revert|"
         "rescue|emergency|default|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit",
     .yes = {"systemctl stop nginx", "systemctl --user restart hermes-gateway",
             "systemctl -q mask x", "systemctl isolate rescue.target", "systemctl emergency"},
     .no = {"systemctl status nginx", "systemctl start nginx", "systemctl reload x"}},
    {.key = "stop/restart system service",
     .programs = "systemctl",
     .verbs = "start",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) {
             return among(word.text,
                          "rescue.target emergency.target suspend.target hibernate.target "
                          "sleep.target exit.target shutdown.target umount.target");
           });
         },
     .yes = {"systemctl start rescue.target"},
     .no = {"systemctl start nginx", "systemctl start multi-user.target"}},
    {.key = "stop/restart system service",
     .programs = "service rc-service",
     .when = service_stops,
     .yes = {"sudo service nginx stop", "service mysql restart"},
     .no = {"service nginx status"}},
    {.key = "stop/restart system service",
     .programs = "pm2 supervisorctl",
     .verbs = "delete|kill|stop|shutdown|remove|del",
     .yes = {"pm2 delete all", "supervisorctl stop all", "pm2 kill"},
     .no = {"pm2 list", "pm2 restart api", "supervisorctl status"}},
    {.key = "stop/restart system service (launchctl)",
     .programs = "launchctl",
     .verbs = "unload|bootout|remove|disable|stop|kill|kickstart|reboot",
     .yes = {"launchctl unload x.plist", "launchctl bootout system/x"},
     .no = {"launchctl list"}},
    {.key = "force kill processes",
     .programs = "pkill",
     .when = pkill_forces,
     .yes = {"pkill -9 firefox", "pkill -KILL -f x", "pkill --signal KILL x"},
     .no = {"pkill firefox"}},
    {.key = "force kill processes that cannot be told",
     .programs = "kill",
     .when = group_is_unknown,
     .yes = {"declare -i n=2/2; kill -9 -$n", "kill -9 -$((${#x}))", "kill -KILL -- -$(cat g)"},
     .no = {"kill -9 -1234", "kill -9 $PID", "kill -TERM -$PGID"}},
    {.key = "force kill processes (killall -KILL)",
     .programs = "killall",
     .when = forces,
     .yes = {"killall -9 x", "killall -q -KILL x", "killall -SIGKILL x"},
     .no = {"killall x", "killall -l", "killall -V"}},
    {.key = "force kill processes (killall -s KILL)",
     .programs = "killall",
     .when = signal_option_kills,
     .yes = {"killall -s KILL x", "killall -s 9 x"},
     .no = {"killall -s HUP nginx"}},
    {.key = "kill processes by regex (killall -r)",
     .programs = "killall",
     .flags = "-r|--regexp",
     .yes = {"killall -r 'fire.*'"},
     .no = {"killall firefox"}},
    {.key = "kill all processes of a user or session",
     .programs = "killall5 skill slay",
     .yes = {"killall5 -9"},
     .no = {"echo killall5"}},
    {.key = "kill all processes of a user or session",
     .programs = "pkill killall loginctl",
     .when =
         [](const Arguments& a) {
           if (a.command.program == "loginctl")
             return among(a.verb(0), "kill-user kill-session terminate-user terminate-session");
           return a.has("-u|-U|--user|--euid|--uid") && a.operands().empty();
         },
     .yes = {"pkill -u alice", "killall -u alice", "loginctl terminate-user alice"},
     .no = {"pkill -u alice firefox", "loginctl list-sessions"}},
    {.key = "kill hermes/gateway process (self-termination)",
     .programs = "pkill killall",
     .when = names_hermes,
     .yes = {"pkill -f 'cli.py --gateway'", "killall hermes"},
     .no = {"pkill -f nginx"}},
    {.key = "kill process via pgrep expansion (self-termination)",
     .programs = "kill",
     .when = by_dollar,
     .yes = {"kill -9 $(pgrep -f x)", "kill $( pgrep x )", "kill $(pidof x)",
             "kill -9 $(ps aux | awk '/x/ {print $2}')"},
     .no = {"kill $(cat pidfile)"}},
    {.key = "kill process via backtick pgrep expansion (self-termination)",
     .programs = "kill",
     .when = by_backquotes,
     .yes = {"kill `pgrep x`"},
     .no = {"kill `cat p`"}},
    {.key = "kill the first process",
     .programs = "kill",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) { return word.text == "1"; });
         },
     .yes = {"sudo kill -9 1"},
     .no = {"kill 12", "kill %1"}},
    {.key = "kill process via xargs",
     .programs = "kill",
     .when = from_xargs,
     .yes = {"pgrep -f x | xargs kill -9"},
     .no = {"kill 12"}},
    {.key = "stop/restart hermes gateway (kills running agents)",
     .programs = "hermes",
     .verbs = "gateway stop|restart",
     .yes = {"hermes gateway restart", "hermes --profile x gateway stop"},
     .no = {"hermes gateway start"}},
    {.key = "hermes update (restarts gateway, kills running agents)",
     .programs = "hermes",
     .verbs = "update",
     .yes = {"hermes update"},
     .no = {"hermes updater"}},
    {.key = "start gateway outside systemd (use 'systemctl --user restart hermes-gateway')",
     .when = runs_gateway_apart,
     .yes = {"python -m hermes_cli.main gateway run --replace &", "hermes gateway run & disown",
             "nohup hermes gateway run"},
     .no = {"hermes gateway run --replace"}},
    {.key = "remove all scheduled jobs (crontab -r)",
     .programs = "crontab",
     .when = removes_jobs,
     .yes = {"crontab -r", "crontab -u alice -r"},
     .no = {"crontab -l"}},
    {.key = "change scheduled jobs",
     .programs = "crontab",
     .when = installs_jobs,
     .yes = {"crontab jobs.txt", "echo '* * * * * x' | crontab -", "crontab -e"},
     .no = {"crontab -l"}},
    {.key = "schedule a command for later",
     .programs = "at batch",
     .when = [](const Arguments& a) { return !a.has("-l|-c|-V"); },
     .yes = {"echo x | at now + 1 minute", "at -f job.sh 10:00"},
     .no = {"atq", "at -l", "at -c 3"}},
};

}  // namespace

std::span<const Rule> process_rules() { return kProcessRules; }

}  // namespace talaria::guard
