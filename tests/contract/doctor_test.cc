// `talaria doctor`: what it finds, what it says to do, what it removes.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;
using testing::StartsWith;

class DoctorTest : public TalariaTest {
 protected:
  json::object examined(std::vector<std::string> words = {}) {
    words.insert(words.begin(), {"doctor", "--json"});
    const Finished done = world_.run(words);
    code_ = done.code();
    return json::parse(done.out).as_object();
  }
  // "verdict found; advice" of one check.
  static std::string finding(const json::object& all, std::string_view check) {
    for (const json::value& one : all.at("findings").as_array()) {
      if (one.at("check").as_string() != check) continue;
      return std::string(one.at("verdict").as_string()) + " " +
             std::string(one.at("found").as_string()) + "; " +
             std::string(one.at("advice").as_string());
    }
    return "no such check";
  }

  void write_program(const std::string& name, const std::string& text) {
    const std::string path = world_.directory("programs") + "/" + name;
    std::ofstream(path) << "#!/bin/sh\n" << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }

  int code_ = -1;
};

TEST_F(DoctorTest, AHealthyMachine) {
  const json::object all = examined();
  EXPECT_EQ(code_, 0);
  EXPECT_TRUE(all.at("ok").as_bool());
  EXPECT_THAT(finding(all, "home"), StartsWith("ok " + world_.path("home/talaria")));
  EXPECT_THAT(finding(all, "configuration"), StartsWith("ok valid"));
  EXPECT_THAT(finding(all, "target"), StartsWith("ok local is available"));
  EXPECT_THAT(finding(all, "runner"), StartsWith("ok starts and ends"));
  EXPECT_THAT(finding(all, "bash"), StartsWith("ok GNU bash, version "));
  EXPECT_THAT(finding(all, "environments"), StartsWith("ok 0 running"));
  EXPECT_THAT(finding(all, "leftovers"), StartsWith("ok none"));
  for (const char* told : {"cgroups", "descriptors", "docker", "podman", "ssh"}) {
    EXPECT_NE(finding(all, told), "no such check") << told;
  }
  EXPECT_FALSE(std::filesystem::exists(world_.runner_directory())) << "it made an environment";
  const Finished table = world_.run({"doctor"});
  EXPECT_EQ(table.code(), 0);
  EXPECT_THAT(table.out, StartsWith("CHECK"));
}

TEST_F(DoctorTest, AHomeThatOthersMayWriteTo) {
  world_.directory("home/talaria");
  std::filesystem::permissions(world_.path("home/talaria"), std::filesystem::perms::all);
  const json::object all = examined();
  EXPECT_EQ(code_, 1);
  EXPECT_FALSE(all.at("ok").as_bool());
  EXPECT_THAT(finding(all, "home"), StartsWith("fail "));
  EXPECT_THAT(finding(all, "home"), HasSubstr("TALARIA_HOME"));
}

TEST_F(DoctorTest, AConfigurationThatMakesNoSense) {
  world_.set("TERMINAL_TIMEOUT", "soon");
  EXPECT_THAT(finding(examined(), "configuration"),
              StartsWith("fail Invalid value for TERMINAL_TIMEOUT: 'soon'"));
  EXPECT_EQ(code_, 1);
}

TEST_F(DoctorTest, ATargetThatCannotBeHad) {
  world_.set("TERMINAL_ENV", "teleport");
  const Finished ended = world_.run({"doctor"});
  EXPECT_EQ(ended.code(), 1);
  EXPECT_THAT(ended.out, testing::HasSubstr("Unknown TERMINAL_ENV 'teleport'"));
}

// "carrier is available" was the answer, whatever was at its other end.
TEST_F(DoctorTest, ACarrierIsTried) {
  world_.set("TERMINAL_ENV", "carrier");
  for (const auto& [carrier, said] :
       {std::pair{"/bin/false", "it ended without output."},
        {"echo no such pod >&2; false", "no such pod."},
        {"echo", "it printed its arguments instead of running them."}}) {
    world_.set("TERMINAL_CARRIER", carrier);
    EXPECT_EQ(finding(examined(), "target"), "fail `" + std::string(carrier) +
                                                 "` does not run programs at the target: " + said +
                                                 " Check TERMINAL_CARRIER.; see 'talaria config'");
    EXPECT_EQ(code_, 1);
  }
  world_.set("TERMINAL_CARRIER", "env");
  EXPECT_THAT(finding(examined(), "target"), StartsWith("ok carrier is available"));
  EXPECT_EQ(code_, 0);
}

