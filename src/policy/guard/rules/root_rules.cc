// Commands with the rights of root: all but those that are known to look only.
#include <algorithm>

#include "policy/guard/plain_commands.h"
#include "policy/guard/rules/found_files.h"
#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"
#include "policy/guard/run/inner.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/shell_call.h"
#include "policy/guard/run/wrapper.h"

namespace talaria::guard {
namespace {

constexpr std::string_view kLookers =
    "ls ll cat zcat bzcat xzcat head tail less more grep egrep fgrep zgrep rg ag stat file du df "
    "ncdu lsblk blkid lsof ss netstat ps pstree pgrep top htop btop iotop iftop nethogs free "
    "vmstat "
    "iostat mpstat sar uptime who w last lastb lastlog id whoami groups true false test [ echo "
    "printf date uname arch nproc lscpu lsmod modinfo lspci lsusb lshw lsscsi lsns dmidecode inxi "
    "findmnt env printenv which whereis type wc sort uniq cut tr awk column diff cmp md5sum "
    "sha1sum "
    "sha256sum sha512sum b2sum readlink realpath tree basename dirname getent getfacl getcap "
    "lsattr "
    "apt-cache apt-config dpkg-query journalctl coredumpctl "
    "systemd-analyze systemd-cgls systemd-cgtop sensors nvidia-smi ping ping6 traceroute mtr dig "
    "host nslookup whois arp nmap fuser pmap perf bpftrace slabtop ausearch aureport "
    "jq yq xxd hexdump strings objdump readelf nm ldd cd pwd sleep time exit wait "
    "docker podman nerdctl docker-compose kubectl crictl ctr microk8s k3s helm psql mysql "
    "redis-cli "
    "su sudo -l -v -k -K -V";

// Of those that do both: the sub-commands or options with which they only look.
struct Looker {
  std::string_view programs;
  std::string_view verbs;         // one of them as the first operand; "": none needed
  std::string_view options = {};  // or one of them; "": none needed
};
constexpr Looker kPartly[] = {
    {"systemctl",
     "status show cat list-units list-unit-files list-timers list-sockets list-dependencies "
     "list-jobs is-active is-enabled is-failed is-system-running get-default start reload "
     "daemon-reload help"},
    {"service rc-service", "", "--status-all"},
    {"apt apt-get aptitude", "update list show search policy depends rdepends changelog download",
     "-s|--simulate|--dry-run|--just-print"},
    {"dnf yum zypper microdnf",
     "list info search check-update makecache repolist provides repoquery lr se if refresh ref"},
    {"apk", "update list info search"},
    {"pacman", "", "-Q|-Qi|-Ql|-Qs|-Ss|-Si|-Qe|-Qdt|-Sy"},
    {"dpkg", "", "-l|-L|-s|-S|--list|--status|--get-selections|--audit|-C"},
    {"rpm", "", "-q|-qa|-qi|-ql|-V"},
    {"snap flatpak", "list info find search version"},
    {"ip", "", ""},
    {"iptables ip6tables", "", "-L|-S|--list|--list-rules|-nL|-nvL"},
    {"nft", "list"},
    {"ufw", "status show app"},
    {"firewall-cmd", "", "--list-all|--list*|--state|--get*|--query*"},
    {"crontab", "", "-l"},
    {"fdisk sfdisk parted gdisk", "", "-l|--list|-p"},
    {"nginx", "", "-t|-T|-v|-V"},
    {"apachectl apache2ctl httpd", "configtest status", "-t|-S|-M|-V"},
    {"sshd", "", "-t|-T"},
    {"visudo", "", "-c"},
    {"sysctl", "", "-a|-n|--all"},
    {"smartctl hdparm nvme", "list", "-a|-i|-I|-H|-x|--all"},
    {"hostnamectl timedatectl localectl loginctl resolvectl networkctl machinectl",
     "status show list list-timezones list-sessions list-users list-locales query"},
    {"dmesg", "", ""},
    {"ethtool", "", ""},
    {"netplan", "get status"},
    {"certbot", "certificates"},
    {"fail2ban-client", "status"},
    {"mount umount", "", "-l"},
    {"make gmake", "test check all build help", "-n|--dry-run"},
    {"lvs vgs pvs lvdisplay vgdisplay pvdisplay", "", ""},
    {"zpool zfs", "list status get history"},
    {"mdadm", "", "--detail|-D|--examine|-E"},
    {"btrfs", "filesystem", ""},
    {"supervisorctl pm2", "status list ls logs tail"},
    {"virsh", "list dominfo net-list"},
};

bool looks_partly(const Looker& looker, const Arguments& arguments) {
  if (!looker.verbs.empty() && among(arguments.verb(0), looker.verbs)) return true;
  if (!looker.options.empty() && arguments.has(looker.options)) return true;
  if (arguments.command.program == "service") return arguments.verb(1) == "status";
  // ip addr, dmesg | tail, hostnamectl, sysctl vm.swappiness
  const auto changes = [](const SeenWord& word) {
    return verb_kind(word.text) == VerbKind::changes || word.text.contains('=') ||
           among(word.text, "up down");
  };
  if (among(arguments.command.program, "ip ethtool sysctl lvs vgs pvs")) {
    return !arguments.any_operand(changes) && !arguments.has("-w|-p|-s|-A|-K");
  }
  if (arguments.command.program == "dmesg") return !arguments.has("-C|-c|--clear|-D|-E|-n");
  return arguments.operands().empty() &&
         !among(arguments.command.program, "make gmake nginx crontab visudo iptables");
}

bool only_looks(const Arguments& arguments) {
  const std::string& program = arguments.command.program;
  if (!arguments.command.is_by_name()) return false;
  if (program == "find") return !arguments.has("-delete|-exec|-execdir|-ok|-okdir|-fprint*|-fls");
  if (among(program, "sed gsed")) return !arguments.has("-i|-i*|--in-place*");
  if (arguments.has("--version|--help")) return true;
  if (among(program, kLookers)) return true;
  const auto* const found = std::ranges::find_if(
      kPartly, [&](const Looker& one) { return among(program, one.programs); });
  return found != std::end(kPartly) && looks_partly(*found, arguments);
}

// The command behind sudo, and behind what that runs it by: sudo -E env A=b nice make
std::vector<SeenWord> command_of_root(const SeenCommand& command) {
  std::vector<SeenWord> words = command.words;
  constexpr int kMost = 6;
  for (int i = 0; i < kMost && !words.empty(); ++i) {
    const Wrapper* const wrapper = find_wrapper(base_name(words.front().text));
    if (wrapper == nullptr || !is_by_name(words.front().text)) break;
    const std::size_t at = std::min(wrapped_at(*wrapper, views_of(words)), words.size());
    if (at == 0 || (at == words.size() && i > 0)) break;  // npm install, strace -p 1
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return words;
}

// sudo sh -c 'ls /root | wc -l'. What its commands write or show is judged by other rules.
bool only_looks_in_text(std::string_view text, const PathKinds& paths) {
  const auto commands = plain_commands(text);
  return commands && std::ranges::all_of(*commands, [&](const PlainCommand& command) {
           if (command.words.empty()) return false;
           SeenCommand one{.program = std::string(base_name(command.words.front()))};
           for (const std::string& word : command.words) one.words.push_back({word});
           return only_looks(Arguments(one, paths));
         });
}

// su, su -, su - root
bool opens_shell_of_root(const Arguments& su) {
  return option_values(su.command, 'c', "command").empty() &&
         std::ranges::all_of(su.operands(),
                             [](const SeenWord* word) { return among(word->text, "- root"); });
}

bool changes_as_root(const Arguments& arguments) {
  const auto users = option_values(arguments.command, 'u', "user");
  const bool other = std::ranges::any_of(
      users, [](const SeenWord& word) { return word.known() && !among(word.text, "root #0 0"); });
  if (other) return false;
  SeenCommand inner{.words = command_of_root(arguments.command)};
  if (inner.words.empty()) return arguments.has("-i|--login");  // a shell
  if (!inner.words.front().known()) return false;
  inner.program = base_name(inner.words.front().text);
  const Arguments what(inner, arguments.paths);
  const bool text = is_shell(inner.program) && what.has("-c") && has_operand(what) &&
                    what.operands().front()->known();
  if (text) return !only_looks_in_text(what.operands().front()->text, arguments.paths);
  if (inner.program == "su") return opens_shell_of_root(what);
  return !only_looks(what);
}

// su -c 'text': as root, unless a user is named
bool changes_by_su(const Arguments& arguments) {
  const auto texts = option_values(arguments.command, 'c', "command");
  if (texts.empty()) return false;
  return !arguments.any_operand([&](const SeenWord& word) {
    return word.known() && !among(word.text, "- root") && word.text != texts.front().text;
  });
}

constexpr auto kRootRules = only_ours(std::to_array<Rule>({
    {.key = "command with the rights of root",
     .programs = "sudo doas pkexec run0",
     .when = changes_as_root,
     .why = "runs with the rights of root, and may change the system",
     .yes = {"sudo make install", "sudo sh -c 'make install'", "sudo ./install.sh", "sudo su -",
             "sudo -i", "sudo /tmp/w"},
     .no = {"sudo ls -la", "sudo sh -c 'ls /root | wc -l'", "sudo su - postgres",
            "sudo apt-get update", "sudo -u postgres psql -c 'select 1'", "sudo -n true"}},
    {.key = "command with the rights of root",
     .programs = "su",
     .when = changes_by_su,
     .why = "runs with the rights of root, and may change the system",
     .yes = {"su -c 'make install'", "su - root -c 'x y'", "su -c ./install.sh"},
     .no = {"su postgres -c 'psql -l'", "su - postgres -c 'psql -l'"}},
    {.key = "command with the rights of root",
     .programs = "sudoedit",
     .when = has_operand,
     .yes = {"sudoedit /etc/hosts"},
     .no = {"sudoedit --help"}},
}));

}  // namespace

std::span<const Rule> root_rules() { return kRootRules; }

}  // namespace talaria::guard
