// Login files: read once at the target, for sessions to start with.
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

class LoginFilesTest : public TalariaTest {
 protected:
  void SetUp() override { world_.set("HOME", world_.directory("person")); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(world_.path("person/" + name)) << text;
  }
  std::string times_read() { return world_.read("person/count"); }

  // Through a new controller, in a session nobody has used.
  std::string in_new_session(const std::string& command) {
    const Finished ended = world_.run({"exec", "--task", "t" + std::to_string(++tasks_), command});
    EXPECT_EQ(ended.code(), 0) << ended.err;
    errors_ = ended.err;
    return trim_end(ended.out);
  }

  std::string errors_;

 private:
  int tasks_ = 0;
};

TEST_F(LoginFilesTest, APrivateFunctionIsDefinedAndNotRun) {
  write(".bashrc",
        "_priv() { touch ~/ran; return 1; }\nlater() { echo later; }\nalias b='echo b'\n");
  EXPECT_EQ(in_new_session("later; b; declare -F _priv"), "later\nb\n_priv");
  EXPECT_EQ(world_.read("person/ran"), "");
}

TEST_F(LoginFilesTest, FunctionsAndAliasesAreThereForEveryCommand) {
  write(".bashrc", "f() { echo f; }\nalias a='echo a'\n");
  LinesClient agent(world_);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(output_of(agent.run("f; a")), "f\na");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(LoginFilesTest, AFileThatExitsLosesNothingSetBefore) {
  write(".bashrc", "export BEFORE=1\nexit 7\nexport AFTER=1\n");
  EXPECT_EQ(in_new_session("echo ${BEFORE-no} ${AFTER-no}"), "1 no");
  EXPECT_NE(errors_.find(".bashrc ended the shell that read the login files"), std::string::npos)
      << errors_;
}

TEST_F(LoginFilesTest, AFileThatReplacesTheShellLeavesCommandsToRun) {
  write(".bash_profile", "export BEFORE=1\nexec true\n");
  EXPECT_EQ(in_new_session("echo ok"), "ok");
  EXPECT_NE(errors_.find(".bash_profile ended the shell that read the login files"),
            std::string::npos)
      << errors_;
}

TEST_F(LoginFilesTest, OptionsAndTrapsOfAFileDoNotReachCommands) {
  write(".bashrc", "set -e -u -x\ntrap 'echo leaked' EXIT\ntrap 'echo leaked' DEBUG\n");
  LinesClient agent(world_);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(output_of(agent.run("false; echo \"[$UNSET_NAME]\" ${-//[^eux]/}")), "[]");
  }
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(LoginFilesTest, AFileAfterOneThatSetErrexitIsStillRead) {
  write(".bash_profile", "set -eu\n");
  write(".bashrc", "false\nexport A=read\n");
  EXPECT_EQ(in_new_session("echo $A"), "read");
}

TEST_F(LoginFilesTest, NamesThatAreWithheldDoNotComeFromAFile) {
  write(".bashrc",
        "export OPENAI_API_KEY=leak SLACK_TOKEN=leak MY_TOKEN=leak AWS_ACCESS_KEY_ID=mine "
        "LISTED_TOKEN=mine\n");
  std::ofstream(world_.directory("home") + "/config.yaml")
      << "terminal: {env_passthrough: [LISTED_TOKEN, SLACK_TOKEN]}\n";
  EXPECT_EQ(in_new_session("echo ${OPENAI_API_KEY-none} ${SLACK_TOKEN-none} ${MY_TOKEN-none} "
                           "$AWS_ACCESS_KEY_ID $LISTED_TOKEN"),
            "none none none mine mine");
  const Finished found =
      world_.exec("grep -rl leak " + world_.runner_directory() + " || echo nowhere");
  EXPECT_EQ(trim_end(found.out), "nowhere");
}

TEST_F(LoginFilesTest, ComeInTheOrderOfALoginAndEachOnce) {
  write(".bash_profile", "echo bash_profile >> ~/count; . ~/.bashrc\n");
  write(".bashrc", "echo bashrc >> ~/count\n");
  write(".profile", "echo profile >> ~/count\n");
  in_new_session("true");
  EXPECT_EQ(times_read(), "bash_profile\nbashrc\nprofile\n");
}

TEST_F(LoginFilesTest, AreReadOnceForAllControllersAndRunners) {
  write(".bashrc", "echo x >> ~/count; export A=1\n");
  EXPECT_EQ(in_new_session("echo $A"), "1");
  EXPECT_EQ(in_new_session("echo $A"), "1");
  EXPECT_TRUE(world_.stop_runner());
  EXPECT_EQ(in_new_session("echo $A"), "1");
  EXPECT_EQ(times_read(), "x\n");
}

TEST_F(LoginFilesTest, AreReadAgainWhenOneOfThemChanged) {
  write(".bashrc", "echo x >> ~/count; . ~/conf/env; [ -r ~/extra ] && . ~/extra; true\n");
  world_.directory("person/conf");
  write("conf/env", "export A=1\n");
  EXPECT_EQ(in_new_session("echo $A"), "1");
  write("conf/env", "export A=22\n");
  EXPECT_EQ(in_new_session("echo $A"), "22");
  write("extra", "export A=333\n");  // looked for, and not there until now
  EXPECT_EQ(in_new_session("echo $A"), "333");
  write(".bash_login", "export B=1\n");
  EXPECT_EQ(in_new_session("echo $A$B"), "3331");
  EXPECT_EQ(in_new_session("echo $A$B"), "3331");
  EXPECT_EQ(times_read(), "x\nx\nx\nx\n");
}

TEST_F(LoginFilesTest, AreReadAgainWhenAFileIsAddedBesideOne) {
  write(".bashrc", "for i in ~/rc.d/*; do . $i; done\n");
  world_.directory("person/rc.d");
  write("rc.d/1", "export A=1\n");
  EXPECT_EQ(in_new_session("echo $A"), "1");
  write("rc.d/2", "export A=2\n");
  EXPECT_EQ(in_new_session("echo $A"), "2");
}

TEST_F(LoginFilesTest, AreReadAgainWhenAVariableTheyMentionChanged) {
  write(".bashrc", "echo x >> ~/count; export A=\"<$MENTIONED>\"\n");
  EXPECT_EQ(in_new_session("echo $A"), "<>");
  world_.set("OTHER", "1");
  EXPECT_EQ(in_new_session("echo $A"), "<>");
  EXPECT_EQ(times_read(), "x\n");
  world_.set("MENTIONED", "m");
  EXPECT_EQ(in_new_session("echo $A"), "<m>");
  EXPECT_EQ(times_read(), "x\nx\n");
}

TEST_F(LoginFilesTest, AreReadOnceForSessionsThatStartTogether) {
  write(".bashrc", "echo x >> ~/count; sleep 0.2; export A=1\n");
  LinesClient agent(world_);
  std::vector<int> ids;
  for (int i = 0; i < 8; ++i) {
    ids.push_back(agent.send({.command = "echo $A", .task = std::to_string(i)}));
  }
  for (const int id : ids) EXPECT_EQ(output_of(agent.result(id)), "1");
  EXPECT_EQ(times_read(), "x\n");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(LoginFilesTest, ChangeOnlyNewSessions) {
  write(".bashrc", "export A=old\n");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "export A=mine; f() { :; }"}).code(), 0);
  write(".bashrc", "export A=newer\n");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "mine\n");
}