// To ask those may cost money.
TEST_F(DoctorTest, ATargetThatIsNotTried) {
  world_.set("TERMINAL_ENV", "managed");
  world_.set("TOOL_GATEWAY_USER_TOKEN", "token");
  EXPECT_THAT(finding(examined(), "target"),
              StartsWith("ok managed is configured; the connection was not tested ('talaria doctor "
                         "--check managed' tests it)"));
}

TEST_F(DoctorTest, AnEngineWithoutItsDaemon) {
  const auto write = [&](const std::string& then) {
    write_program("docker",
                  "[ \"$1\" = --version ] && echo 'Docker version 28.2.2' && exit\n" + then);
  };
  world_.set("PATH", world_.directory("programs"));
  EXPECT_THAT(finding(examined(), "docker"),
              StartsWith("ok not installed (needed only for target docker)"));
  write("echo 28.2.2\n");
  EXPECT_THAT(finding(examined(), "docker"), StartsWith("ok Docker version 28.2.2"));
  write("echo 'Cannot connect to the Docker daemon' >&2; exit 1\n");
  EXPECT_THAT(finding(examined(), "docker"),
              StartsWith("warn installed (Docker version 28.2.2), but the daemon does not answer"));
  world_.set("TERMINAL_ENV", "docker");
  EXPECT_THAT(finding(examined(), "docker"), StartsWith("fail installed"));
  EXPECT_EQ(code_, 1);
}

TEST_F(DoctorTest, OtherEnginesAreAskedToo) {
  world_.set("PATH", world_.directory("programs") + ":/usr/bin:/bin");
  for (const auto& [target, program] :
       {std::pair{"podman", "podman"}, {"singularity", "apptainer"}}) {
    world_.set("TERMINAL_ENV", target);
    write_program(program, "echo 'no storage here' >&2; exit 1\n");
    const json::object broken = examined();
    EXPECT_EQ(code_, 1);
    EXPECT_THAT(finding(broken, "target"), StartsWith("fail "));
    EXPECT_THAT(finding(broken, "target"), HasSubstr("no storage here"));
    write_program(program, "exit 0\n");
    EXPECT_THAT(finding(examined(), "target"),
                StartsWith("ok " + std::string(target) + " is available"));
  }
}

TEST_F(DoctorTest, NoBash) {
  world_.set("PATH", world_.directory("empty"));
  EXPECT_THAT(finding(examined(), "bash"), StartsWith("warn "));
  EXPECT_EQ(code_, 0);
}

TEST_F(DoctorTest, AFullDisk) {
  const std::string place = world_.directory("home/talaria");
  ProgramSpec spec = world_.spec({});
  spec.argv = {"unshare", ::getuid() == 0 ? "-m" : "-rm", "sh", "-c",
               "mount -t tmpfs -o mode=700,size=1m none '" + place +
                   "' || exit 77; cat /dev/zero >'" + place + "/large' 2>/dev/null; exec '" +
                   World::talaria() + "' doctor --json"};
  Program doctor(spec);
  const auto ended = doctor.wait();
  ASSERT_TRUE(ended);
  if (exit_code_of(*ended) == 77) GTEST_SKIP() << "no mount namespace here: " << doctor.err();
  EXPECT_EQ(exit_code_of(*ended), 1);
  const json::object all = json::parse(doctor.out()).as_object();
  EXPECT_THAT(finding(all, "disk"), StartsWith("fail 0 MB free for " + world_.path("home")));
  EXPECT_THAT(finding(all, "disk"), HasSubstr("free some space"));
  EXPECT_EQ(all.at("findings").at(0).at("check"), "disk") << "the cause is not first";
}

