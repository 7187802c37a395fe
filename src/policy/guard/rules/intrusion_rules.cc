// The person at the machine: watching them, typing for them, letting others in, using it all up.
#include <algorithm>
#include <charconv>

#include "policy/guard/rules/rule.h"
#include "policy/guard/rules/sending.h"
#include "policy/guard/run/option_commands.h"
#include "policy/guard/run/tmux_commands.h"

namespace talaria::guard {
namespace {

// ffmpeg -f x11grab, -i /dev/video0
bool records(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return among(word,
                 "x11grab avfoundation v4l2 alsa pulse kmsgrab gdigrab dshow fbdev xcbgrab "
                 "pipewire jack video4linux2") ||
           word.starts_with("/dev/video") || word.starts_with("v4l2:") || word.starts_with("tv://");
  });
}

bool opens_reverse_tunnel(const Arguments& arguments) {
  return !option_values(arguments.command, 'R', "").empty() ||
         arguments.any_word([](std::string_view word) {
           return word.starts_with("RemoteForward") || word.contains("RemoteForward=");
         });
}

// 500G, 2T: more than a task needs
bool is_huge(std::string_view size) {
  unsigned long number = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
  if (error != std::errc{} || end == size.data() + size.size()) return false;
  const char unit = *end;
  return (unit == 'G' && number >= 50) || (unit == 'T' && number >= 1) || unit == 'P';
}

bool allocates_too_much(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    if (word.starts_with("--length=")) word.remove_prefix(9);
    if (word.starts_with("--size=")) word.remove_prefix(7);
    if (word.starts_with("-l") || word.starts_with("-s") || word.starts_with("-c")) {
      word.remove_prefix(2);
    }
    return is_huge(word);
  });
}

// dd bs=1G count=1000, or less again and again
bool copies_too_much(const Arguments& arguments) {
  unsigned long long block = 512;
  unsigned long long count = 0;
  for (const SeenWord& word : arguments.command.words) {
    std::string_view text = word.text;
    const bool size = text.starts_with("bs=");
    if (!size && !text.starts_with("count=")) continue;
    text.remove_prefix(size ? 3 : 6);
    unsigned long long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{}) return false;
    const char unit = end < text.data() + text.size() ? *end : ' ';
    const int shift = unit == 'k' || unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    (size ? block : count) = number << shift;
  }
  constexpr unsigned long long kMost = 50ULL << 30;
  constexpr unsigned long long kMostRepeated = 1ULL << 30;
  const unsigned long long most = arguments.command.once ? kMost : kMostRepeated;
  return count > most / std::max(block, 1ULL);
}

bool writes_file(const Arguments& arguments) {
  return arguments.writes_to([](std::string_view path) { return !path.starts_with("/dev/"); });
}

bool reads_endless(const Arguments& arguments) {
  return writes_file(arguments) && arguments.any_operand([](const SeenWord& word) {
    return among(word.text, "/dev/zero /dev/urandom /dev/random");
  });
}

bool runs_without_end(const Arguments& arguments) {
  return writes_file(arguments) || arguments.command.background;
}

// Whoever reaches these can run what they like.
bool runs_code_for_others(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    word = word.substr(std::min(word.find('=') + 1, word.size()));
    return word.starts_with("0.0.0.0") || word == "*" || word == "::";
  });
}

bool mines(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) { return word.contains("stratum+"); });
}

bool ends_session(const Arguments& arguments) {
  return arguments.any_word([](std::string_view word) {
    return among(word,
                 "logout --logout --power-off --reboot --force --no-prompt quit exit kill "
                 "org.kde.ksmserver org.gnome.SessionManager");
  });
}

// Into one that the same call does not make.
bool types_into_pane(const Arguments& arguments) {
  bool made = false;
  for (const TmuxCommand& one : tmux_commands(arguments.command)) {
    made = made || among(one.name, "new-session new-window split-window");
    if (one.types() && (!made || !one.value('t').empty())) return true;
  }
  return false;
}

