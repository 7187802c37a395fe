// What Talaria asks an engine and what it makes of the answers, with a program in the engine's
// place. tests/targets has the real ones.
#include "environment/docker/engine.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "environment/docker/docker_environment.h"
#include "os/file.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::docker {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class EngineTest : public testing::Test {
 protected:
  // A program that notes its words, then does this.
  std::string program(const std::string& name, const std::string& text) {
    const std::string path = directory_ + "/" + name;
    EXPECT_TRUE(os::replace_file(
        path, "#!/bin/sh\necho \"$@\" >>" + directory_ + "/asked\n" + text + "\n"));
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::string asked() const { return os::read_file(directory_ + "/asked", 1 << 20).value_or(""); }

  // No limits, so that the engine is not asked which ones it can enforce.
  EnvironmentSpec spec() const {
    std::filesystem::create_directories(directory_ + "/home");
    return {.target = "docker",
            .home = directory_ + "/home",
            .container = {.cpu = 0, .memory_mb = 0, .disk_mb = 0, .persistent = false}};
  }
  Result<std::unique_ptr<Environment>> make(const std::string& program) {
    return test::run_to_end(make_docker_environment({.binary = program, .image = "img"}, spec()));
  }

  Error error_of_making(const std::string& program) {
    auto made = make(program);
    EXPECT_FALSE(made);
    return made ? Error(ErrorKind::system, "") : made.error();
  }

  test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST_F(EngineTest, TheProgramMayBeAPathOrANameInPath) {
  const std::string path = program("my-podman", "");
  EXPECT_EQ(find_engine("docker", path), path);
  EXPECT_TRUE(find_engine("docker", "sh")->ends_with("/sh"));
}

// Another engine was used instead.
TEST_F(EngineTest, AProgramThatDoesNotExistIsNamed) {
  for (const char* none : {"/nope", "no-such-engine"}) {
    const auto found = find_engine("docker", none);
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message(),
                HasSubstr("HERMES_DOCKER_BINARY is '" + std::string(none) + "'"));
  }
}

TEST_F(EngineTest, SaysWhichThingIsWrongWithIt) {
  EXPECT_THAT(
      error_of_making(program("bad", "echo broken >&2; exit 3")).message(),
      HasSubstr("Docker command is available but 'docker version' failed. Check your Docker "
                "installation."));
  EXPECT_TRUE(os::replace_file(directory_ + "/none", "#!/no/such/shell\n"));
  ::chmod((directory_ + "/none").c_str(), 0755);
  EXPECT_THAT(
      error_of_making(directory_ + "/none").message(),
      HasSubstr("Docker executable could not be executed. Check your Docker installation."));
}

// It would be asked to make one, and that for two minutes.
TEST_F(EngineTest, OneThatCannotListContainersIsAskedWhetherItAnswersAtAll) {
  const Error error = error_of_making(program("docker", "case $1 in run) ;; *) exit 1;; esac"));
  EXPECT_THAT(error.message(), HasSubstr("'docker version' failed"));
  EXPECT_THAT(asked(), Not(HasSubstr("run -d")));
}

TEST_F(EngineTest, ThatItAnswersIsNotAskedWithoutAReason) {
  const std::string path = program("docker", "case $1 in run) echo new-id;; esac");
  ASSERT_TRUE(make(path));
  EXPECT_THAT(asked(), Not(HasSubstr("\nversion\n")));
}

TEST_F(EngineTest, WhatARunThatFailedLeftIsRemovedOnce) {
  const Error error = error_of_making(
      program("docker", "case $1 in run) echo 'no space left' >&2; exit 125;; esac; exit 0"));
  EXPECT_EQ(error.kind(), ErrorKind::unavailable);
  EXPECT_THAT(error.message(), HasSubstr("no space left"));
  const std::string words = asked();
  const std::size_t removed = words.find("rm -f hermes-");
  ASSERT_NE(removed, std::string::npos);
  EXPECT_EQ(words.find("rm -f hermes-", removed + 1), std::string::npos);
}

TEST_F(EngineTest, OneThatDoesNotStartIsReplaced) {
  const std::string path =
      program("docker",
              "case $1 in ps) printf 'abc\\texited\\n';; start) exit 1;; run) echo new-id;; esac");
  const auto made = make(path);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT(asked(), HasSubstr("start abc\n"));
  EXPECT_THAT(asked(), HasSubstr("run -d"));
}

TEST_F(EngineTest, OneThatRunsIsUsedAsItIs) {
  const std::string path =
      program("docker", "case $1 in ps) printf 'old\\texited\\nabc\\trunning\\n';; esac");
  const auto made = make(path);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)->place(), "container abc");
  EXPECT_THAT(asked(), Not(HasSubstr("run -d")));
  EXPECT_THAT(asked(), Not(HasSubstr("start")));
}

