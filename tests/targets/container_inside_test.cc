// What a command finds in a container: rights, limits, mounts, variables.
#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>

#include "targets/container_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class InsideTest : public ContainerTest {};

TEST_P(InsideTest, ACommandHasFewRightsAndLimits) {
  const Finished done = world_.exec(
      "grep -E '^(CapEff|NoNewPrivs)' /proc/self/status | tr '\\t' ' '; ls /sys/class/net; "
      "findmnt -n -o OPTIONS /tmp 2>/dev/null || grep ' /tmp ' /proc/mounts");
  EXPECT_THAT(done.out, HasSubstr("CapEff: 00000000000000cb")) << done.err;
  EXPECT_THAT(done.out, HasSubstr("NoNewPrivs: 1"));
  EXPECT_THAT(done.out, Not(HasSubstr("eth0")));
  EXPECT_THAT(done.out, HasSubstr("nosuid"));
}

TEST_P(InsideTest, ProgramsMayRunInTmp) {
  const Finished done = world_.exec("cp /bin/echo /tmp/e && /tmp/e ran");
  EXPECT_EQ(done.out, "ran\n") << done.err;
}

TEST_P(InsideTest, AnImageWithoutBashIsUsedWithShAndSaysSo) {
  if (!TALARIA_STATIC_RUNNER) return;  // no such program can run there
  world_.set("TERMINAL_DOCKER_IMAGE", engine(GetParam().poor_image));
  LinesClient agent(world_);
  const json::object first = agent.run("echo $0 ${BASH_VERSION-none}; cd /etc; export A=kept");
  EXPECT_EQ(output_of(first), "sh none");
  EXPECT_THAT(json::serialize(first), HasSubstr("this target has no bash"));
  const json::object second = agent.run("pwd; echo $A");
  EXPECT_EQ(output_of(second), "/etc\nkept");
  EXPECT_THAT(json::serialize(second), Not(HasSubstr("no bash")));
  const json::object needs_bash = agent.run("shopt -s extglob");
  EXPECT_EQ(code_of(needs_bash), 127);
  EXPECT_THAT(json::serialize(needs_bash), HasSubstr("install bash"));
}

TEST_P(InsideTest, TheEngineHasTheLimits) {
  world_.set("TERMINAL_CONTAINER_CPU", "0.5");
  ASSERT_EQ(world_.exec("true").code(), 0);
  const Finished limits = box({"inspect", "--format",
                               "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}} "
                               "{{.HostConfig.PidsLimit}}",
                               container()});
  EXPECT_EQ(limits.out, "536870912 500000000 256\n");
}

TEST_P(InsideTest, SecretsAreInNobodysCommandLine) {
  world_.set("TERMINAL_DOCKER_ENV", R"({"BOX_SECRET":"hunter2","NUMBER":3,"TRUTH":true})");
  world_.set("TERMINAL_DOCKER_FORWARD_ENV", R"(["MY_TOKEN"])");
  world_.set("MY_TOKEN", "swordfish");
  LinesClient agent(world_);
  const json::object result = agent.run("echo $BOX_SECRET $NUMBER $TRUTH $MY_TOKEN");
  EXPECT_EQ(output_of(result), "hunter2 3 True swordfish");
  const Finished seen = shell("cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '");
  EXPECT_THAT(seen.out, Not(HasSubstr("hunter2")));
  EXPECT_THAT(seen.out, Not(HasSubstr("swordfish")));
}

TEST_P(InsideTest, TheControllersOwnVariablesStayHere) {
  world_.set("OPENAI_API_KEY", "sk-secret");
  world_.set("AWS_ACCESS_KEY_ID", "mine");
  world_.set("HERMES_SESSION_KEY", "chat-1");
  const Finished done = world_.exec("env");
  EXPECT_THAT(done.out, Not(HasSubstr("sk-secret")));
  EXPECT_THAT(done.out, Not(HasSubstr("AWS_ACCESS_KEY_ID")));
  EXPECT_THAT(done.out, HasSubstr("HERMES_SESSION_KEY=chat-1"));
}