constexpr auto kIntrusionRules = only_ours(std::to_array<Rule>({
    {.key = "screen, keyboard, camera or microphone recorded",
     .programs = "ffmpeg ffplay mplayer mencoder gst-launch-1.0 vlc cvlc",
     .when = records,
     .yes = {"ffmpeg -f x11grab -i :0 x.mkv", "ffmpeg -f v4l2 -i /dev/video0 x.mkv"},
     .no = {"ffmpeg -i a.mov b.mp4", "ffmpeg -f lavfi -i testsrc x.mp4"}},
    {.key = "screen, keyboard, camera or microphone recorded",
     .programs = "scrot gnome-screenshot maim flameshot grim spectacle screencapture xwd shutter "
                 "arecord parecord pw-record rec fswebcam streamer logkeys showkey evtest xspy "
                 "keylogger wf-recorder peek simplescreenrecorder imagesnap",
     .yes = {"scrot x.png", "arecord -d 60 x.wav", "fswebcam x.jpg"},
     .no = {"aplay x.wav", "identify x.png"}},
    {.key = "screen, keyboard, camera or microphone recorded",
     .programs = "xinput",
     .verbs = "test|test-xi2|disable|--disable",
     .yes = {"xinput test-xi2 --root"},
     .no = {"xinput list"}},
    {.key = "screen, keyboard, camera or microphone recorded",
     .programs = "xinput import",
     .flags = "-window|test-xi2",
     .yes = {"import -window root x.png"},
     .no = {"xinput list"}},
    {.key = "traffic or memory of other programs recorded",
     .programs = "tcpdump tshark wireshark dumpcap ettercap bettercap mitmproxy mitmdump dsniff "
                 "arpspoof gcore procdump memdump sslstrip responder",
     .when = [](const Arguments& a) { return !a.has("-r|--help|--version|-D"); },
     .yes = {"tcpdump -i any -w x.pcap", "gcore 1234"},
     .no = {"tcpdump -r x.pcap", "tshark -r x.pcap"}},
    {.key = "traffic or memory of other programs recorded",
     .programs = "strace ltrace",
     .flags = "-p|--attach*",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return word.contains("read") || word.contains("write") || word.contains("recv") ||
                    word.contains("send");
           });
         },
     .why = "shows what another program reads or writes",
     .yes = {"strace -f -e trace=read -p $(pgrep -n sshd)", "strace -p 12 -e trace=write -s 9999"},
     .no = {"strace -p 1234", "strace -e trace=read ./app", "strace -f -e trace=file -p 1234"}},
    {.key = "keys typed into a window of the person",
     .programs = "xdotool ydotool wtype dotool cliclick",
     .yes = {"xdotool type 'rm -rf x'", "wtype hello"},
     .no = {"xprop", "wmctrl -l"}},
    {.key = "this machine opened to others",
     .programs = "ngrok localtunnel lt bore frpc chisel ttyd gotty wetty tmate sshuttle zrok "
                 "localxpose expose pagekite x11vnc vncserver x0vncserver anydesk "
                 "teamviewer rustdesk devtunnel sharetty upterm",
     .when =
         [](const Arguments& a) {
           return !a.has("--help|--version") && a.command.words.size() > 1 &&
                  !among(a.verb(0), "version help list update");
         },
     .yes = {"ngrok http 3000", "ttyd -W bash"},
     .no = {"ngrok version", "ngrok --help"}},
    {.key = "this machine opened to others",
     .programs =
         "sshd dropbear vsftpd smbd telnetd in.telnetd dockerd nfsd tgtd proftpd pure-ftpd git",
     .when =
         [](const Arguments& a) {
           if (a.command.program == "git") return a.verb(0) == "daemon";
           return !a.has("-t|-T|--version|--help|-V|--validate");
         },
     .yes = {"sshd -p 2222", "git daemon --export-all", "dropbear -p 2222"},
     .no = {"sshd -t", "git status"}},
    {.key = "this machine opened to others",
     .programs = "cloudflared tailscale code zerotier-cli netbird",
     .verbs = "tunnel|funnel|serve|join|up|set",
     .when =
         [](const Arguments& a) { return !among(a.verb(1), "list info status user kill help"); },
     .yes = {"cloudflared tunnel --url ssh://localhost:22", "tailscale funnel 80", "code tunnel"},
     .no = {"cloudflared tunnel list", "tailscale status", "code ."}},
    {.key = "this machine opened to others",
     .programs = "ssh autossh",
     .when = opens_reverse_tunnel,
     .yes = {"ssh -R 2222:localhost:22 h", "ssh -fNR 2222:localhost:22 t@h.example"},
     .no = {"ssh -L 8080:localhost:80 h", "ssh h ls"}},
    {.key = "this machine opened to others",
     .programs = "xhost",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) { return word.starts_with('+'); });
         },
     .yes = {"xhost +"},
     .no = {"xhost", "xhost -"}},
    {.key = "this machine opened to others",
     .programs = "kubectl oc k",
     .verbs = "proxy|port-forward",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) { return word.ends_with("0.0.0.0"); });
         },
     .yes = {"kubectl port-forward --address 0.0.0.0 svc/db 5432"},
     .no = {"kubectl port-forward svc/db 5432:5432"}},
    {.key = "this machine opened to others",
     .programs = "jupyter jupyter-lab jupyter-notebook jupyter-server code-server "
                 "openvscode-server marimo",
     .when = runs_code_for_others,
     .why = "runs what anybody in the network sends to it",
     .yes = {"jupyter lab --ip=0.0.0.0 --no-browser", "jupyter notebook --ip '*'",
             "code-server --bind-addr 0.0.0.0:8080"},
     .no = {"jupyter lab --no-browser", "jupyter lab --ip=127.0.0.1"},
     .elsewhere = false},
    {.key = "access given on another machine",
     .programs = "ssh-copy-id",
     .when = has_operand,
     .yes = {"ssh-copy-id -i k.pub h"},
     .no = {"ssh-copy-id -h"}},
    {.key = "keys of the person changed",
     .programs = "ssh-keygen",
     .when =
         [](const Arguments& a) {
           if (a.has("-R|-l|-F|-y|-e|-B|-L|-H")) return false;
           const auto files = option_values(a.command, 'f', "");
           const bool persons = std::ranges::any_of(
               files, [&](const SeenWord& word) { return a.paths.is_ssh(a.resolved(word).text); });
           return persons || a.has("-p|-c");
         },
     .yes = {"ssh-keygen -f ~/.ssh/id_ed25519 -N '' -t ed25519", "ssh-keygen -p -f ~/.ssh/id_rsa"},
     .no = {"ssh-keygen -l -f ~/.ssh/id_rsa", "ssh-keygen -t ed25519 -f key -N ''",
            "ssh-keygen -y -f ~/.ssh/id_rsa", "ssh-keygen -R host"}},
    {.key = "keys of the person changed",
     .programs = "ssh-add",
     .flags = "-D|-d|-x|-X",
     .yes = {"ssh-add -D"},
     .no = {"ssh-add -l", "ssh-add ~/.ssh/id_rsa"}},
    {.key = "keys of the person changed",
     .programs = "gpg gpg2 pass gopass keepassxc-cli secret-tool bw op lpass certutil keytool",
     .flags = "--import|--edit-key|--gen-revoke|--import-ownertrust|--trusted-key|-delete|-import*",
     .when =
         [](const Arguments& a) {
           return !a.any_word([](std::string_view word) {
             return among(word, "--dry-run -n show-only --import-options=show-only");
           });
         },
     .yes = {"gpg --import x.asc", "keytool -importcert -file x"},
     .no = {"gpg --verify x.sig", "keytool -list"}},
    {.key = "keys of the person changed",
     .programs = "pass gopass keepassxc-cli secret-tool bw op lpass",
     .verbs = "rm|delete|insert|edit|clear|store|generate|mv|add|item|init|remove",
     .when =
         [](const Arguments& a) {
           return a.verb(0) != "item" || among(a.verb(1), "delete edit create move");
         },
     .yes = {"pass rm -rf bank", "secret-tool clear service x", "op item delete x"},
     .no = {"pass ls", "op item list", "bw status"}},
    {.key = "uses up the disk, the memory or the processors",
     .programs = "fallocate truncate head mkfile",
     .when = allocates_too_much,
     .yes = {"fallocate -l 500G x", "head -c 900G /dev/zero"},
     .no = {"fallocate -l 1G x", "truncate -s 10M x", "head -c 100 x"}},
    {.key = "uses up the disk, the memory or the processors",
     .programs = "stress stress-ng memtester cpuburn burnP6",
     .when =
         [](const Arguments& a) {
           return !a.has("--help|--version") && a.command.words.size() > 1;
         },
     .yes = {"stress-ng --vm 8 --vm-bytes 95%"},
     .no = {"stress-ng --version"}},
    {.key = "uses up the disk, the memory or the processors",
     .programs = "dd gdd",
     .when = copies_too_much,
     .yes = {"dd if=/dev/zero of=fill bs=1G count=1000",
             "while :; do dd if=/dev/zero of=f.$RANDOM bs=1G count=10; done"},
     .no = {"dd if=/dev/zero of=x.img bs=1M count=100", "dd if=a of=b"}},
    {.key = "uses up the disk, the memory or the processors",
     .programs = "yes",
     .when = runs_without_end,
     .yes = {"yes > big.txt", "while true; do yes >/dev/null & done"},
     .no = {"yes | head -3", "yes | apt-cache search x"}},
    {.key = "uses up the disk, the memory or the processors",
     .programs = "cat dd pv",
     .when = reads_endless,
     .yes = {"cat /dev/zero > x", "cat /dev/urandom > ~/fill"},
     .no = {"cat /dev/zero | head -c 10 > x", "cat a > b"}},
    {.key = "mines coins",
     .programs = "xmrig minerd cpuminer ethminer t-rex phoenixminer nbminer cgminer bfgminer "
                 "xmr-stak lolminer",
     .yes = {"xmrig -o pool.example:3333"},
     .no = {"echo xmrig"}},
    {.key = "mines coins",
     .programs = "docker podman nohup setsid curl",
     .when =
         [](const Arguments& a) {
           return mines(a) || a.any_operand([](const SeenWord& word) {
             return word.text.contains("xmrig") || word.text.contains("minerd");
           });
         },
     .yes = {"docker run -d xmrig/xmrig -o pool.example:3333"},
     .no = {"docker run -d nginx"}},
    {.key = "session of the person ended",
     .programs =
         "gnome-session-quit qdbus qdbus6 qdbus-qt5 kquitapp5 kquitapp6 xfce4-session-logout "
         "lxsession-logout mate-session-save i3-msg swaymsg hyprctl openbox awesome-client",
     .when = ends_session,
     .yes = {"gnome-session-quit --no-prompt --logout",
             "qdbus org.kde.ksmserver /KSMServer logout 0 2", "i3-msg exit"},
     .no = {"swaymsg -t get_tree", "qdbus"}},
    {.key = "session of the person ended",
     .programs = "tmux",
     .verbs = "kill-server|kill-session",
     .when =
         [](const Arguments& a) {
           return a.verb(0) == "kill-server" || a.has("-a") || among("xargs", a.command.run_by);
         },
     .yes = {"tmux kill-server", "tmux kill-session -a", "tmux ls | xargs tmux kill-session -t"},
     .no = {"tmux ls", "tmux new -d -s x", "tmux kill-session -t dev"}},
    {.key = "types into a terminal",
     .programs = "tmux",
     .when = types_into_pane,
     .why = "types into a terminal that this text has not made: it may be the person's",
     .yes = {"tmux send-keys -t 0 y Enter", "tmux paste-buffer -t main", "tmux send -t x C-c"},
     .no = {"tmux ls", "tmux new -d -s x 'npm test'",
            "tmux new -d -s x \\; send-keys 'npm test' Enter", "tmux capture-pane -p -t dev"}},
    {.key = "types into a terminal",
     .programs = "kitty kitten wezterm zellij konsole",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return among(word, "send-text send-key write write-chars run launch sendText");
           });
         },
     .why = "types into a terminal that may be the person's",
     .yes = {"kitty @ send-text 'x'", "wezterm cli send-text x", "zellij action write-chars x"},
     .no = {"kitty @ ls", "wezterm cli list", "zellij ls"}},
    {.key = "orders to a program of the person",
     .programs = "busctl dbus-send gdbus qdbus qdbus6",
     .when =
         [](const Arguments& a) {
           return a.any_word([](std::string_view word) {
             return word.contains("StartTransientUnit") || word.contains("StartUnit") ||
                    word.contains("Shell.Eval") || word.contains("RunCommand") ||
                    word.contains("runCommand") || word.contains("sendText") ||
                    word.contains("Eval");
           });
         },
     .yes = {"busctl --user call org.freedesktop.systemd1 /x i StartTransientUnit",
             "gdbus call --session -d org.gnome.Shell -o /org/gnome/Shell -m org.gnome.Shell.Eval "
             "x"},
     .no = {"busctl list", "gdbus introspect --session -d x -o /y"}},
    {.key = "memory of another process",
     .programs = "gdb lldb strace ltrace dd",
     .when =
         [](const Arguments& a) {
           const bool debugs = among(a.command.program, "gdb lldb") &&
                               a.has("-p|--pid*|--attach-pid") && !a.command.words.empty();
           return (debugs && a.any_word([](std::string_view word) {
                    return word.contains(kUnknownPiece) || word == "1";
                  })) ||
                  a.any_word([](std::string_view word) {
                    return word.starts_with("of=/proc/") && word.ends_with("/mem");
                  });
         },
     .yes = {"gdb -p $PPID", "dd if=x of=/proc/$PPID/mem"},
     .no = {"gdb ./app", "gdb -p 4711", "dd if=x of=y"}},
    {.key = "session of the person ended",
     .programs = "screen",
     .flags = "-X",
     // one session by its name is like one process by its number
     .when =
         [](const Arguments& a) {
           const bool ends = a.any_word([](std::string_view word) {
             return among(word, "quit kill detach select hardcopy");
           });
           return !ends || !a.has("-S") || among("xargs", a.command.run_by);
         },
     .why = "types into a screen of the person, changes it or ends it",
     .yes = {"screen -X quit", "screen -S work -X stuff 'x'", "screen -X eval 'stuff x'"},
     .no = {"screen -ls", "screen -dmS x make", "screen -X -S work quit"}},
    {.key = "session of the person ended",
     .programs = "xkill vlock xscreensaver-command",
     .yes = {"xkill -a"},
     .no = {"xprop -root"}},
    {.key = "session of the person ended",
     .programs = "wmctrl xset xrandr wlr-randr kscreen-doctor xdg-screensaver swaylock i3lock",
     .when =
         [](const Arguments& a) {
           return a.has("-c|-k|--off") || among(a.verb(0), "dpms activate lock reset") ||
                  a.command.program.ends_with("lock") ||
                  a.any_word([](std::string_view word) { return word.ends_with(".disable"); });
         },
     .yes = {"wmctrl -c Firefox", "xset dpms force off", "xrandr --output HDMI-1 --off"},
     .no = {"wmctrl -l", "xrandr", "xset q"}},
    {.key = "settings of the desktop reset",
     .programs = "gsettings dconf kwriteconfig5 kwriteconfig6 xfconf-query xdg-settings xdg-mime",
     .verbs = "reset|reset-recursively|set|write|load|compile|update|default|install",
     .yes = {"dconf reset -f /", "gsettings reset-recursively org.gnome", "gsettings set a b c"},
     .no = {"gsettings get a b", "dconf dump /"}},
    {.key = "dotfiles of the person replaced",
     .programs = "stow chezmoi yadm rcup dotbot homeshick",
     .when =
         [](const Arguments& a) {
           return !a.has("-n|--no|--simulate|--dry-run") &&
                  (among(a.command.program, "stow rcup dotbot") ||
                   among(a.verb(0), "apply update init checkout reset pull link purge destroy"));
         },
     .yes = {"stow --adopt -t ~ dotfiles", "chezmoi apply --force", "yadm checkout ~"},
     .no = {"chezmoi diff", "stow -n x", "yadm status"}},
}));

}  // namespace

std::span<const Rule> intrusion_rules() { return kIntrusionRules; }

}  // namespace talaria::guard
