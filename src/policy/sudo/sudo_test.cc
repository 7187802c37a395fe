// Whose password a command gets, with targets that run nothing. That sudo takes it, tests/ show.
#include "policy/sudo/sudo.h"

#include <sys/stat.h>

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::policy {
namespace {

using testing::HasSubstr;

// The only program found by its name is a sudo that writes down how it was called, and fails.
class SudoTest : public testing::Test {
 protected:
  SudoTest() {
    sudo_exits(1);
    ::setenv("PATH", programs_.path().c_str(), 1);
  }
  ~SudoTest() override { ::setenv("PATH", path_.c_str(), 1); }

  void sudo_exits(int code) {
    const std::string log = programs_.path("log");
    const std::string file = programs_.write(
        "sudo", "#!/bin/sh\necho \" $*\" >>" + log + "\nexit " + std::to_string(code) + "\n");
    ::chmod(file.c_str(), 0755);
  }
  std::string probes() const { return programs_.read("log"); }

  struct Program {
    host::Interaction people;
    host::ConfigPtr config;
  };
  Program program(std::vector<std::string> variables = {}) {
    Program made;
    made.people.hooks.ask_sudo_password = [this](const SudoRequest& request,
                                                 const SudoReply& reply) {
      requests_.push_back(request);
      if (answers_) reply(answer_);
    };
    const host::Caller caller = test::fake_caller(std::move(variables));
    made.config = std::make_shared<const host::Config>(read_config(caller).value());
    return made;
  }

  SudoUse prepare(Program& program, environment::CommandSpec& spec) {
    const test::FakeEnvironment environment(fake_);
    return test::run_to_end(
        prepare_sudo(program.people, program.config, "t", environment, spec, CancelToken()));
  }
  // What sudo gets; "(none)" if the command was left as it is.
  std::string password(Program& program, const std::string& command,
                       const std::string& session = "") {
    environment::CommandSpec spec{.command = command};
    if (!session.empty()) spec.env = {"HERMES_SESSION_KEY=" + session};
    prepare(program, spec);
    if (!spec.sudo_password) {
      EXPECT_EQ(spec.command, command);
      return "(none)";
    }
    EXPECT_EQ(spec.shown_command, command);
    return std::string(spec.sudo_password->view());
  }

  const std::string path_ = std::getenv("PATH");
  test::TemporaryDirectory programs_;
  std::shared_ptr<test::FakeTarget> fake_ = std::make_shared<test::FakeTarget>();
  std::vector<SudoRequest> requests_;
  std::string answer_ = "callback-pass";
  bool answers_ = true;
};

TEST_F(SudoTest, TheConfigurationWinsEvenIfItIsEmpty) {
  for (const char* value : {"secret", ""}) {
    Program one = program({"SUDO_PASSWORD=" + std::string(value)});
    EXPECT_EQ(password(one, "sudo ls"), value);
  }
  EXPECT_TRUE(requests_.empty());
  EXPECT_EQ(probes(), "(none)");
}

TEST_F(SudoTest, WithoutSudoNothingIsDone) {
  Program one = program({"SUDO_PASSWORD=secret"});
  for (const char* command : {"ls", "echo sudo", "cat <<E\nsudo x\nE\n", "", "sudo 'open"}) {
    EXPECT_EQ(password(one, command), "(none)");
  }
}

TEST_F(SudoTest, S02WithoutAPasswordTheCommandStaysAndEachIsTried) {
  sudo_exits(0);
  Program one = program();
  EXPECT_EQ(password(one, "sudo whoami"), "(none)");
  EXPECT_EQ(password(one, "sudo whoami"), "(none)");
  EXPECT_EQ(probes(), " -n true\n -n true\n");
  EXPECT_TRUE(requests_.empty());
}

TEST_F(SudoTest, S02ElsewhereItIsNeverTried) {
  sudo_exits(0);
  fake_->target = "docker";
  Program one = program();
  EXPECT_EQ(password(one, "sudo whoami"), "callback-pass");
  EXPECT_EQ(probes(), "(none)");
}

// The trap speaks of standard input; the password comes by askpass instead.
TEST_F(SudoTest, S03TheCallbackIsAskedOnce) {
  Program one = program();
  EXPECT_EQ(password(one, "sudo whoami", "a"), "callback-pass");
  EXPECT_EQ(password(one, "sudo ls", "a"), "callback-pass");
  ASSERT_EQ(requests_.size(), 1u);
  EXPECT_EQ(requests_[0].command, "sudo whoami");
  EXPECT_EQ(requests_[0].session_key, "a");
  EXPECT_EQ(requests_[0].task, "t");
  EXPECT_EQ(requests_[0].target, "local");
  EXPECT_EQ(requests_[0].timeout, std::chrono::seconds(45));
}

TEST_F(SudoTest, S04SessionsDoNotShareAPassword) {
  Program one = program();
  EXPECT_EQ(password(one, "sudo x", "a"), "callback-pass");
  answer_ = "of b";
  EXPECT_EQ(password(one, "sudo x", "b"), "of b");
  answer_ = "";
  EXPECT_EQ(password(one, "sudo x"), "(none)");  // nobody's session
  EXPECT_EQ(password(one, "sudo x", "a"), "callback-pass");
  EXPECT_EQ(requests_.size(), 3u);
  one.people.sudo_passwords.forget_all();
  EXPECT_EQ(password(one, "sudo x", "a"), "(none)");
}

TEST_F(SudoTest, NoAnswerMeansNoSudo) {
  Program one = program();
  answer_ = "";
  EXPECT_EQ(password(one, "sudo x"), "(none)");
  one.people.hooks.ask_sudo_password = [](const SudoRequest&, const SudoReply&) { throw 1; };
  EXPECT_EQ(password(one, "sudo x"), "(none)");
  one.people.hooks.ask_sudo_password = nullptr;
  EXPECT_EQ(password(one, "sudo x"), "(none)");
}

TEST_F(SudoTest, ACallThatIsGivenUpStopsAsking) {
  Program one = program();
  answers_ = false;
  CancelToken cancel;
  environment::CommandSpec spec{.command = "sudo x"};
  const test::FakeEnvironment environment(fake_);
  one.people.hooks.ask_sudo_password = [&](const SudoRequest&, const SudoReply&) {
    cancel.cancel();
  };
  EXPECT_FALSE(
      test::run_to_end(prepare_sudo(one.people, one.config, "t", environment, spec, cancel)).given);
}

TEST_F(SudoTest, ARejectedPasswordIsForgotten) {
  Program one = program();
  environment::CommandSpec spec{.command = "sudo x"};
  const SudoUse use = prepare(one, spec);
  environment::CommandOutcome outcome{.sudo_rejected = true};
  after_sudo(one.people.sudo_passwords, use, outcome);
  EXPECT_THAT(outcome.notices.at(0), HasSubstr("it is forgotten"));
  answer_ = "another";
  EXPECT_EQ(password(one, "sudo x"), "another");
}

// Where there is a runner this is void: standard input is the command's own.
TEST_F(SudoTest, S06WithoutARunnerThePasswordComesFirst) {
  fake_->transport = "plain";
  Program one = program({"SUDO_PASSWORD=secret"});
  environment::CommandSpec spec{.command = "sudo cat", .stdin_data = "abc"};
  prepare(one, spec);
  EXPECT_EQ(spec.command, "sudo -S -p '' cat");
  EXPECT_EQ(spec.stdin_data, "secret\nabc");
  EXPECT_FALSE(spec.sudo_password);
}

TEST_F(SudoTest, WithARunnerStandardInputIsTheCommandsOwn) {
  Program one = program({"SUDO_PASSWORD=secret"});
  environment::CommandSpec spec{.command = "sudo cat", .stdin_data = "abc"};
  prepare(one, spec);
  EXPECT_EQ(spec.command, "sudo -A cat");
  EXPECT_EQ(spec.stdin_data, "abc");
}

// A sudo that does not ask leaves the line to its command.
TEST_F(SudoTest, S05WithoutARunnerThePasswordIsTakenOutOfTheOutput) {
  fake_->transport = "plain";
  Program one = program({"SUDO_PASSWORD=secret"});
  std::string streamed;
  environment::CommandSpec spec{.command = "sudo cat",
                                .on_output = [&](std::string_view bytes) { streamed += bytes; }};
  const SudoUse use = prepare(one, spec);
  for (const char* piece : {"a sec", "ret\nb", " secre"}) spec.on_output(piece);
  environment::CommandOutcome outcome = test::printed("a secret\nb");
  after_sudo(one.people.sudo_passwords, use, outcome);
  EXPECT_EQ(streamed, "a ***\nb secre");
  EXPECT_EQ(outcome.head, "a ***\nb");
  EXPECT_EQ(outcome.total, outcome.head.size());
}

TEST_F(SudoTest, TellsPeopleInAChatHowToSetIt) {
  host::Config config{.home = "/h", .sudo = {.in_chat = true}};
  const std::string tip =
      "\n\n💡 Tip: To enable sudo over messaging, add SUDO_PASSWORD to /h/.env on the agent "
      "machine.";
  EXPECT_EQ(sudo_tip(config, "sudo: a password is required"), tip);
  EXPECT_EQ(sudo_tip(config, "x\nsudo: no tty present and no askpass"), tip);
  EXPECT_EQ(sudo_tip(config, "sudo: a terminal is required to read"), tip);
  EXPECT_EQ(sudo_tip(config, "fine"), "");
  config.sudo.in_chat = false;
  EXPECT_EQ(sudo_tip(config, "sudo: a password is required"), "");
}

}  // namespace
}  // namespace talaria::policy