TEST_F(DoctorTest, AStoreThatCannotBeRead) {
  ASSERT_EQ(world_.run({"token", "add", "x"}).code(), 0);
  const std::string path = world_.path("home/talaria/talaria.db");
  ASSERT_THAT(finding(examined(), "store"), StartsWith("ok " + path));
  Program written({.argv = {"/usr/bin/python3", "-c",
                            "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute("
                            "'PRAGMA wal_checkpoint(TRUNCATE)')",
                            path},
                   .env = world_.env()});
  ASSERT_TRUE(written.wait());
  const std::string good = world_.read("home/talaria/talaria.db");
  constexpr std::size_t kPage = 4096;
  ASSERT_GT(good.size(), 3 * kPage);
  std::string damaged = good;
  damaged.replace(damaged.size() - kPage, kPage, kPage, 'x');
  for (const std::string& content : {std::string(good.size(), 'x'), damaged}) {
    for (const char* more : {"-wal", "-shm"}) std::filesystem::remove(path + more);
    std::ofstream(path) << content;
    const json::object all = examined();
    EXPECT_EQ(code_, 1);
    EXPECT_THAT(finding(all, "store"), StartsWith("fail "));
    EXPECT_THAT(finding(all, "store"),
                testing::AnyOf(HasSubstr("move " + path + " away"), HasSubstr("Move it away")));
    EXPECT_THAT(finding(all, "store"), testing::Not(testing::ContainsRegex("\\.; .")));
    EXPECT_EQ(all.at("findings").at(0).at("check"), "store");
  }
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_THAT(finding(examined(), "store"), StartsWith("fail "));
}

TEST_F(DoctorTest, TheWorstIsFirst) {
  world_.set("PATH", world_.directory("empty"));  // without bash: a warning
  world_.set("TERMINAL_TIMEOUT", "soon");
  std::string verdicts;
  for (const json::value& one : examined().at("findings").as_array()) {
    verdicts += one.at("verdict").as_string().front();
  }
  EXPECT_THAT(verdicts, testing::MatchesRegex("f+w+o+"));
  const std::string table = world_.run({"doctor"}).out;
  EXPECT_LT(table.find("configuration"), table.find("bash"));
  EXPECT_LT(table.find("bash"), table.find("home"));
}

TEST_F(DoctorTest, LeftoversAreToldAndRemovedOnlyWhenAsked) {
  world_.run({"exec", "--task", "t", "export A=kept"});
  world_.runner()->kill(SIGKILL);
  EXPECT_TRUE(world_.runner()->wait_gone());
  const std::string socket = world_.runner_directory() + "/link-v1.sock";
  const std::string old = world_.path("home/talaria/bin/talaria-runner-0123456789abcdef");
  std::ofstream(old) << "x";
  ASSERT_TRUE(std::filesystem::exists(socket));

  const json::object told = examined();
  EXPECT_EQ(code_, 0);
  EXPECT_THAT(finding(told, "leftovers"), StartsWith("warn "));
  EXPECT_THAT(finding(told, "leftovers"), HasSubstr("'talaria doctor --reap'"));
  EXPECT_TRUE(std::filesystem::exists(socket));
  EXPECT_TRUE(std::filesystem::exists(old));

  EXPECT_THAT(finding(examined({"--reap"}), "leftovers"), HasSubstr(" removed"));
  EXPECT_FALSE(std::filesystem::exists(socket));
  EXPECT_FALSE(std::filesystem::exists(old));
  EXPECT_THAT(finding(examined(), "leftovers"), StartsWith("ok none"));
  EXPECT_EQ(world_.run({"exec", "--task", "t", "echo $A"}).out, "kept\n");
}

TEST_F(DoctorTest, ARunningEnvironmentIsLeftAlone) {
  world_.run({"exec", "--task", "t", "seq 100000"});
  EXPECT_THAT(finding(examined({"--reap"}), "environments"), StartsWith("ok 1 running"));
  EXPECT_TRUE(world_.runner()->alive());
  EXPECT_EQ(world_.exec("echo still here").out, "still here\n");
}

}  // namespace
}  // namespace talaria::test
