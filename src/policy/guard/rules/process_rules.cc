// Stopping services and processes, those of Hermes among them.
#include <algorithm>

#include "policy/guard/listings.h"
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

bool run_by_list(const SeenCommand& command) {
  return among("xargs", command.run_by) || among("parallel", command.run_by);
}

bool kills_what_pgrep_finds(const Arguments& arguments) {
  const auto listed = [](const SeenWord& word) { return word.listed; };
  const bool by_list = run_by_list(arguments.command);  // which is a rule of its own
  return (!by_list && arguments.any_operand(listed)) ||
         std::ranges::any_of(arguments.command.substituted, [](const std::string& program) {
           return among(program, "pgrep pidof ps lsof fuser ss netstat jps");
         });
}
bool by_dollar(const Arguments& a) { return kills_what_pgrep_finds(a) && !a.command.backquotes; }
bool by_backquotes(const Arguments& a) { return kills_what_pgrep_finds(a) && a.command.backquotes; }

// Where the number comes from a search, and not from the shell's own jobs.
bool from_xargs(const Arguments& arguments) {
  return run_by_list(arguments.command) && arguments.command.words.size() > 1 &&
         !arguments.command.by_port;
}

// fuser -k of anything but 3000/tcp and its like
bool kills_more_than_port(const Arguments& arguments) {
  return arguments.operands().empty() || arguments.any_operand([](const SeenWord& word) {
    const std::string_view text = word.text;
    const std::size_t slash = text.find('/');
    return slash == text.npos || !among(text.substr(slash + 1), "tcp udp") ||
           !is_own_port(text.substr(0, slash));
  });
}

// Jobs of a scheduler that are chosen by what they are, or that another command has listed.
bool ends_jobs(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  // of these only one sub-command ends jobs
  if (among(command.program, "flux pueue ray") &&
      !among(arguments.verb(0), "cancel cancelall kill reset stop job")) {
    return false;
  }
  if (among(command.program, "yarn mapred") && !arguments.has("-kill|-killJob")) return false;
  if (command.program == "tsp" && !arguments.has("-K|-C")) return false;
  if (arguments.has("-u|--user*|-p|--partition*|-A|--account*|-t|--state*|-n|--name*|-q|-all|-a|"
                    "--all|-constraint|--me|-J|-K|-C")) {
    return true;
  }
  const bool submitted = std::ranges::all_of(command.substituted, [](const std::string& program) {
    return among(program, "sbatch qsub bsub condor_submit");
  });
  return arguments.any_operand([&](const SeenWord& word) {
    const bool user = command.program == "condor_rm" && !word.text.contains('.') &&
                      word.text.find_first_of("0123456789") != 0;
    return user || among(word.text, "all 0 - cancelall reset") ||
           (!word.known() && (word.listed || !submitted || !command.once || run_by_list(command)));
  });
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

bool service_stops(const Arguments& arguments) {
  return arguments.operands().size() > 1 && among(arguments.verb(1), "stop restart disable");
}

bool init_script_stops(const Arguments& arguments) {
  return arguments.command.word(0).starts_with("/etc/init.d/") &&
         among(arguments.verb(0), "stop restart force-reload");
}

// Servers and runners that a developer starts by hand, many times a day.
constexpr std::string_view kDevelopmentServers =
    "vite webpack next nuxt uvicorn gunicorn hypercorn flask nodemon ts-node tsx jest vitest "
    "pytest "
    "storybook parcel esbuild rollup tsc gatsby astro hugo jekyll mkdocs jupyter puma sidekiq "
    "webpack-dev-server react-scripts ng playwright cypress http.server manage.py runserver "
    "livereload browser-sync serve json-server air watchexec entr";

// A signal that a program only takes note of.
bool only_notifies(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    std::string_view word = command.word(i);
    if (among(word, "-s --signal")) word = command.word(i + 1);
    if (word.starts_with("--signal=")) word.remove_prefix(9);
    if (word.starts_with('-')) word.remove_prefix(1);
    if (word.starts_with("SIG")) word.remove_prefix(3);
    if (among(word, "HUP USR1 USR2 0 CONT WINCH hup usr1 usr2")) return true;
  }
  return false;
}

