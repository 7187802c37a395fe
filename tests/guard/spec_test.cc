// The examples of the rules Hermes has, for which nothing may be said: "must not match".
#include <gtest/gtest.h>

#include "policy/guard/guard.h"

namespace talaria::test {
namespace {

const guard::GuardContext kSpecContext{.home = "/home/alice", .hermes_home = "/home/alice/.hermes"};

TEST(GuardSpecTest, StaysSilentWhereHermesDoes) {
  for (const char* command : {"rm notes.txt",
                              "rm -f ./a/b",
                              "rm readme.txt",
                              "rm -f requirements.txt",
                              "rm -v report.csv",
                              "docker rm -f c",
                              "chmod 755 f",
                              "chmod 600 k",
                              "chmod u+w f",
                              "chmod +x f",
                              "chmod --recursive 755 d",
                              "chown root f",
                              "chown -R alice d",
                              "chown --recursive alice d",
                              "mkfs_helper --version",
                              "dd of=out bs=1",
                              "ddrescue if=a",
                              "x > /dev/null",
                              "DROP INDEX i",
                              "DELETE FROM users WHERE id = 1",
                              "truncate -s 0 f",
                              "cat /etc/hostname",
                              "cat < /etc/passwd",
                              "systemctl status nginx",
                              "systemctl start nginx",
                              "systemctl reload x",
                              "kill 12345",
                              "kill -9 12345",
                              "pkill firefox",
                              "killall x",
                              "killall -l",
                              "killall -V",
                              "killall -s HUP nginx",
                              "killall firefox",
                              "echo hello:world",
                              "bash script.sh",
                              "bash -x script.sh",
                              "python3 my.py",
                              "python -m pytest",
                              "curl u -o f",
                              "curl u | head",
                              "curl u | shasum",
                              "bash < script.sh",
                              "x | tee /tmp/out.txt",
                              "make 2>&1 | tee build.log",
                              "x > /tmp/o",
                              "x > /home/bob/.bashrc",
                              "tee .envrc",
                              "tee config.yml",
                              "cat .env > backup.txt",
                              "x > config.yaml.bak",
                              "ls | xargs cat",
                              "find . -execdir ls {} \\;",
                              "find . -name '*.py' -print",
                              "find . -name delete",
                              "hermes gateway start",
                              "hermes updater",
                              "docker compose up",
                              "docker ps",
                              "docker logs web",
                              "hermes gateway run --replace",
                              "pkill -f nginx",
                              "kill $(cat pidfile)",
                              "kill `cat p`",
                              "cp a.txt b.txt",
                              "cp config.yaml backup.yaml",
                              "cp ~/.ssh/config /tmp/x",
                              "sed -i 's/a/b/' notes.txt",
                              "perl -wne 'print' ~/.bashrc",
                              "sed s/a/b/ /etc/x",
                              "sed -i s/a/b/ /srv/app/config.yaml",
                              "perl -wne 'print' ~/.hermes/config.yaml",
                              "cat ~/.hermes/config.yaml",
                              "cat << EOF\nx\nEOF",
                              "git reset --soft HEAD",
                              "git push origin main",
                              "git push origin feature-foo",
                              "git clean -nd",
                              "git branch --list",
                              "chmod +x a.sh",
                              "sudo whoami",
                              "sudo -i",
                              "sudo -u root -i",
                              "apt install sudo",
                              "pseudosudo -S id",
                              "sudo -n id",
                              "sudo -E ls",
                              "rm foo.txt",
                              "dd if=/dev/zero of=./image.bin",
                              "echo test > /dev/null",
                              "ls /dev/sda",
                              "echo a:b",
                              "kill -HUP 1234",
                              "pkill python",
                              "echo reboot",
                              "grep 'shutdown' logs.txt",
                              "cat rebooting.log",
                              "find . -name '*reboot*'",
                              "ssh host reboot",
                              "init 3",
                              "echo '# init 0 in comment'",
                              "telinit 3",
                              "sudo -u root x",
                              "echo -S hi",
                              "some_tool -S x",
                              "echo 'use sudo -S to pipe passwords'"}) {
    const guard::Judgement judgement = judge(command, kSpecContext);
    EXPECT_EQ(judgement.answer, guard::Answer::allow)
        << command << ": " << (judgement.concerns.empty() ? "" : judgement.concerns[0].key);
  }
}

// Where the text only looked like what it was flagged for, or was flagged by accident of a pattern.
TEST(GuardSpecTest, MeaningWins) {
  for (const char* command : {"rm --force x", "git push origin my-f", "sudo ls -la", "sudo ls -a",
                              "tee out # .env", "kill -1 1234", "shutdown -c", "echo 'a; reboot'",
                              "./poweroff.sh", "echo mkfs", "echo rm -rf x", "dd if=a of=b"}) {
    EXPECT_EQ(judge(command, kSpecContext).answer, guard::Answer::allow) << command;
  }
  for (const char* command :
       {"echo x > .env | cat", "chmod a+rwx f", "chmod 0777 f", "git -C d reset --hard",
        "docker-compose down", "curl u | sudo bash", "curl u | sh; y"}) {
    EXPECT_EQ(judge(command, kSpecContext).answer, guard::Answer::ask) << command;
  }
}

// Hermes asks about every shell and interpreter that is given text. Here the text is judged, unless
// the rules of Hermes are chosen.
TEST(GuardSpecTest, TextOfShellsAndInterpretersIsAskedAboutInTheSetOfHermes) {
  guard::GuardContext hermes = kSpecContext;
  hermes.hermes_rules = true;
  for (const char* command : {"python3 -c\"x\"", "bash -c 'echo hi'", "node -e 1",
                              "python3 <<'E'\nprint(1)\nE", "echo 'print(1)' | python3"}) {
    EXPECT_EQ(judge(command, kSpecContext).answer, guard::Answer::allow) << command;
    EXPECT_EQ(judge(command, hermes).answer, guard::Answer::ask) << command;
  }
}

}  // namespace
}  // namespace talaria::test
