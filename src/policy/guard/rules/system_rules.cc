// The system itself: users, packages, kernel, firewall, boot.
#include <algorithm>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/verbs.h"

namespace talaria::guard {
namespace {

bool changes_password(const Arguments& arguments) { return !arguments.has("-S|--status|--help"); }

bool sets_values(const Arguments& arguments) {
  return arguments.has("-w|--write|-p|--load|--system") ||
         arguments.any_operand([](const SeenWord& word) { return word.text.contains('='); });
}

bool flushes_firewall(const Arguments& arguments) {
  return arguments.has("-F|-X|-P|-D|--flush|--delete-chain|--policy|--delete|-Z");
}

bool flushes_nft(const Arguments& arguments) {
  return among(arguments.verb(0), "flush delete destroy") || arguments.has("-f|--file");
}

bool removes_packages(const Arguments& arguments) {
  return !arguments.has("-s|--dry-run|--simulate|--just-print");
}

bool pacman_removes(const Arguments& arguments) {
  return arguments.any_word(
      [](std::string_view word) { return word.starts_with("-R") || word == "--remove"; });
}

bool dpkg_removes(const Arguments& arguments) {
  return arguments.has("-r|-P|--remove|--purge|--force-all|--force-remove-essential");
}

bool rpm_removes(const Arguments& arguments) { return arguments.has("-e|--erase"); }

bool clears_history(const Arguments& arguments) { return arguments.has("-c|-w"); }

bool relabels(const Arguments& arguments) { return arguments.verb(0) == "0"; }

bool takes_interface_down(const Arguments& arguments) {
  const auto& words = arguments.operands();
  const bool down =
      std::ranges::any_of(words, [](const SeenWord* word) { return word->text == "down"; });
  const bool removes = arguments.operands().size() > 1 &&
                       among(arguments.verb(0), "route r link l address addr a rule netns neigh") &&
                       among(arguments.verb(1), "del delete flush");
  return down || removes;
}

constexpr auto kSystemRules =
    only_ours(std::
                  to_array<Rule>({
                      {.key = "delete of a user or group",
                       .programs = "userdel groupdel deluser delgroup",
                       .when = has_operand,
                       .yes = {"sudo userdel -r alice", "groupdel devs"},
                       .no = {"id alice", "useradd --help"}},
                      {.key = "change of users, groups or passwords",
                       .programs =
                           "usermod groupmod chage vipw vigr gpasswd adduser useradd chsh chfn",
                       .when = has_operand,
                       .yes = {"usermod -aG sudo alice", "useradd eve", "chsh -s /bin/zsh alice"},
                       .no = {"groups alice", "usermod --help"}},
                      {.key = "change of users, groups or passwords",
                       .programs = "passwd chpasswd visudo",
                       .when = changes_password,
                       .yes = {"passwd root", "echo root:x | chpasswd", "visudo", "passwd -d root"},
                       .no = {"passwd -S", "getent passwd"}},
                      {.key = "change of kernel settings (sysctl)",
                       .programs = "sysctl",
                       .when = sets_values,
                       .yes = {"sysctl -w vm.swappiness=10", "sudo sysctl net.ipv4.ip_forward=1"},
                       .no = {"sysctl -a", "sysctl vm.swappiness"}},
                      {.key = "kernel module load/unload",
                       .programs = "modprobe insmod rmmod kmod kexec",
                       .when =
                           [](const Arguments& a) {
                             return !a.operands().empty() || a.has("-e|-l|-r");
                           },
                       .yes = {"modprobe -r nvidia", "rmmod kvm", "insmod x.ko"},
                       .no = {"lsmod", "modprobe --version"}},
                      {.key = "firewall rules removed",
                       .programs = "iptables ip6tables ebtables arptables ipset",
                       .when = flushes_firewall,
                       .yes = {"iptables -F", "iptables -P INPUT ACCEPT", "sudo ip6tables --flush"},
                       .no = {"iptables -L -n", "iptables -S"}},
                      {.key = "firewall rules removed",
                       .programs = "iptables-restore ip6tables-restore",
                       .when = [](const Arguments& a) { return !a.has("-t|--test|-n|--noflush"); },
                       .yes = {"iptables-restore < rules.v4"},
                       .no = {"iptables-restore --test < rules.v4", "iptables-save"}},
                      {.key = "firewall rules removed",
                       .programs = "nft",
                       .when = flushes_nft,
                       .yes = {"nft flush ruleset"},
                       .no = {"nft list ruleset"}},
                      {.key = "firewall rules removed",
                       .programs = "ufw",
                       .verbs = "disable|reset|delete|default|allow",
                       .yes = {"ufw disable", "sudo ufw --force reset"},
                       .no = {"ufw status"}},
                      {.key = "firewall rules removed",
                       .programs = "firewall-cmd pfctl",
                       .flags =
                           "--remove*|--panic-on|--panic-off|-d|-F|--complete-reload|--delete*",
                       .yes = {"firewall-cmd --remove-port=22/tcp", "pfctl -d"},
                       .no = {"firewall-cmd --list-all"}},
                      {.key = "security policy switched off",
                       .programs = "setenforce aa-teardown aa-disable aa-complain csrutil spctl",
                       .when =
                           [](const Arguments& a) {
                             return relabels(a) || a.command.program.starts_with("aa-") ||
                                    a.verb(0) == "disable" || a.verb(0) == "Permissive" ||
                                    a.has("--master-disable");
                           },
                       .yes = {"setenforce 0", "csrutil disable", "spctl --master-disable"},
                       .no = {"getenforce", "csrutil status"}},
                      {.key = "network interface or route taken away",
                       .programs = "ip ifconfig ifdown",
                       .when =
                           [](const Arguments& a) {
                             return a.command.program == "ifdown" || takes_interface_down(a);
                           },
                       .yes = {"ip link set eth0 down", "ip route flush table main",
                               "ifconfig eth0 down"},
                       .no = {"ip addr", "ip route show", "ifconfig"}},
                      {.key = "network interface or route taken away",
                       .programs = "nmcli",
                       .when =
                           [](const Arguments& a) {
                             return a.any_operand([](const SeenWord& word) {
                               return among(word.text, "down off delete disconnect");
                             });
                           },
                       .yes = {"nmcli networking off", "nmcli con delete x"},
                       .no = {"nmcli dev status"}},
                      {.key = "removal of packages",
                       .programs = "apt apt-get aptitude dnf yum zypper microdnf tdnf pkg "
                                   "pkg_delete xbps-remove eopkg",
                       .verbs = "remove|purge|autoremove|erase|autopurge|dist-upgrade|full-upgrade|"
                                "rm|delete",
                       .when = removes_packages,
                       .yes = {"sudo apt remove -y nginx", "apt-get purge libc6", "dnf remove x",
                               "apt autoremove -y"},
                       .no = {"apt install -y curl", "apt-get update", "apt list --installed",
                              "apt-get -s remove x"}},
                      {.key = "removal of packages",
                       .programs = "pacman yay paru",
                       .when = pacman_removes,
                       .yes = {"pacman -Rns x"},
                       .no = {"pacman -Syu", "pacman -S x"}},
                      {.key = "removal of packages",
                       .programs = "dpkg",
                       .when = dpkg_removes,
                       .yes = {"dpkg --purge x", "dpkg -r x"},
                       .no = {"dpkg -l", "dpkg -i x.deb"}},
                      {.key = "removal of packages",
                       .programs = "rpm",
                       .when = rpm_removes,
                       .yes = {"rpm -e x"},
                       .no = {"rpm -qa"}},
                      {.key = "removal of packages",
                       .programs = "brew port snap flatpak apk nix-env emerge choco winget scoop",
                       .verbs = "uninstall|remove|del|rm|autoremove|unmerge|zap",
                       .yes = {"brew uninstall node", "snap remove x", "apk del x"},
                       .no = {"brew install jq", "snap list"}},
                      {.key = "release upgrade of the system",
                       .programs = "do-release-upgrade update-grub grub-install grub-mkconfig "
                                   "efibootmgr update-initramfs "
                                   "dracut bootctl mkinitcpio fwupdmgr flashrom",
                       .when =
                           [](const Arguments& a) {
                             return !a.has("--help|--version|-c") &&
                                    !(among(a.command.program, "efibootmgr bootctl fwupdmgr") &&
                                      (a.command.words.size() == 1 || a.has("-v") ||
                                       among(a.verb(0), "status list get-devices get-updates")));
                           },
                       .yes = {"do-release-upgrade", "grub-install /dev/sda", "efibootmgr -b 0 -B"},
                       .no = {"efibootmgr", "bootctl status"}},
                      {.key = "rights given to a program (setcap)",
                       .programs = "setcap",
                       .when = has_operand,
                       .yes = {"setcap cap_setuid+ep /usr/bin/x",
                               "sudo setcap cap_net_bind_service=+ep ./app"},
                       .no = {"getcap -r /usr/bin", "setcap -h"}},
                      {.key = "service taken out of the start of the system",
                       .programs = "update-rc.d chkconfig rc-update",
                       .when =
                           [](const Arguments& a) {
                             return a.any_operand([](const SeenWord& word) {
                               return among(word.text, "remove disable off del delete");
                             });
                           },
                       .yes = {"update-rc.d ssh remove", "chkconfig sshd off",
                               "rc-update del sshd"},
                       .no = {"chkconfig --list", "rc-update show"}},
                      {.key = "property that makes a service run a command",
                       .programs = "systemd-run systemctl",
                       .when =
                           [](const Arguments& a) {
                             return a.any_word([](std::string_view word) {
                               word = word.substr(word.starts_with("--property=") ? 11
                                                  : word.starts_with("-p")        ? 2
                                                                                  : 0);
                               return word.starts_with("Exec") && word.contains('=') &&
                                      !word.starts_with("ExecMain");
                             });
                           },
                       .yes = {"systemd-run -p ExecStartPre='rm x' ls",
                               "systemd-run --property=ExecStopPost=x ls"},
                       .no = {"systemd-run -p MemoryMax=1G ls",
                              "systemctl show -p ExecStart nginx"}},
                      {.key = "shell history cleared",
                       .programs = "history",
                       .when = clears_history,
                       .yes = {"history -c"},
                       .no = {"history", "history 10"}},
                      {.key = "system logs removed",
                       .programs = "journalctl",
                       .flags = "--vacuum*|--rotate|--flush",
                       .yes = {"journalctl --vacuum-time=1s"},
                       .no = {"journalctl -u nginx"}},
                      {.key = "macOS settings deleted",
                       .programs = "defaults",
                       .verbs = "delete|delete-all",
                       .yes = {"defaults delete com.apple.dock"},
                       .no = {"defaults read com.apple.dock"}},
                      {.key = "macOS settings deleted",
                       .programs = "dscl tmutil nvram pmset",
                       .when =
                           [](const Arguments& a) {
                             return a.any_word([](std::string_view word) {
                               return among(word,
                                            "-delete delete disable deletelocalsnapshots -c "
                                            "shutdownnow sleepnow");
                             });
                           },
                       .yes = {"dscl . -delete /Users/alice", "tmutil disable"},
                       .no = {"tmutil listbackups"}},
                      {.key = "keys deleted",
                       .programs = "gpg gpg2",
                       .flags = "--delete-keys|--delete-key|--delete-secret-keys|--delete-secret-"
                                "key|--delete-secret-"
                                "and-public-key",
                       .yes = {"gpg --delete-secret-keys ABC"},
                       .no = {"gpg --list-keys"}},
                      {.key = "backups deleted",
                       .programs = "timeshift",
                       .flags = "--delete*",
                       .yes = {"timeshift --delete-all", "timeshift --delete --snapshot x"},
                       .no = {"timeshift --list", "timeshift --create"}},
                      {.key = "backups deleted",
                       .programs = "restic borg borgmatic duplicity tarsnap timeshift snapper "
                                   "rustic kopia duplicacy",
                       .verbs =
                           "forget|prune|delete|remove-all-but-n-full|cleanup|snapshot|policy|wipe",
                       .when =
                           [](const Arguments& a) {
                             return !among(a.verb(0), "snapshot policy") ||
                                    among(a.verb(1), "delete expire remove");
                           },
                       .yes = {"restic forget --prune --keep-last 1", "borg delete repo::a",
                               "kopia snapshot delete x"},
                       .no = {"restic snapshots", "borg list repo", "kopia snapshot create x"}},
                      {.key = "backups deleted",
                       .programs = "wal-g wal-e pgbackrest barman pg_probackup zfs-auto-snapshot "
                                   "btrbk sanoid pyznap rdiff-backup",
                       .when =
                           [](const Arguments& a) {
                             return a.has("--remove-older-than|--prune-snapshots") ||
                                    (!only_rehearses(a) &&
                                     among(a.verb(0),
                                           "delete expire stanza-delete clean prune destroy "
                                           "delete-everything remove"));
                           },
                       .yes = {"wal-g delete everything FORCE", "pgbackrest --stanza=a expire",
                               "barman delete main oldest"},
                       .no = {"wal-g backup-list", "pgbackrest info", "barman check main"}},
                      {.key = "network of the system changed",
                       .programs =
                           "netplan nmtui wg-quick wg tc brctl ovs-vsctl resolvectl route ifup "
                           "iwconfig iw "
                           "dhclient bridge vconfig ethtool openvpn networkctl networksetup scutil",
                       .when =
                           [](const Arguments& a) {
                             return a.any_operand([](const SeenWord& word) {
                               return verb_kind(word.text) == VerbKind::changes ||
                                      among(word.text,
                                            "up down apply try add-br del-br dns "
                                            "flush-caches") ||
                                      word.text.starts_with("add");
                             }) || among(a.command.program, "ifup dhclient openvpn") ||
                                    a.has("-s|-K|-set*|--set");
                           },
                       .yes = {"netplan apply", "tc qdisc add dev eth0 root netem loss 50%",
                               "route del default", "wg-quick down wg0"},
                       .no = {"netplan get", "tc qdisc show", "route -n", "wg show",
                              "resolvectl status"}},
                      {.key = "network of the system changed",
                       .programs = "ip nmcli",
                       .when =
                           [](const Arguments& a) {
                             return a.any_operand([](const SeenWord& word) {
                               return among(
                                   word.text,
                                   "add replace change append set modify mod up connect edit clone "
                                   "import reapply");
                             }) && !among(a.verb(0), "netns");
                           },
                       .yes = {"ip addr add 10.0.0.1/8 dev eth0",
                               "nmcli con modify x ipv4.dns 8.8.8.8"},
                       .no = {"ip addr", "ip route show", "nmcli dev status", "ip -brief addr"}},
                      {.key = "firewall rules removed",
                       .programs = "iptables ip6tables nft ufw firewall-cmd ebtables",
                       .when =
                           [](const Arguments& a) {
                             return a.has(
                                        "-A|-I|-R|-N|--append|--insert|--replace|--add*|--set*|--"
                                        "reload|--permanent|"
                                        "--change*|--direct") ||
                                    among(
                                        a.verb(0),
                                        "add insert replace deny limit reject enable allow route");
                           },
                       .yes = {"iptables -A INPUT -j DROP", "ufw deny 22",
                               "firewall-cmd --add-port=1-65535/tcp", "nft add rule x"},
                       .no = {"iptables -L", "ufw status", "nft list ruleset",
                              "firewall-cmd --list-all"}},
                      {.key = "name, time or language of the system changed",
                       .programs = "hostnamectl timedatectl localectl date hwclock ntpdate chronyc "
                                   "hostname domainname "
                                   "setxkbmap loadkeys locale-gen rdate",
                       .when =
                           [](const Arguments& a) {
                             const std::string& program = a.command.program;
                             if (program == "date") return a.has("-s|--set");
                             if (program == "hwclock")
                               return a.has("-w|-s|--systohc|--hctosys|--set");
                             if (program == "hostname") return has_operand(a);
                             if (among(program, "ntpdate rdate locale-gen loadkeys setxkbmap")) {
                               return has_operand(a) && !a.has("-q|-query|-print");
                             }
                             return verb_kind(a.verb(0)) == VerbKind::changes ||
                                    a.verb(0) == "makestep" ||
                                    (a.verb(0) == "hostname" && a.operands().size() > 1);
                           },
                       .yes = {"hostnamectl set-hostname x", "timedatectl set-time '2020-01-01'",
                               "date -s 10:00", "hostname evil"},
                       .no = {"hostnamectl", "timedatectl status", "date -u", "hostname",
                              "hostname -I"}},
                      {.key = "system logs removed",
                       .programs =
                           "dmesg logrotate auditctl augenrules wevtutil utmpdump lastlog faillog",
                       .flags = "-C|-c|--clear|-f|--force|-e|-D|--load|-r",
                       .yes = {"dmesg -C", "logrotate -f /etc/logrotate.conf", "auditctl -e 0",
                               "auditctl -D"},
                       .no = {"dmesg -T", "logrotate -d x", "auditctl -l", "dmesg"}},
                      {.key = "shell history cleared",
                       .programs = "export unset declare set",
                       .when =
                           [](const Arguments& a) {
                             return a.any_word([](std::string_view word) {
                               return among(word,
                                            "HISTFILE HISTSIZE=0 HISTFILESIZE=0 HISTFILE=/dev/null "
                                            "HISTFILE= "
                                            "SAVEHIST=0");
                             });
                           },
                       .yes = {"unset HISTFILE", "export HISTFILE=/dev/null", "export HISTSIZE=0"},
                       .no = {"export HISTSIZE=10000", "export HISTCONTROL=ignoredups",
                              "unset FOO"}},
                      {.key = "mail, printing or sharing of the system changed",
                       .programs = "postsuper postqueue cancel lpadmin exportfs smbpasswd pdbedit "
                                   "smbcontrol lprm exim "
                                   "cupsdisable newaliases",
                       .when =
                           [](const Arguments& a) {
                             return a.has("-d|-x|-a|-u|-f|-r|-Mrm") || has_operand(a);
                           },
                       .yes = {"postsuper -d ALL", "cancel -a", "exportfs -ua"},
                       .no = {"postqueue -p", "lpstat -a"}},
                      {.key = "quota, accounts or rights of the system changed",
                       .programs = "edquota setquota quotaoff pam-auth-update authconfig "
                                   "authselect realm adcli kadmin "
                                   "kadmin.local ipa samba-tool ldapdelete ldapmodify ldapadd "
                                   "ldappasswd faillock "
                                   "pwconv pwunconv grpconv newusers lchage luserdel visudo",
                       .when =
                           [](const Arguments& a) {
                             return !a.has("--help|--version|-c|--check|-s") &&
                                    !among(a.verb(0),
                                           "list current show check "
                                           "discover");
                           },
                       .yes = {"ldapdelete cn=x", "setquota -u alice 0 0 0 0 /", "realm leave"},
                       .no = {"authselect current", "realm list"}},
                      {.key = "trash or backups of the person emptied",
                       .programs =
                           "ktrash ktrash5 ktrash6 trash trash-rm rmtrash kioclient kioclient5",
                       .when =
                           [](const Arguments& a) {
                             return a.has("--empty") || a.command.program == "trash-rm" ||
                                    a.verb(0) == "empty" || a.verb(1) == "trash:/";
                           },
                       .yes = {"ktrash6 --empty", "trash-rm '*.txt'"},
                       .no = {"trash x.txt", "ktrash6 --help"}},
                  }));

}  // namespace

std::span<const Rule> system_rules() { return kSystemRules; }

}  // namespace talaria::guard
