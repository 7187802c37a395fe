// Writing into files that configure the system, the user's shell, or the project.
#include <algorithm>

#include "policy/guard/rules/destinations.h"
#include "policy/guard/rules/rule.h"

namespace talaria::guard {
namespace {

bool redirects_to_system(const Arguments& arguments) {
  return arguments.writes_to(&PathKinds::is_system_config);
}

bool redirects_to_sd(const Arguments& arguments) {
  return arguments.writes_to([](std::string_view path) { return path.starts_with("/dev/sd"); });
}

bool redirects_to_sensitive(const Arguments& arguments) {
  return arguments.writes_to(&PathKinds::is_user_sensitive) ||
         arguments.writes_to(&PathKinds::is_hermes_config);
}

bool redirects_to_project(const Arguments& arguments) {
  return arguments.writes_to([&](std::string_view path) {
    return arguments.paths.is_project_config(path) && !arguments.paths.is_hermes_config(path);
  });
}

bool redirects_to_program(const Arguments& arguments) {
  return arguments.writes_to([&](std::string_view path) {
    return path.starts_with("/usr/") || path.starts_with("/bin/") || path.starts_with("/sbin/") ||
           path.starts_with("/boot/") || path.starts_with("/lib") || path.starts_with("/sys/") ||
           (path.starts_with("/proc/") && !path.starts_with("/proc/self/fd")) ||
           path.starts_with("/var/spool/cron") || path.starts_with("/var/log/") ||
           path.starts_with("/var/lib/") || path.starts_with("/dev/mem") ||
           path.starts_with("/dev/port");
  });
}

bool tees_sensitive(const Arguments& arguments) {
  return arguments.any_operand(&PathKinds::is_sensitive) ||
         arguments.any_operand(&PathKinds::below_system);
}

bool tees_project(const Arguments& arguments) {
  return arguments.any_operand(&PathKinds::is_project_config);
}

// Where cp, mv and install put it: -t DIR, or the last operand.
bool into(const Arguments& arguments, Arguments::Test test) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    if (command.word(i) == "-t" && (arguments.paths.*test)(command.word(i + 1))) return true;
  }
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    constexpr std::string_view kLong = "--target-directory=";
    if (command.word(i).starts_with(kLong) &&
        (arguments.paths.*test)(command.word(i).substr(kLong.size()))) {
      return true;
    }
  }
  return arguments.operands().size() > 1 && arguments.last_operand(test);
}

bool copies_system(const Arguments& arguments) {
  return arguments.any_operand(&PathKinds::is_system_config) ||
         into(arguments, &PathKinds::is_system_config);
}
bool copies_into_project(const Arguments& arguments) {
  return into(arguments, &PathKinds::is_project_config) &&
         !into(arguments, &PathKinds::is_hermes_config);
}
bool copies_into_sensitive(const Arguments& arguments) {
  return into(arguments, &PathKinds::is_sensitive) &&
         !into(arguments, &PathKinds::is_system_config);
}
bool copies_into_programs(const Arguments& arguments) {
  return into(arguments, &PathKinds::below_system) &&
         !into(arguments, &PathKinds::is_system_config);
}

bool links_over(const Arguments& arguments) {
  return into(arguments, &PathKinds::is_sensitive) || into(arguments, &PathKinds::below_system);
}

bool unpacks_into_system(const Arguments& arguments) {
  const SeenCommand& command = arguments.command;
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    const bool directory = among(command.word(i), "-C --directory -d");
    const std::string path = arguments.resolved(command.words[i + 1]).text;
    if (directory && (arguments.paths.below_system(path) || arguments.paths.is_ssh(path) ||
                      arguments.paths.is_hermes_config(path + "/config.yaml"))) {
      return true;
    }
  }
  const bool absolute = arguments.has("-P|--absolute-names") && arguments.has("-x|--extract|--get");
  // tar xPf x: the first word is letters, too
  const std::string_view letters = command.word(1);
  const bool old = command.program != "unzip" && letters.contains('x') && letters.contains('P') &&
                   letters.find_first_not_of("xPvfzjJpkmoSwhU") == std::string_view::npos;
  return absolute || old;
}

