// The gateway with other targets behind it, of real engines.
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <string>

#include "gateway/target_fixture.h"
#include "os/unique_fd.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_P(GatewayTargetTest, ASandboxIsAPlaceOfItsOwnAndSurvivesTheGateway) {
  HttpTestClient http = client();
  const json::object wanted{
      {"image", image_}, {"cwd", "/srv/here"}, {"persistentFilesystem", true}, {"logicalKey", "k"}};
  const HttpAnswer made = http.post("/v1/sandboxes", body(wanted));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.json().at("isolated").as_bool(), is_container());
  const std::string sandbox = made.text("id");
  EXPECT_EQ(run(http, sandbox, "a", "pwd; cat > f; cat f", {{"stdinData", "x\n"}})
                .at("output")
                .as_string(),
            made.text("cwd") + "\nx\n");
  const std::string other = create(http, {{"image", image_}});
  EXPECT_EQ(run(http, other, "a", "[ ! -e f ] && [ ! -e /srv/here ] && exit 7")
                .at("returncode")
                .as_int64(),
            7);

  http.post(execs(sandbox) + "?wait=0",
            body({{"execId", "long"},
                  {"command", "until [ -e go ]; do sleep 0.05; done; echo went; exit 3"}}));
  ASSERT_TRUE(
      eventually([&] { return http.get(execs(sandbox) + "/long").text("status") == "running"; }));
  kill_gateway();
  begin();
  HttpTestClient again = client();
  run(again, sandbox, "go", "touch go");
  const HttpAnswer ended = again.get(execs(sandbox) + "/long?wait=30000");
  EXPECT_EQ(ended.text("output"), "went\n") << ended.body;
  EXPECT_EQ(ended.json().at("returncode").as_int64(), 3);

  end(again, sandbox, true);
  end(again, other, false);
  if (is_container()) {
    EXPECT_TRUE(eventually([&] { return left().empty(); })) << left();
  }

  // T-173, elsewhere than on this machine.
  const std::string second = create(again, wanted);
  EXPECT_EQ(run(again, second, "a", "cat f").at("output").as_string(), "x\n");
  end(again, second, false);
}

TEST_P(GatewayTargetTest, EverythingAnExecCanDoWorksAndNothingOfItStays) {
  HttpTestClient http = client();
  const std::string sandbox = create(http, {{"image", image_}});
  const std::string base = execs(sandbox);

  // Input piece by piece, and output as it comes.
  http.post(base + "?wait=0", body({{"execId", "in"}, {"command", "cat"}, {"stdin", true}}));
  ASSERT_TRUE(eventually([&] { return http.get(base + "/in").text("status") == "running"; }));
  EXPECT_EQ(http.post(base + "/in/stdin", body({{"data", "one\n"}})).status, 200);
  HttpTestClient reader = client();
  ASSERT_TRUE(reader.send(reader.request("GET", base + "/in/output", "")));
  EXPECT_THAT(reader.receive_until("one\\n"), HasSubstr("event: output"));
  EXPECT_EQ(http.post(base + "/in/stdin", body({{"data", "two\n"}, {"end", true}})).status, 200);
  EXPECT_EQ(http.get(base + "/in?wait=30000").text("output"), "one\ntwo\n");

  // Cancelled with all its children.
  http.post(base + "?wait=0",
            body({{"execId", "tree"}, {"command", "sleep 301 & echo up; sleep 301"}}));
  HttpTestClient tree = client();
  ASSERT_TRUE(tree.send(tree.request("GET", base + "/tree/output", "")));
  ASSERT_THAT(tree.receive_until("up\\n"), HasSubstr("up"));
  EXPECT_EQ(http.post(base + "/tree/cancel").status, 202);
  const HttpAnswer cancelled = http.get(base + "/tree?wait=30000");
  EXPECT_EQ(cancelled.text("status"), "cancelled") << cancelled.body;
  EXPECT_EQ(cancelled.json().at("returncode").as_int64(), 130);

  const json::object slow = run(http, sandbox, "slow", "echo a; sleep 301", {{"timeoutMs", 300}});
  EXPECT_EQ(slow.at("status").as_string(), "timeout");
  EXPECT_EQ(slow.at("output").as_string(), "a\n[Command timed out after 0.3s]");

  http.post(base + "?wait=0", body({{"execId", "sig"},
                                    {"command",
                                     "trap 'echo heard; exit 5' USR1; "
                                     "(trap '' USR1; echo up; exec sleep 301) & wait $!"}}));
  HttpTestClient watcher = client();
  ASSERT_TRUE(watcher.send(watcher.request("GET", base + "/sig/output", "")));
  ASSERT_THAT(watcher.receive_until("up\\n"), HasSubstr("up"));
  EXPECT_EQ(http.post(base + "/sig/signal", body({{"signal", "USR1"}})).status, 200);
  const HttpAnswer heard = http.get(base + "/sig?wait=30000");
  EXPECT_EQ(heard.text("output"), "up\nheard\n");
  EXPECT_EQ(heard.json().at("returncode").as_int64(), 5);

  // Ended when its shell has; what it left goes on, until the sandbox goes.
  const json::object left_one =
      run(http, sandbox, "left", "sleep 302 & echo started; exec 1>&-; exit 0");
  EXPECT_EQ(left_one.at("status").as_string(), "completed");
  EXPECT_THAT(std::string(left_one.at("output").as_string()), StartsWith("started"));

  end(http, sandbox, false);
  EXPECT_EQ(http.get("/v1/sandboxes/" + sandbox).status, 404);
  EXPECT_TRUE(eventually([&] { return left().empty(); })) << left();
}

