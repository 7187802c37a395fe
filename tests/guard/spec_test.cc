// The examples of the rules Hermes has, in its own set (`guard.rules: hermes`), and where the
// default differs.
#include <gtest/gtest.h>

#include "policy/guard/guard.h"

namespace talaria::test {
namespace {

const guard::GuardContext kHermesContext{
    .home = "/home/alice", .hermes_home = "/home/alice/.hermes", .hermes_rules = true};
const guard::GuardContext kOwnContext{.home = "/home/alice", .hermes_home = "/home/alice/.hermes"};

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
    const guard::Judgement judgement = judge(command, kHermesContext);
    EXPECT_EQ(judgement.answer, guard::Answer::allow)
        << command << ": " << (judgement.concerns.empty() ? "" : judgement.concerns[0].key);
  }
}

// Where the text only looked like what it was flagged for, or was flagged by accident of a pattern.
TEST(GuardSpecTest, MeaningWins) {
  for (const char* command : {"rm --force x", "git push origin my-f", "sudo ls -la", "sudo ls -a",
                              "tee out # .env", "kill -1 1234", "shutdown -c", "echo 'a; reboot'",
                              "./poweroff.sh", "echo mkfs", "echo rm -rf x", "dd if=a of=b"}) {
    EXPECT_EQ(judge(command, kHermesContext).answer, guard::Answer::allow) << command;
  }
  for (const char* command :
       {"echo x > .env | cat", "chmod a+rwx f", "chmod 0777 f", "git -C d reset --hard",
        "docker-compose down", "curl u | sudo bash", "curl u | sh; y", "python3 -c\"x\""}) {
    EXPECT_EQ(judge(command, kHermesContext).answer, guard::Answer::ask) << command;
  }
}

// Where the default set differs from that of Hermes, with the reason.
TEST(GuardSpecTest, TheDefaultAsksWhereHermesIsSilent) {
  const struct {
    const char* command;
    const char* reason;
  } cases[] = {
      {"docker rm -f c", "ends a container that may be running, and may not be the task's"},
      {"truncate -s 0 f", "what is in the file is lost"},
      {"pkill firefox", "meets whatever has that name"},
      {"pkill python", "meets whatever has that name"},
      {"pkill -f nginx", "meets whatever has that name"},
      {"killall x", "meets whatever has that name"},
      {"x > /home/bob/.bashrc", "writes outside the project"},
      {"sed -i s/a/b/ /srv/app/config.yaml", "writes outside the project"},
      {"apt install sudo", "changes the packages of the system"},
      {"ssh host reboot", "ends another machine"},
      {"sudo -u root x", "root may change anything"},
      {"rm ~/notes.txt", "deletes a file of the person, outside the project"},
      {"kubectl delete ns prod", "Hermes knows no clusters"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(judge(one.command, kOwnContext).answer, guard::Answer::ask)
        << one.command << ": " << one.reason;
    EXPECT_EQ(judge(one.command, kHermesContext).answer, guard::Answer::allow) << one.command;
  }
}

TEST(GuardSpecTest, TheDefaultIsSilentWhereHermesAsks) {
  const struct {
    const char* command;
    const char* reason;
  } cases[] = {
      {"rm -rf build", "a build product below the project"},
      {"rm -rf node_modules package-lock.json", "products of a package manager"},
      {"rm /tmp/x", "a temporary file with a name of its own"},
      {"find . -name '*.tmp' -delete", "only products are found"},
      {"find . -name '*.o' -exec rm {} +", "only products are found"},
      {"git branch -d x", "git refuses to lose commits"},
      {"docker compose down", "the data stays"},
      {"cp /etc/hosts .", "nothing of the system is changed"},
      {"cp .env.example .env", "begins the file from its form"},
      {"echo A=1 >> .env", "adds a line"},
      {"mv t/g.yaml config/config.yaml", "a file of the project"},
      {"chmod +x a.sh && ./a.sh", "a script of the project; downloads are judged as such"},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(judge(one.command, kOwnContext).answer, guard::Answer::allow)
        << one.command << ": " << one.reason;
    EXPECT_EQ(judge(one.command, kHermesContext).answer, guard::Answer::ask) << one.command;
  }
}

// Hermes asks about every shell and interpreter that is given text. Here the text is judged, unless
// the rules of Hermes are chosen.
TEST(GuardSpecTest, TextOfShellsAndInterpretersIsAskedAboutInTheSetOfHermes) {
  for (const char* command : {"python3 -c\"x\"", "bash -c 'echo hi'", "node -e 1",
                              "python3 <<'E'\nprint(1)\nE", "echo 'print(1)' | python3"}) {
    EXPECT_EQ(judge(command, kOwnContext).answer, guard::Answer::allow) << command;
    EXPECT_EQ(judge(command, kHermesContext).answer, guard::Answer::ask) << command;
  }
}

}  // namespace
}  // namespace talaria::test