// One is made while the engine is asked, if the image is known and no lease is.
TEST_F(EngineTest, OneThatIsThereAfterAllIsUsedAndTheNewOneRemoved) {
  const std::string known = "case $1 in image) echo null;; run) echo new-id;; ";
  ASSERT_TRUE(make(program("docker", known + "esac")));
  std::filesystem::remove_all(directory_ + "/home/talaria/leases");
  std::filesystem::remove(directory_ + "/asked");
  const auto made = make(program("docker", known + "ps) printf 'abc\\trunning\\n';; esac"));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ((*made)->place(), "container abc");
  EXPECT_THAT(asked(), HasSubstr("run -d"));
  EXPECT_THAT(asked(), HasSubstr("rm -f new-id\n"));
}

TEST_F(EngineTest, TheNewOneIsNotTakenForOneThatWasThere) {
  const std::string known = "case $1 in image) echo null;; run) echo new-id-in-full;; ";
  ASSERT_TRUE(make(program("docker", known + "esac")));
  std::filesystem::remove_all(directory_ + "/home/talaria/leases");
  const auto made = make(program("docker", known + "ps) printf 'new-id\\tcreated\\n';; esac"));
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_THAT((*made)->place(), HasSubstr("container hermes-"));
  EXPECT_THAT(asked(), Not(HasSubstr("rm -f new-id")));
  EXPECT_THAT(asked(), Not(HasSubstr("start new-id")));
}

TEST_F(EngineTest, LooksForNoContainerThatIsNotToBeFoundAgain) {
  const std::string path =
      program("docker", "case $1 in ps) printf 'abc\\trunning\\n';; run) echo new;; esac");
  const DockerConfig config{.binary = path, .image = "img", .persist_across_processes = false};
  ASSERT_TRUE(test::run_to_end(make_docker_environment(config, spec())));
  EXPECT_THAT(asked(), Not(HasSubstr("ps -a")));
}

TEST_F(EngineTest, PullsAMissingImageAndReportsIt) {
  const std::string there = directory_ + "/there";
  const DockerConfig config{
      .binary = program("docker", "case $1 in image) test -e " + there +
                                      " || { echo 'Error: No such image: img' >&2; exit 1; };; "
                                      "pull) touch " +
                                      there + ";; run) echo id;; esac"),
      .image = "img"};
  std::vector<std::string> reported;
  EnvironmentSpec wanted = spec();
  wanted.progress = [&](const std::string& text) { reported.push_back(text); };
  ASSERT_TRUE(test::run_to_end(make_docker_environment(config, wanted)));
  EXPECT_THAT(asked(), HasSubstr("pull img\n"));
  EXPECT_THAT(reported, ElementsAre("docker is pulling the image img"));
}

TEST_F(EngineTest, AnS6InitIsFoundInTheImage) {
  for (const char* entrypoint : {"[\"/init\"]", "[\"/package/admin/s6-overlay/command/init\",1]"}) {
    const Engine engine(program("docker", std::string("echo '") + entrypoint + "'"));
    EXPECT_TRUE(test::run_to_end(engine.look_at("img")).has_own_init) << entrypoint;
  }
  for (const char* entrypoint : {"null", "[]", "[\"/bin/sh\"]", "nonsense", "{}"}) {
    const Engine engine(program("docker", std::string("echo '") + entrypoint + "'"));
    EXPECT_FALSE(test::run_to_end(engine.look_at("img")).has_own_init) << entrypoint;
  }
}

TEST_F(EngineTest, ADiskCanBeLimitedIfTheEngineMakesAContainerThatWay) {
  const std::string can = program("docker", "case $1 in info) echo overlay2;; esac");
  EXPECT_TRUE(test::run_to_end(Engine(can).can_limit_disk("img")));
  EXPECT_THAT(asked(), HasSubstr("--storage-opt size=1m img"));
  EXPECT_THAT(asked(), HasSubstr("rm -f hermes-probe-"));
  EXPECT_FALSE(test::run_to_end(
      Engine(program("docker", "case $1 in info) echo vfs;; esac")).can_limit_disk("img")));
  EXPECT_FALSE(test::run_to_end(
      Engine(program("docker", "case $1 in info) echo overlay2;; create) exit 1;; esac"))
          .can_limit_disk("img")));
}

TEST_F(EngineTest, KnowsOneThatIsGoneFromAnEngineThatDoesNotAnswer) {
  const auto gone = test::run_to_end(
      Engine(program("docker", "echo '[]'; echo 'Error: No such container: x' >&2; exit 1"))
          .inspect({"x"}));
  ASSERT_TRUE(gone) << gone.error().message();
  EXPECT_TRUE(gone->empty());
  const auto silent = test::run_to_end(
      Engine(program("docker", "echo '[]'; echo 'Cannot connect to the Docker daemon' >&2; exit 1"))
          .inspect({"x"}));
  ASSERT_FALSE(silent);
  EXPECT_THAT(silent.error().message(), HasSubstr("Cannot connect"));
}

}  // namespace
}  // namespace talaria::environment::docker