// `pkill -f` of one certain command line is precise; a name alone meets whatever has it.
bool is_precise(std::string_view pattern) {
  while (pattern.starts_with('[') || pattern.starts_with('^')) pattern.remove_prefix(1);
  if (among(pattern, kDevelopmentServers)) return true;
  const bool several = pattern.contains(' ') || pattern.contains('/') || pattern.contains(':');
  const std::size_t dot = pattern.find_last_of('.');
  const bool file = dot != std::string_view::npos && dot > 0 && dot + 1 < pattern.size() &&
                    pattern.find_first_of("*[") == std::string_view::npos;
  return pattern.size() >= 5 && (several || file);
}

bool kills_broadly(const Arguments& arguments) {
  if (arguments.has("-l|--list|-V|--version|--help|-c") || only_notifies(arguments)) return false;
  const bool full = arguments.command.program == "pkill" && arguments.has("-f|--full");
  return arguments.any_operand(
      [&](const SeenWord& word) { return !full || !is_precise(word.text); });
}

bool kills_unknown_in_loop(const Arguments& arguments) {
  if (arguments.command.once) return false;
  const auto& from = arguments.command.substituted;
  return std::ranges::find(from, "basename") != from.end() ||
         arguments.any_operand([](const SeenWord& word) {
           return word.text.contains("[0-9]") || word.text.contains('*');
         });
}

// nginx -s stop, apachectl -k stop, pg_ctl stop
bool stops_daemon(const Arguments& arguments) {
  const bool restarts = among(arguments.command.program,
                              "apachectl apache2ctl httpd pg_ctl "
                              "pg_ctlcluster");
  return arguments.any_word([&](std::string_view word) {
    return among(word, "stop quit graceful-stop shutdown halt stop_app abort promote") ||
           (restarts && among(word, "restart graceful"));
  });
}

// ssh host reboot; in a container that ends no machine
bool ends_another_machine(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  if (!command.elsewhere || arguments.has("-c|--help")) return false;
  for (std::string_view by = command.run_by; !by.empty();) {
    if (among(next_word(by), "docker podman nerdctl docker-compose kubectl oc lxc incus talaria")) {
      return false;
    }
  }
  if (among(command.program, "init telinit")) return among(arguments.verb(0), "0 6");
  return command.program != "systemctl" ||
         among(arguments.verb(0), "poweroff reboot halt kexec soft-reboot");
}

bool switches_power(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return among(word,
                 "off cycle reset soft shutdown poweroff stop reboot "
                 "powerdown suspend acpipowerbutton savestate hardreset fsd shutdown.return "
                 "rollback snapshot-delete snapshot-revert vol-delete "
                 "pool-destroy pool-delete net-destroy migrate resize delsnapshot") ||
           word.ends_with(".power") || word.ends_with("-shutdown") || word.ends_with("-reboot");
  });
}