TEST_F(LoginFilesTest, AreNotReadForACommandWithoutASession) {
  write(".bashrc", "echo x >> ~/count; export A=1\n");
  EXPECT_EQ(world_.exec("echo ${A-none}").out, "none\n");
  EXPECT_EQ(times_read(), "");
}

TEST_F(LoginFilesTest, DoNotMoveTheSession) {
  write(".bashrc", "cd /usr\n");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "pwd; echo ${OLDPWD-none}"}).out,
            world_.directory("work") + "\nnone\n");
}

TEST_F(LoginFilesTest, PrintNothing) {
  write(".bashrc", "echo noise; echo noise >&2; nosuchcommand\n");
  EXPECT_EQ(in_new_session("echo ok"), "ok");
  EXPECT_EQ(errors_, "");
}

TEST_F(LoginFilesTest, PutTheirDirectoriesInFrontOfTheCallersPath) {
  world_.set("PATH", "/caller/bin:/usr/bin:/bin");
  write(".bashrc", "export PATH=\"$HOME/bin:$PATH\"\n");
  // Files of the machine may add theirs.
  const std::string path = in_new_session("echo $PATH");
  EXPECT_TRUE(path.starts_with(world_.path("person/bin") + ":")) << path;
  EXPECT_NE(path.find(":/caller/bin:/usr/bin:/bin:"), std::string::npos) << path;
}

TEST_F(LoginFilesTest, LeaveTheirDaemonsRunning) {
  write(".bashrc", "sleep 60 >/dev/null 2>&1 & echo $! > ~/daemon\n");
  in_new_session("true");
  const ProcessName daemon = process_in("person/daemon");
  EXPECT_EQ(in_new_session("kill -0 $(cat ~/daemon) && echo alive"), "alive");
  EXPECT_EQ(::kill(daemon.pid, SIGKILL), 0);
}

TEST_F(LoginFilesTest, ThatAreConfiguredReplaceTheUsualOnes) {
  write(".bashrc", "export A=bashrc\n");
  write("mine", "export B=mine\n");
  std::ofstream(world_.directory("home") + "/config.yaml")
      << "terminal:\n  shell_init_files: ['~/missing', '${HOME}/mine']\n";
  EXPECT_EQ(in_new_session("echo ${A-none} $B"), "none mine");
}

TEST_F(LoginFilesTest, AreOnlyThoseOfALoginWithoutAutoSourceBashrc) {
  write(".bashrc", "export A=bashrc\n");
  write(".profile", "export B=profile\n");
  std::ofstream(world_.directory("home") + "/config.yaml")
      << "terminal:\n  auto_source_bashrc: false\n";
  EXPECT_EQ(in_new_session("echo ${A-none} $B"), "none profile");
}