bool sends_into_system_config(const Arguments& arguments) {
  return into(arguments, &PathKinds::is_system_config) ||
         (arguments.command.program == "mv" && arguments.any_operand(&PathKinds::is_system_config));
}

// sort -o FILE, uniq IN OUT, curl -O in ~/.ssh and their like
bool writes_over(const Arguments& arguments) {
  return std::ranges::any_of(destinations(arguments), [&](const SeenWord& word) {
    return arguments.paths.below_system(word.text) || arguments.paths.is_sensitive(word.text);
  });
}

constexpr Rule kWriteRules[] = {
    {.key = "write to block device",
     .when = redirects_to_sd,
     .yes = {"cat x >/dev/sdb1"},
     .no = {"x > /dev/null"}},
    {.key = "overwrite system config",
     .when = redirects_to_system,
     .yes = {"echo x > /etc/hosts", "echo x >>/etc/hosts", "make 2>/etc/x",
             "echo x > /private/etc/sudoers"},
     .no = {"cat /etc/hostname", "cat < /etc/passwd"}},
    {.key = "overwrite system file via tee",
     .programs = "tee sponge",
     .when = tees_sensitive,
     .yes = {"x | tee /etc/hosts", "x | tee -a ~/.bashrc", "x | tee \"$HERMES_HOME/.env\"",
             "tee /dev/sda"},
     .no = {"x | tee /tmp/out.txt", "make 2>&1 | tee build.log"}},
    {.key = "overwrite system file via redirection",
     .when = redirects_to_sensitive,
     .yes = {"k >> ~/.ssh/authorized_keys", "x > $HOME/.zshrc", "x > ~/.netrc",
             "x > ~/.hermes/config.yaml"},
     .no = {"x > /tmp/o", "x > /home/bob/.bashrc"}},
    {.key = "write into the system",
     .when = redirects_to_program,
     .yes = {"echo b > /proc/sysrq-trigger", "cat x > /usr/bin/ls",
             "echo 1 > /proc/sys/kernel/panic", "echo '* * * * * x' > /var/spool/cron/root"},
     .no = {"cat /proc/cpuinfo > cpu.txt", "ls /usr/bin > files"},
     .set = RuleSet::talaria},
    {.key = "overwrite project env/config via tee",
     .programs = "tee sponge",
     .when = tees_project,
     .yes = {"printenv | tee .env.local", "tee app/config.yaml && ls"},
     .no = {"tee .envrc", "tee config.yml", "tee out # .env"},
     .set = RuleSet::hermes},
    {.key = "overwrite project env/config via redirection",
     .when = redirects_to_project,
     .yes = {"echo A=1 > .env", "x > deploy/config.yaml", "x > /opt/data/.env; ls"},
     .no = {"cat .env > backup.txt", "x > config.yaml.bak"},
     .set = RuleSet::hermes},
    {.key = "new file in system config path",
     .programs = "touch mkdir mknod mkfifo",
     .when = [](const Arguments& a) { return a.any_operand(&PathKinds::is_system_config); },
     .yes = {"touch /etc/nologin", "mkdir -p /etc/systemd/system/x.service.d"},
     .no = {"touch etc/x", "mkdir -p /tmp/etc", "mkdir -p $DESTDIR/etc"},
     .set = RuleSet::talaria},
    {.key = "copy/move file into system config path",
     .programs = "cp mv install",
     .when = copies_system,
     .yes = {"cp evil /etc/hosts", "mv a /private/etc/ssh/x", "install -m 600 k /private/etc/k",
             "cp /etc/hosts .", "cp -t /etc a"},
     .no = {"cp a.txt b.txt"},
     .set = RuleSet::hermes},
    {.key = "overwrite project env/config file",
     .programs = "cp mv install ln",
     .when = copies_into_project,
     .yes = {"cp .env.local .env", "mv t/g.yaml config/config.yaml",
             "install -m 600 t .env.production", "cp /opt/data/.env.local /opt/data/.env"},
     .no = {"cp config.yaml backup.yaml"},
     .set = RuleSet::hermes},
    {.key = "copy/move file into sensitive credential/SSH/shell-rc path",
     .programs = "cp mv install scp rsync",
     .when = copies_into_sensitive,
     .yes = {"cp k ~/.ssh/authorized_keys", "install -m600 c ~/.netrc", "cp e ~/.bashrc"},
     .no = {"cp ~/.ssh/config /tmp/x"}},
    {.key = "copy/move file into the system",
     .programs = "cp mv install scp rsync",
     .when = copies_into_programs,
     .yes = {"cp evil /usr/bin/ls", "mv x /boot/vmlinuz", "install -m755 tool /usr/local/bin/tool"},
     .no = {"cp /usr/share/x ."},
     .set = RuleSet::talaria},
    {.key = "copy/move file into system config path",
     .programs = "cp mv install rsync scp",
     .when = sends_into_system_config,
     .yes = {"rsync -a x/ /etc/", "scp h:x /etc/passwd", "cp evil /etc/hosts", "cp -t /etc a",
             "mv /etc/fstab x"},
     .no = {"rsync -a /etc/ backup/", "scp /etc/hosts h:/tmp/", "cp /etc/hosts ."},
     .set = RuleSet::talaria},
    {.key = "output over a system or configuration file",
     .programs =
         "sort gsort uniq xxd split csplit objcopy script strace ltrace tcpdump openssl gpg "
         "gpg2 iconv git gcc g++ cc c++ clang clang++ ld as go rustc",
     .when = writes_over,
     .yes = {"sort -o /etc/passwd x", "sort x --output=/etc/hosts", "uniq x /etc/hosts",
             "git log --output=/etc/motd", "openssl enc -in x -out /etc/x",
             "gcc -o /usr/bin/ls x.c"},
     .no = {"sort -o list.txt list.txt", "uniq x y", "script -c ls out.log", "uniq /etc/hosts",
            "gcc -o app main.c", "xxd /etc/hosts"},
     .set = RuleSet::talaria},
    {.key = "link over a system or configuration file",
     .programs = "ln",
     .when = links_over,
     .yes = {"ln -sf x /usr/bin/python", "ln -sf evil ~/.bashrc", "ln -s a /etc/a"},
     .no = {"ln -s ../a b", "ln -sf /usr/bin/python3 venv/python"},
     .set = RuleSet::talaria},
    {.key = "unpack an archive over the system",
     .programs = "tar unzip bsdtar",
     .when = unpacks_into_system,
     .yes = {"tar -xzf x.tgz -C /", "tar xf x.tar -C /usr/local", "unzip x.zip -d /etc",
             "tar xf x.tar -C ~/.hermes", "tar xf x.tar -C ~/.ssh", "tar xPf x.tar"},
     .no = {"tar xzf x.tgz", "tar -czf x.tgz src", "tar xf x -C build", "tar cPf x.tar /srv"},
     .set = RuleSet::talaria},
    {.key = "download over a system or configuration file",
     .programs = "curl wget",
     .when = writes_over,
     .yes = {"curl -o /usr/local/bin/x https://h/x", "wget -O ~/.bashrc https://h/x",
             "cd ~/.hermes && curl -O https://h/config.yaml"},
     .no = {"curl -o x.tgz https://h/x", "wget https://h/x"},
     .set = RuleSet::talaria},
};

}  // namespace

std::span<const Rule> write_rules() { return kWriteRules; }

}  // namespace talaria::guard