constexpr Rule kProcessRules[] = {
    {.key = "stop/restart system service",
     .programs = "systemctl service",
     .when =
         [](const Arguments& a) {
           return among("ssh", a.command.run_by) &&
                  a.any_operand([](const SeenWord& word) { return word.text == "reload"; });
         },
     .why = "changes a service of another machine",
     .yes = {"ssh root@h systemctl reload nginx", "ssh h sudo service nginx reload"},
     .no = {"systemctl reload nginx", "ssh h systemctl status nginx"},
     .set = RuleSet::talaria},
    {.key = "stop/restart system service",
     .when = init_script_stops,
     .yes = {"sudo /etc/init.d/networking stop"},
     .no = {"/etc/init.d/nginx status"}},
    {.key = "stop/restart system service",
     .programs = "systemctl",
     .verbs =
         "stop|restart|disable|mask|kill|isolate|try-restart|reload-or-restart|set-default|revert|"
         "rescue|emergency|default|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|exit|"
         "clean|freeze|thaw|cancel",
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
     .no = {"launchctl list"},
     .set = RuleSet::talaria},
    {.key = "kill all processes of a user or session",
     .programs = "scancel qdel bkill condor_rm oardel llcancel canceljob atrm flux "
                 "pueue tsp yarn mapred ray",
     .when = ends_jobs,
     .why = "ends jobs that nobody has named one by one",
     .yes = {"scancel --user=alice", "squeue -h -o %i | xargs scancel", "qdel $(qselect -u me)",
             "bkill 0", "condor_rm -all", "flux cancel --all"},
     .no = {"scancel 12345", "qdel 17", "condor_rm 4.0", "flux cancel f2Ab", "yarn install",
            "j=$(sbatch --parsable x); scancel $j"},
     .set = RuleSet::talaria},
    {.key = "force kill processes",
     .programs = "pkill",
     .when = pkill_forces,
     .yes = {"pkill -9 firefox", "pkill -KILL -f x", "pkill --signal KILL x"},
     .no = {"pkill firefox"}},
    {.key = "force kill processes that cannot be told",
     .programs = "kill",
     .when = group_is_unknown,
     .yes = {"declare -i n=2/2; kill -9 -$n", "kill -9 -$((${#x}))", "kill -KILL -- -$(cat g)"},
     .no = {"kill -9 -1234", "kill -9 $PID", "kill -TERM -$PGID"},
     .set = RuleSet::talaria},
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
     .no = {"echo killall5"},
     .set = RuleSet::talaria},
    {.key = "kill all processes of a user or session",
     .programs = "pkill killall loginctl",
     .when =
         [](const Arguments& a) {
           if (a.command.program == "loginctl")
             return among(a.verb(0), "kill-user kill-session terminate-user terminate-session");
           return a.has("-u|-U|--user|--euid|--uid") && a.operands().empty();
         },
     .yes = {"pkill -u alice", "killall -u alice", "loginctl terminate-user alice"},
     .no = {"pkill -u alice firefox", "loginctl list-sessions"},
     .set = RuleSet::talaria},
    {.key = "kill hermes/gateway process (self-termination)",
     .programs = "pkill killall",
     .when = names_hermes,
     .yes = {"pkill -f 'cli.py --gateway'", "killall hermes"},
     .no = {"pkill -f nginx"}},
    {.key = "kill process via pgrep expansion (self-termination)",
     .programs = "kill",
     .when = by_dollar,
     .yes = {"kill -9 $(pgrep -f x)", "kill $( pgrep x )", "kill $(pidof x)",
             "kill -9 $(ps aux | awk '/x/ {print $2}')", "p=$(pgrep x); kill $p"},
     .no = {"kill $(cat pidfile)", "kill $(lsof -ti :3000)", "kill -9 $(lsof -t -i tcp:8080)"}},
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
     .no = {"kill 12", "kill %1"},
     .set = RuleSet::talaria},
    {.key = "kill process via xargs",
     .programs = "kill",
     .when = from_xargs,
     .yes = {"pgrep -f x | xargs kill -9", "lsof -t -u me | xargs kill"},
     .no = {"kill 12", "lsof -ti :3000 | xargs -r kill -9"},
     .set = RuleSet::talaria},
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
    {.key = "kill processes by a broad name",
     .programs = "pkill killall",
     .when = kills_broadly,
     .yes = {"pkill python", "killall node", "pkill -f python", "pkill -x java", "killall firefox"},
     .no = {"pkill -f 'vite --port 5173'", "killall -s HUP nginx", "pkill -f server.js",
            "killall -l", "pkill -f vite", "pkill --help"},
     .set = RuleSet::talaria},
    {.key = "kill processes that use a file or port",
     .programs = "fuser",
     .flags = "-k|--kill",
     .when = kills_more_than_port,
     .yes = {"fuser -k 80/tcp", "fuser -km /home", "fuser -k -n tcp 22", "fuser -k 5432/tcp"},
     .no = {"fuser 8080/tcp", "fuser -v /home", "fuser -k 8080/tcp", "fuser -k 3000/tcp 3001/tcp"},
     .set = RuleSet::talaria},
    {.key = "kill processes that use a file or port",
     .programs = "kill-port fkill killport npkill",
     .when =
         [](const Arguments& a) {
           return a.any_operand([](const SeenWord& word) {
             const std::string_view text = word.text;
             return !is_own_port(text.starts_with(':') ? text.substr(1) : text);
           });
         },
     .yes = {"npx kill-port 80", "npx fkill node"},
     .no = {"npx kill-port --help", "npx kill-port 3000", "npx fkill :8080"},
     .set = RuleSet::talaria},
    {.key = "kill every process found in /proc",
     .programs = "kill",
     .when = kills_unknown_in_loop,
     .yes = {"for p in /proc/[0-9]*; do kill -STOP \"${p#/proc/}\"; done",
             "for p in /proc/[0-9]*; do kill -9 $(basename $p); done"},
     .no = {"kill -9 $PID", "kill $(jobs -p)", "kill %1"},
     .set = RuleSet::talaria},
    {.key = "stop/restart system service (other managers)",
     .programs = "sv runsvctrl s6-svc s6-rc initctl svcadm brew monit svc nssm sc dinitctl openrc",
     .verbs =
         "down|stop|restart|exit|force-stop|force-restart|disable|services|reload|shutdown|kill|"
         "force-shutdown|once|unmonitor|delete",
     .when =
         [](const Arguments& a) {
           return a.verb(0) != "services" || among(a.verb(1), "stop restart kill cleanup");
         },
     .yes = {"sv down cron", "brew services stop postgresql", "initctl stop x", "monit stop all"},
     .no = {"sv status cron", "brew services list", "brew list"},
     .set = RuleSet::talaria},
    {.key = "stop/restart system service (other managers)",
     .programs = "nginx apachectl apache2ctl httpd lighttpd php-fpm squid unbound-control "
                 "rndc postfix exim caddy traefik pg_ctl pg_ctlcluster mysqladmin rabbitmqctl "
                 "redis-cli mongod named asterisk uwsgi varnishadm",
     .when = stops_daemon,
     .yes = {"nginx -s stop", "apachectl -k graceful-stop", "pg_ctl stop -D x", "nginx -s quit",
             "caddy stop", "rndc stop"},
     .no = {"nginx -t", "apachectl configtest", "pg_ctl status", "caddy run", "redis-cli ping"},
     .set = RuleSet::talaria},
    {.key = "machine switched off from outside",
     .programs =
         "ipmitool ipmi-power racadm wakeonlan apcctrl upscmd powerman virsh VBoxManage vboxmanage "
         "vmrun qm pct xl xe prlctl etherwake amttool pdu govc esxcli redfishtool upsmon",
     .when = switches_power,
     .yes = {"ipmitool -H h chassis power off", "virsh shutdown vm1",
             "VBoxManage controlvm x poweroff", "qm stop 100"},
     .no = {"ipmitool -H h sdr list", "virsh list --all", "qm list",
            "ipmitool chassis power status"},
     .set = RuleSet::talaria},
    {.key = "machine switched off from outside",
     .programs = "shutdown reboot halt poweroff init telinit systemctl",
     .when = ends_another_machine,
     .yes = {"ssh host reboot", "ssh host sudo systemctl poweroff",
             "pssh -h hosts 'sudo shutdown -h now'"},
     .no = {"ssh host systemctl status x", "ssh host uptime", "docker exec c reboot",
            "ssh host shutdown -c"},
     .set = RuleSet::talaria},
    {.key = "machine switched off from outside",
     .programs = "rtcwake pm-suspend pm-hibernate zzz acpitool s2ram s2disk telinit "
                 "init kexec",
     .when =
         [](const Arguments& a) {
           return !a.has("--help|--version|--dry-run|-n|--list-modes") &&
                  (!among(a.command.program, "telinit init kexec") ||
                   among(a.verb(0), "0 1 6 s S single") || a.has("-e|-l"));
         },
     .yes = {"rtcwake -m mem -s 3600", "telinit 1", "pm-suspend", "init 1"},
     .no = {"rtcwake --list-modes", "telinit 3", "init 3"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> process_rules() { return kProcessRules; }

}  // namespace talaria::guard