TEST_P(GatewayTargetTest, WhatARequestAsksForHoldsAndIsTold) {
  HttpTestClient http = client();
  const HttpAnswer made =
      http.post("/v1/sandboxes",
                body({{"image", image_}, {"cpu", 0.5}, {"memoryMiB", 256}, {"diskMiB", 700}}));
  ASSERT_EQ(made.status, 201) << made.body;
  const json::value limits = made.json().at("limits");
  const std::string sandbox = made.text("id");
  if (!is_container()) {
    EXPECT_TRUE(limits.at("cpu").is_null() && limits.at("memoryMiB").is_null()) << made.body;
  } else {
    // An engine may not be able to; then nothing is claimed.
    const bool held = !limits.at("memoryMiB").is_null();
    if (target() == "docker") EXPECT_TRUE(held) << made.body;
    const json::object run_there = run(
        http, sandbox, "look",
        "cat /sys/fs/cgroup/memory.max /sys/fs/cgroup/memory/memory.limit_in_bytes 2>/dev/null");
    if (held) {
      EXPECT_EQ(limits.at("memoryMiB").to_number<int>(), 256) << made.body;
      EXPECT_EQ(limits.at("cpu").to_number<double>(), 0.5) << made.body;
    }
    const std::string bytes(run_there.at("output").as_string());
    if (held && !bytes.empty()) EXPECT_EQ(bytes, std::to_string(256 << 20) + "\n");
  }
  if (target() == "docker") {
    EXPECT_EQ(
        trim_end(host({"docker", "inspect", "-f", "{{.HostConfig.Memory}} {{.HostConfig.NanoCpus}}",
                       trim_end(containers())})),
        "268435456 500000000");
  }
  if (is_container()) {
    EXPECT_GE(http.post("/v1/sandboxes", body({{"image", image_}, {"memoryMiB", 1}})).status, 500)
        << "no engine can do that";
  }
  kill_gateway();
  begin();
  HttpTestClient again = client();
  EXPECT_EQ(again.get("/v1/sandboxes/" + sandbox).json().at("limits"), limits)
      << "it is remembered";
  end(again, sandbox, false);
  EXPECT_TRUE(eventually([&] { return left().empty(); })) << left();
}

// A sandbox that is a container is as a new terminal there. Elsewhere it is as `bash -c`.
TEST_P(GatewayTargetTest, ASessionBeginsWithTheLoginFilesAndKeepsAnActivatedEnvironment) {
  HttpTestClient http = client();
  const auto says = [&](const std::string& sandbox, const std::string& id,
                        const std::string& command, json::object more = {}) {
    const json::object ended = run(http, sandbox, id, command, std::move(more));
    return ended.empty() ? "" : std::string(ended.at("output").as_string());
  };
  const json::object wanted{
      {"image", image_}, {"persistentFilesystem", true}, {"logicalKey", "login"}};
  const std::string first = create(http, wanted);
  EXPECT_EQ(says(first, "a",
                 "echo 'export FROM_LOGIN=yes; greet() { echo hello $1; }' >~/.bash_profile; "
                 "echo \"[$FROM_LOGIN]\""),
            "[]\n");
  end(http, first, true);
  const std::string second = create(http, wanted);  // its home is that of the first
  const std::string look = "echo \"[$FROM_LOGIN] $(greet you 2>/dev/null)\"";
  const std::string expected = is_container() ? "[yes] hello you\n" : "[] \n";
  EXPECT_EQ(says(second, "alone", look, {{"session", false}}), expected);
  EXPECT_EQ(says(second, "a", look), expected);

  says(second, "make",
       "mkdir -p ~/venv/bin; printf '#!/bin/sh\\necho from the environment\\n' >~/venv/bin/tool-1; "
       "chmod +x ~/venv/bin/tool-1; echo 'export VIRTUAL_ENV=~/venv PATH=~/venv/bin:$PATH; "
       "deactivate() { echo off; }' >~/venv/bin/activate");
  EXPECT_EQ(says(second, "activate", ". ~/venv/bin/activate; tool-1"), "from the environment\n");
  EXPECT_EQ(says(second, "b", "tool-1; echo ${VIRTUAL_ENV##*/}; deactivate"),
            "from the environment\nvenv\noff\n");
  EXPECT_EQ(says(second, "c", "tool-1", {{"session", false}}), "from the environment\n");
  end(http, second, false);
}