TEST_P(InsideTest, TheCallersDirectoryIsTheWorkspaceIfAskedFor) {
  const std::string work = world_.directory("project");
  world_.set("TERMINAL_DOCKER_MOUNT_CWD_TO_WORKSPACE", "true");
  world_.set("TERMINAL_CWD", work);
  const Finished done = world_.exec("pwd; echo made >here");
  EXPECT_EQ(done.out, "/workspace\n") << done.err;
  EXPECT_EQ(world_.read("project/here"), "made\n");
}

TEST_P(InsideTest, VolumesAreMounted) {
  const std::string data = world_.directory("data");
  world_.set("TERMINAL_DOCKER_VOLUMES", R"([")" + data + R"(:/data", "nonsense", 7])");
  LinesClient agent(world_);
  const json::object result = agent.run("echo x >/data/x");
  EXPECT_EQ(code_of(result), 0);
  EXPECT_EQ(world_.read("data/x"), "x\n");
  EXPECT_THAT(notices_of(result), HasSubstr("'nonsense' has no ':'"));
  EXPECT_THAT(notices_of(result), HasSubstr("entry 3 is not a string"));
}

TEST_P(InsideTest, TheHostsUserIsTheContainersIfAskedFor) {
  world_.set("TERMINAL_DOCKER_RUN_AS_HOST_USER", "true");
  const Finished done = world_.exec("id -u; id -g");
  EXPECT_EQ(done.out, std::to_string(::getuid()) + "\n" + std::to_string(::getgid()) + "\n");
}

TEST_P(InsideTest, FilesOfPersistentContainersAreOnThisMachine) {
  ASSERT_EQ(world_.exec("echo home >/root/f; echo work >/workspace/f").code(), 0);
  EXPECT_EQ(world_.read("sandboxes/docker/default/home/f"), "home\n");
  EXPECT_EQ(world_.read("sandboxes/docker/default/workspace/f"), "work\n");
}

TEST_P(InsideTest, ATimeoutEndsTheWholeTreeThere) {
  const Finished late =
      world_.run({"exec", "--timeout", "1",
                  "(setsid sleep 4325.5 &); trap '' TERM; sleep 4325.5; sleep 4325.5"});
  EXPECT_EQ(late.code(), 124) << late.err;
  const Finished left = world_.exec("grep -slz 4325[.]5 /proc/[0-9]*/cmdline | wc -l");
  EXPECT_EQ(trim_end(left.out), "0");
}

TEST_P(InsideTest, NoZombiesAreLeftThere) {
  ASSERT_EQ(world_.exec("for i in 1 2 3 4 5; do (setsid sh -c 'sleep 0.01' &); done").code(), 0);
  EXPECT_TRUE(eventually([&] {
    return trim_end(
               world_.exec("grep -l '^State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l").out) ==
           "0";
  }));
}

// Docker only: podman asks loopback, too, for a certificate.
class PulledTest : public ContainerTest {};

TEST_P(PulledTest, AnImageIsPulledAndWhoeverWaitsIsTold) {
  // A runner with sanitizers is not static, and needs more than the poor one has.
  const std::string name = engine(TALARIA_STATIC_RUNNER ? GetParam().poor_image : GetParam().image);
  Program registry(
      {.argv = {TALARIA_REGISTRY, name},
       .env = {"PATH=/usr/local/bin:/usr/bin:/bin", "DOCKER_HOST=" + engine("DOCKER_HOST"),
               "DOCKER_CONFIG=" + engine("DOCKER_CONFIG")}});
  ASSERT_TRUE(registry.read_until_contains("\n"));
  const std::string image = "127.0.0.1:" + trim_end(registry.out()) + "/" + name;
  world_.set("TERMINAL_DOCKER_IMAGE", image);
  const Finished done = world_.exec("echo here");
  EXPECT_EQ(done.out, "here\n") << done.err;
  EXPECT_THAT(done.err, HasSubstr("docker is pulling the image " + image));
  EXPECT_THAT(world_.exec("true").err, Not(HasSubstr("pulls")));
  box({"rm", "-f", container()});
  EXPECT_EQ(box({"rmi", image}).code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, PulledTest, testing::Values(kContainerEngines[0]), engine_name);

INSTANTIATE_TEST_SUITE_P(Engines, InsideTest, testing::ValuesIn(kContainerEngines), engine_name);

}  // namespace
}  // namespace talaria::test