TEST_F(LoginFilesTest, AreStoredForTheirOwnerOnly) {
  write(".bashrc", "export A=1\n");
  in_new_session("true");
  const std::string directory = world_.runner_directory() + "/logins";
  struct stat info{};
  ASSERT_EQ(::stat(directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST_F(LoginFilesTest, AreReadAgainWhenWhatWasStoredIsDamaged) {
  write(".bashrc", "export A=1\n");
  in_new_session("true");
  EXPECT_TRUE(world_.stop_runner());
  for (const auto& entry :
       std::filesystem::directory_iterator(world_.runner_directory() + "/logins")) {
    std::ofstream(entry.path()) << "\xff\xff";
  }
  EXPECT_EQ(in_new_session("echo $A"), "1");
}

TEST_F(LoginFilesTest, ThatAreBeingReadDoNotHoldACallThatIsGivenUp) {
  write(".bashrc", "echo x > ~/count; sleep 60\n");
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo never"});
  EXPECT_TRUE(appears("person/count"));
  const auto start = std::chrono::steady_clock::now();
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(agent.end(), 0);
  EXPECT_TRUE(world_.stop_runner());
}

TEST_F(LoginFilesTest, ThatChangedAreNoticedByAControllerThatStays) {
  write(".bashrc", "export A=1\n");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run({.command = "echo $A", .task = "one"})), "1");
  write(".bashrc", "export A=22\n");
  EXPECT_EQ(output_of(agent.run({.command = "echo $A", .task = "two"})), "22");
  EXPECT_EQ(output_of(agent.run({.command = "echo $A", .task = "one"})), "1");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(LoginFilesTest, ComeBackWithASessionThatSomebodyRemoved) {
  write(".bashrc", "export A=1\n");
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo $A")), "1");
  EXPECT_EQ(world_.run({"env", "rm", "--yes", "local"}).code(), 0);
  EXPECT_EQ(output_of(agent.run("echo $A")), "1");
  EXPECT_EQ(agent.end(), 0);
}

TEST_F(LoginFilesTest, AreNotWaitedForByASessionThatExists) {
  write(".bashrc", "export A=1\n");
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "1\n");
  write(".bashrc", "echo x > ~/count; sleep 60\n");
  const Finished ended = world_.run({"exec", "--task", "t", "echo $A"});
  EXPECT_EQ(ended.out, "1\n");
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(times_read(), "");
}

TEST_F(LoginFilesTest, InPosixModeAreTakenOver) {
  write(".profile", "export A=1\nexport POSIXLY_CORRECT=1\nset -o posix\n");
  EXPECT_EQ(in_new_session("echo $A"), "1");
  EXPECT_EQ(errors_, "");
  world_.set("POSIXLY_CORRECT", "1");
  EXPECT_EQ(in_new_session("echo $A"), "1");
}

TEST_F(LoginFilesTest, ThatStartADaemonAreReadAgainByTheNextRunner) {
  write(".bashrc", "sleep 60 >/dev/null 2>&1 & export DAEMON=$!\n");
  EXPECT_EQ(in_new_session("kill -0 $DAEMON && echo alive"), "alive");
  const Finished stopped = world_.run({"stop", "--all"});  // a daemon is no command of anybody's
  EXPECT_EQ(stopped.code(), 0) << stopped.err;
  EXPECT_EQ(in_new_session("kill -0 $DAEMON && echo alive"), "alive");
}

struct Noticed {
  const char* name;
  const char* rc;      // ~/.bashrc
  const char* before;  // run in ~ first
  const char* change;  // then this
};

void PrintTo(const Noticed& row, std::ostream* out) { *out << row.name; }

class ChangeOfALoginFile : public LoginFilesTest, public testing::WithParamInterface<Noticed> {};

TEST_P(ChangeOfALoginFile, IsNoticed) {
  write(".bashrc", GetParam().rc);
  const auto at_home = [&](const std::string& command) {
    EXPECT_EQ(world_.exec("cd " + world_.path("person") + " && " + command).code(), 0);
  };
  at_home(GetParam().before);
  EXPECT_EQ(in_new_session("echo ${A-none}"), "none");
  at_home(GetParam().change);
  EXPECT_EQ(in_new_session("echo ${A-none}"), "new");
}

constexpr Noticed kNoticed[] = {
    {"BehindARelativePath", "cd ~; . ./x", "touch x", "echo export A=new > x"},
    {"FoundInThePath", "cd ~; PATH=$PATH:$HOME; . x.sh", "touch x.sh", "echo export A=new > x.sh"},
    {"OfItsPermissions", "[ -x ~/x ] && . ~/x; true", "echo export A=new > x", "chmod 755 x"},
    {"OfWhetherItIsEmpty", "[ -s ~/x ] && . ~/x; true", "touch x", "echo export A=new > x"},
    {"InADirectoryThatWasEmpty", "for f in ~/d/*; do [ -r $f ] && . $f; done; true", "mkdir d",
     "echo export A=new > d/x"},
};

INSTANTIATE_TEST_SUITE_P(Login, ChangeOfALoginFile, testing::ValuesIn(kNoticed),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace talaria::test