// It was written on the event loop: a slow disk held all clients up.
TEST_P(GatewayTargetTest, WhileASnapshotIsWrittenOthersAreServed) {
  if (!is_container()) return;  // it is the runner's work there
  HttpTestClient http = client();
  const std::string sandbox =
      create(http, {{"image", image_}, {"persistentFilesystem", true}, {"logicalKey", "slow"}});
  run(http, sandbox, "a", "head -c 1000000 /dev/zero > ~/more-than-a-pipe-holds");
  // A disk that takes nothing: a pipe without a reader.
  const std::string directory = world_.path("home/talaria/snapshots");
  std::filesystem::create_directories(directory);
  const std::string disk = directory + "/snapshot_" + sandbox + ".tar.part";
  ASSERT_EQ(::mkfifo(disk.c_str(), 0600), 0);
  HttpTestClient ending = client();
  ASSERT_TRUE(ending.send(ending.request("POST", "/v1/sandboxes/" + sandbox + "/terminate",
                                         body({{"snapshotBeforeTerminate", true}}))));
  ASSERT_TRUE(eventually([&] { return http.get("/v1/sandboxes/" + sandbox).status == 404; }));
  os::UniqueFd reader(::open(disk.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  ASSERT_TRUE(reader);
  ASSERT_TRUE(eventually([&] {
    pollfd ready{.fd = reader.get(), .events = POLLIN};
    return ::poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0;
  }));
  EXPECT_EQ(http.get("/healthz").status, 200) << "the pipe is full, and nobody reads";
  const std::string other = create(http, {{"image", image_}});
  EXPECT_EQ(run(http, other, "a", "echo served").at("output").as_string(), "served\n");
  std::string archive;
  std::array<char, 65536> piece;
  ASSERT_TRUE(eventually([&] {
    const ssize_t size = ::read(reader.get(), piece.data(), piece.size());
    if (size > 0) archive.append(piece.data(), static_cast<std::size_t>(size));
    return size == 0;
  }));
  const HttpAnswer ended = ending.receive();
  EXPECT_EQ(ended.text("status"), "terminated") << ended.body;
  EXPECT_EQ(ended.text("snapshotError"), "");
  EXPECT_THAT(archive, HasSubstr("more-than-a-pipe-holds"));
  end(http, other, false);
}

INSTANTIATE_TEST_SUITE_P(Engines, GatewayTargetTest,
                         testing::Values(GatewayTarget{"docker", "DOCKER_HOST"},
                                         GatewayTarget{"podman", "TALARIA_PODMAN"},
                                         GatewayTarget{"singularity", "TALARIA_APPTAINER_BIN"},
                                         GatewayTarget{"ssh", "TALARIA_SSH_HOST"}),
                         testing::PrintToStringParamName());

class GatewayPoolTest : public GatewayTargetTest {
 protected:
  void SetUp() override {
    const bool docker = target() == "docker";
    world_.set("TERMINAL_DOCKER_IMAGE",
               engine(docker ? "TALARIA_DOCKER_IMAGE" : "TALARIA_PODMAN_IMAGE"));
    world_.set("TERMINAL_POOL_SIZE", "1");
    GatewayTargetTest::SetUp();
  }
};

TEST_P(GatewayPoolTest, ANewSandboxGetsTheContainerThatWaits) {
  HttpTestClient http = client();
  const auto shows = [&](const std::string& metric) {
    return http.get("/metrics").body.contains("talaria_gateway_pool_" + metric + "\n");
  };
  ASSERT_TRUE(eventually([&] { return shows("waiting 1"); }, 3 * kPatience));
  const std::string waited = containers();
  const std::string sandbox = create(http, {{"image", image_}});
  EXPECT_TRUE(shows("taken_total 1") && shows("missed_total 0") && shows("failed_total 0"));
  EXPECT_EQ(run(http, sandbox, "a", "echo $(cat /etc/hostname)").at("output").as_string(), waited);
  EXPECT_TRUE(eventually([&] { return shows("waiting 1"); }, 3 * kPatience));
  end(http, sandbox, false);
  EXPECT_THAT(containers(), testing::Not(HasSubstr(waited)));
}

INSTANTIATE_TEST_SUITE_P(Engines, GatewayPoolTest,
                         testing::Values(GatewayTarget{"docker", "DOCKER_HOST"},
                                         GatewayTarget{"podman", "TALARIA_PODMAN"}),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace talaria::test
