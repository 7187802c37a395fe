// The contract kit, column by column: `talaria doctor --check` against real engines. What it found
// is kept in the build directory; scripts/matrix draws all columns beside each other.
#include <filesystem>
#include <fstream>
#include <set>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>

#include "carriers/carrier_test.h"
#include "clouds/fake_cloud.h"

namespace talaria::test {
namespace {

constexpr std::chrono::seconds kLongest{240};  // for all cases of a column

class KitBase : public CarrierBase {
 protected:
  void SetUp() override {
    CarrierBase::SetUp();
    world_.set("TERMINAL_ENV", "local");  // --check has to say where
  }

  Finished check(const std::string& target, const std::string& only = "") {
    std::vector<std::string> words{"doctor", "--check", target, "--json"};
    if (!only.empty()) words.insert(words.end(), {"--only", only});
    const auto program = world_.start(words);
    const auto status = program->wait(kLongest);
    return {status.value_or(Signaled{SIGALRM}), program->out(), program->err()};
  }

  static json::object parsed(const Finished& done) {
    boost::system::error_code flaw;
    const json::value report = json::parse(done.out, flaw);
    if (flaw || !report.is_object()) {
      ADD_FAILURE() << "no report: " << done.out << done.err;
      return {{"cases", json::array{}}};
    }
    return report.as_object();
  }

  // The names of the cases that ended so.
  static std::set<std::string> ended(const json::object& report, std::string_view end) {
    std::set<std::string> names;
    for (const json::value& one : report.at("cases").as_array()) {
      if (one.at("end").as_string() != end) continue;
      names.insert(std::string(one.at("group").as_string()) + "/" +
                   std::string(one.at("name").as_string()));
    }
    return names;
  }
};

struct Column {
  const char* name;
  const char* target;     // as in TERMINAL_ENV
  const char* transport;  // what is absent there is declared in src/front/check/ability.cc
  void (*prepare)(class Kit& kit);
  std::size_t absent = 0;  // how many cases it may excuse itself from
};

void PrintTo(const Column& column, std::ostream* out) { *out << column.name; }

class Kit : public KitBase, public testing::WithParamInterface<Column> {
 public:
  using CarrierBase::use_docker;
  using CarrierBase::use_ssh;
  void set(const std::string& name, const std::string& value) { world_.set(name, value); }
  std::string directory(const std::string& name) { return world_.directory(name); }
  // `talaria serve` with these settings and a home of its own, for target managed.
  void serve(const std::string& target, const std::vector<std::string>& settings) {
    const auto at_gateway = [&](std::vector<std::string> words) {
      ProgramSpec spec = world_.spec(std::move(words));
      for (const char* name : {"TALARIA_HOME", "HERMES_HOME", "TERMINAL_ENV", "TERMINAL_CWD"}) {
        std::erase_if(spec.env, [&](const std::string& entry) {
          return entry.starts_with(std::string(name) + "=");
        });
      }
      spec.env.push_back("TALARIA_HOME=" + world_.directory("gateway"));
      spec.env.insert(spec.env.end(), settings.begin(), settings.end());
      return spec;
    };
    Program token(at_gateway({"token", "add", "kit"}));
    ASSERT_TRUE(token.wait()) << token.err();
    set("TOOL_GATEWAY_USER_TOKEN", trim_end(token.out()));
    gateway_ = std::make_unique<Program>(
        at_gateway({"serve", "--log", "off", "--target", target, "--listen", "127.0.0.1:0"}));
    ASSERT_TRUE(gateway_->read_until_contains(", target ")) << gateway_->err();
    const std::size_t at = gateway_->out().find("http://");
    set("MODAL_GATEWAY_URL", gateway_->out().substr(at, gateway_->out().find(',', at) - at));
  }

  // A fake of that cloud; nothing may be left there in the end.
  void use_cloud(const std::string& name) {
    cloud_ = std::make_unique<FakeCloud>(world_, name);
    cloud_->use(world_);
    world_.set("TERMINAL_ENV", "local");  // --check has to say where
  }

  // A command of this machine that takes away what the target leaves on purpose.
  void end_by(std::vector<std::string> words) { end_ = std::move(words); }

 protected:
  void SetUp() override {
    KitBase::SetUp();
    if (!IsSkipped()) GetParam().prepare(*this);
  }

  void TearDown() override {
    if (gateway_) gateway_->kill(SIGTERM);
    if (gateway_) EXPECT_TRUE(gateway_->wait());
    gateway_.reset();
    if (!end_.empty()) run_host(end_);
    if (cloud_) {
      EXPECT_TRUE(eventually([&] { return cloud_->sandboxes().empty(); }));
    }
    cloud_.reset();
    KitBase::TearDown();
  }

  void keep(const std::string& report) const {
    std::filesystem::create_directories(TALARIA_KIT_RESULTS);
    std::ofstream(std::string(TALARIA_KIT_RESULTS) + "/" + GetParam().name + ".json") << report;
  }

 private:
  std::vector<std::string> end_;
  std::unique_ptr<Program> gateway_;
  std::unique_ptr<FakeCloud> cloud_;
};

void at_home(Kit&) {}
void over_ssh(Kit& kit) { kit.use_ssh(); }
void over_docker(Kit& kit) { kit.use_docker("talaria-test", kHardened); }
void in_batches(Kit& kit) {
  kit.use_docker("talaria-test", kHardened);
  kit.set("TERMINAL_CARRIER_MODE", "batch");
}

void without_a_runner(Kit& kit) {
  kit.use_docker("talaria-test", kHardened);
  kit.set("TERMINAL_CARRIER_MODE", "plain");
  kit.set("TERMINAL_CWD", "");
}

void in_apptainer(Kit& kit) {
  const std::string bin = engine("TALARIA_APPTAINER_BIN");
  if (bin.empty()) GTEST_SKIP() << "no Apptainer for tests (tests/engines/apptainer)";
  kit.set("PATH", bin + ":/usr/local/bin:/usr/bin:/bin");
  kit.set("TERMINAL_SINGULARITY_IMAGE", engine("TALARIA_APPTAINER_SIF"));
  kit.set("TERMINAL_SCRATCH_DIR", kit.directory("scratch"));
  kit.set("TERMINAL_CWD", "/root");
  kit.end_by({"apptainer", "instance", "stop", "--all"});
}

// A container of Talaria's own making. A profile of its own keeps it apart from other tests'.
void in_containers(Kit& kit, const std::string& program, const char* image) {
  if (engine(image).empty()) GTEST_SKIP() << "no " << program << " for tests (tests/engines)";
  const std::string profile = "kit-" + std::to_string(::getpid());
  kit.set("TERMINAL_DOCKER_IMAGE", engine(image));
  kit.set("TERMINAL_DOCKER_NETWORK", "false");
  kit.set("TERMINAL_SANDBOX_DIR", kit.directory("sandboxes"));
  kit.set("TERMINAL_CWD", "");
  kit.set("HERMES_PROFILE", profile);
  kit.end_by(
      {"sh", "-c",
       program + " rm -f $(" + program + " ps -aq --filter label=hermes-profile=" + profile + ")"});
}
void in_docker(Kit& kit) { in_containers(kit, "docker", "TALARIA_DOCKER_IMAGE"); }
void in_docker_without_bash(Kit& kit) { in_containers(kit, "docker", "TALARIA_DOCKER_POOR_IMAGE"); }
void in_podman(Kit& kit) {
  for (const char* name : {"DOCKER_HOST", "DOCKER_CONFIG"}) kit.set(name, "");
  for (const char* name : {"CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF"}) {
    kit.set(name, engine(name));
  }
  in_containers(kit, "podman", "TALARIA_PODMAN_IMAGE");
}

// Containers again, but those of a gateway: the link goes through one of its execs.
void through_a_gateway(Kit& kit) {
  const std::string image = engine("TALARIA_DOCKER_IMAGE");
  if (image.empty()) GTEST_SKIP() << "no docker for tests (tests/engines)";
  const std::string profile = "kit-gateway-" + std::to_string(::getpid());
  kit.serve("docker",
            {"TERMINAL_DOCKER_IMAGE=" + image, "TERMINAL_DOCKER_NETWORK=false",
             "TERMINAL_SANDBOX_DIR=" + kit.directory("sandboxes"), "HERMES_PROFILE=" + profile});
  kit.set("TERMINAL_MODAL_IMAGE", image);
  kit.set("TERMINAL_CWD", "");
  kit.end_by(
      {"sh", "-c", "docker rm -f $(docker ps -aq --filter label=hermes-profile=" + profile + ")"});
}

// At a fake of Modal that really runs what it is told to, with an account of one's own.
void at_modal(Kit& kit) {
  if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
  if (!std::filesystem::exists(TALARIA_MODAL_PROGRAM)) GTEST_SKIP() << "built without gRPC";
  kit.use_cloud("modal");
  kit.set("TERMINAL_CWD", "");
}

void on_a_host(Kit& kit) {
  kit.use_ssh();
  kit.set("TERMINAL_SSH_HOST", "talaria-test");
  kit.set("TERMINAL_SSH_USER", engine("TALARIA_SSH_USER"));
  kit.set("TERMINAL_SSH_CONFIG", engine("TALARIA_SSH_CONFIG"));
  kit.set("TERMINAL_CWD", "");
  kit.end_by({"sh", "-c",
              engine("TALARIA_SSH") +
                  " 'for f in ~/.talaria/run*/runner-v1; do kill $(head -n 1 $f); "
                  "done; rm -rf ~/.talaria'; for s in '" +
                  kit.directory("home") +
                  "'/talaria/ssh/*; do ssh -o ControlPath=$s -O exit there; done"});
}

// At a fake of Daytona that really runs what it is told to (tests/clouds).
void at_daytona(Kit& kit) {
  if (const std::string why = FakeCloud::why_not(); !why.empty()) GTEST_SKIP() << why;
  kit.use_cloud("daytona");
  kit.set("TERMINAL_DAYTONA_IMAGE", "debian:bookworm-slim");
  kit.set("TERMINAL_CWD", "");
  kit.end_by({World::talaria(), "env", "rm", "--all", "--force", "--yes"});  // it is only stopped
}

// To add a target: a line here, and above what it needs beside the engine.
constexpr Column kColumns[] = {
    {"Local", "local", "link", at_home},
    {"CarrierSsh", "carrier", "link", over_ssh},
    {"CarrierDocker", "carrier", "link", over_docker},
    {"Batch", "carrier", "batch", in_batches},
    {"Plain", "carrier", "plain", without_a_runner, 101},
    {"Docker", "docker", "link", in_docker},
    {"DockerSh", "docker", "link", in_docker_without_bash, 25},
    {"Podman", "podman", "link", in_podman},
    {"Ssh", "ssh", "link", on_a_host},
    {"Singularity", "singularity", "link", in_apptainer},
    {"Managed", "managed", "link", through_a_gateway},
    {"Modal", "modal", "link", at_modal},
    {"Daytona", "daytona", "link", at_daytona},
};

TEST_P(Kit, IsGreen) {
  // With sanitizers the runner is not static, and that image has no libraries.
  if (!TALARIA_STATIC_RUNNER && GetParam().name == std::string_view("DockerSh")) return;
  const Finished done = check(GetParam().target);
  keep(done.out);
  const json::object report = parsed(done);
  for (const json::value& one : report.at("cases").as_array()) {
    const std::string_view end = one.at("end").as_string();
    EXPECT_TRUE(end == "ok" || end == "absent") << one;
  }
  EXPECT_EQ(report.at("transport").as_string(), GetParam().transport);
  EXPECT_LE(ended(report, "absent").size(), GetParam().absent);
  EXPECT_GE(ended(report, "ok").size(), 200 - GetParam().absent);
  EXPECT_EQ(done.code(), 0) << done.err;
}

INSTANTIATE_TEST_SUITE_P(Column, Kit, testing::ValuesIn(kColumns),
                         [](const auto& info) { return std::string(info.param.name); });

using BrokenTarget = KitBase;

// Targets with a flaw each, which a login file brings: the kit has to see it.
TEST_F(BrokenTarget, ThatLosesExitCodesIsSeen) {
  std::ofstream(world_.path("user/.bashrc")) << "exit() { builtin exit 0; }\n";
  const Finished done = check("local", "command/e*");
  EXPECT_EQ(done.code(), 1) << done.out;
  const json::object report = parsed(done);
  EXPECT_FALSE(report.at("ok").as_bool());
  const auto failed = ended(report, "FAILED");
  EXPECT_TRUE(failed.contains("command/exit-code-42")) << done.out;
  EXPECT_TRUE(ended(report, "ok").contains("command/errexit")) << done.out;
}

TEST_F(BrokenTarget, ThatLosesOutputIsSeen) {
  std::ofstream(world_.path("user/.bashrc")) << "seq() { command seq \"$@\" | head -n 2999; }\n";
  const auto failed = ended(parsed(check("local", "output/")), "FAILED");
  EXPECT_TRUE(failed.contains("output/of-5000-lines"));
  EXPECT_TRUE(failed.contains("output/three-megabytes"));
  EXPECT_FALSE(failed.contains("output/of-errors"));
}

TEST_F(BrokenTarget, ThatForgetsDirectoriesIsSeen) {
  std::ofstream(world_.path("user/.bashrc")) << "cd() { :; }\n";
  const auto failed = ended(parsed(check("local", "directory/")), "FAILED");
  EXPECT_TRUE(failed.contains("directory/cd-is-kept"));
  EXPECT_FALSE(failed.contains("directory/an-odd-workdir-is-blocked"));
}

TEST_F(BrokenTarget, ThatLetsSecretsThroughIsSeen) {
  world_.set("TERMINAL_CARRIER", "env PERPLEXITY_API_KEY=talaria-check-must-not-see-this");
  const Finished done = check("carrier", "environment/");
  const auto failed = ended(parsed(done), "FAILED");
  EXPECT_TRUE(failed.contains("environment/has-no-secret-of-the-controller")) << done.out;
  shell("kill $(head -n 1 '" + world_.path("user/.talaria") + "'/run-*/runner-v1)");
}

TEST_F(BrokenTarget, ThatIsNotThereIsNamed) {
  world_.set("TERMINAL_CARRIER", "echo nobody home >&2; false");
  const Finished done = check("carrier");
  EXPECT_EQ(done.code(), 125);
  EXPECT_NE(done.out.find("target carrier is unavailable"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("nobody home"), std::string::npos) << done.out;
  const Finished unknown = check("dokcer");
  EXPECT_EQ(unknown.code(), 2);
  EXPECT_NE((unknown.out + unknown.err).find("dokcer"), std::string::npos) << unknown.err;
}

TEST_F(BrokenTarget, ACaseThatIsNotThereIsSaid) {
  const Finished done = check("local", "no-such-case");
  EXPECT_EQ(done.code(), 1);
  EXPECT_NE(done.out.find("no-such-case"), std::string::npos) << done.out;
}

using KitFront = KitBase;

TEST_F(KitFront, APersonGetsATableAndASummary) {
  const Finished done = world_.run({"doctor", "--check", "local", "--only", "input/"});
  EXPECT_EQ(done.code(), 0) << done.err;
  EXPECT_NE(done.out.find("reaches-children"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("local over link: "), std::string::npos) << done.out;
  EXPECT_NE(done.out.find(" 0 failed, 0 skipped"), std::string::npos) << done.out;
}

TEST_F(KitFront, OddWordsAreRefused) {
  EXPECT_EQ(world_.run({"doctor", "--only", "x"}).code(), 2);
  EXPECT_EQ(world_.run({"doctor", "--check", "local", "--reap"}).code(), 2);
  EXPECT_EQ(world_.run({"doctor", "--check", ""}).code(), 2);
}

// A row without an id was one of them, and agents were notified of the others.
TEST_F(KitFront, WhatItStartedIsNotLostLater) {
  const std::string there = world_.directory("there");
  world_.set("TERMINAL_CARRIER", "env HOME=" + there);
  const Finished done = check("carrier", "process/");
  EXPECT_EQ(done.code(), 0) << done.out;
  EXPECT_TRUE(ended(parsed(done), "ok").contains("process/has-the-sessions-state")) << done.out;
  const Finished rows =
      run_host({"python3", "-c",
                "import sqlite3, sys; rows = list(sqlite3.connect(sys.argv[1]).execute("
                "'SELECT id, command, ended FROM processes')); print(len(rows) > 10, "
                "[row for row in rows if not row[0] or row[2] is None])",
                world_.path("home/talaria/talaria.db")});
  EXPECT_EQ(rows.out, "True []\n") << rows.err;

  // Its runner goes, with all that it knew.
  const auto end_runner = [&] {
    const std::string directory = directory_below(there + "/.talaria", "run-");
    const auto runner = Runner::in(directory);
    if (!runner) return;
    runner->kill(SIGTERM);
    EXPECT_TRUE(runner->wait_gone());
    std::filesystem::remove_all(directory);
  };
  end_runner();
  world_.set("TERMINAL_ENV", "carrier");
  EXPECT_EQ(world_.exec("true").code(), 0);
  EXPECT_EQ(world_.run({"events", "--all"}).out.find("lost"), std::string::npos);
  const Finished listed = world_.run({"ps", "--all", "--json"});
  EXPECT_EQ(listed.code(), 0) << listed.err;
  EXPECT_EQ(listed.out.find("\"id\":\"\""), std::string::npos) << listed.out;
  EXPECT_EQ(listed.out.find("\"lost\""), std::string::npos) << listed.out;
  end_runner();
}

// `command -v python3` was taken for a Python: where it has no json (python3-minimal), scripts that
// call tools failed as if the target were broken.
TEST_F(KitFront, APythonWithoutJsonIsNoFaultOfTheTarget) {
  const std::string place = world_.directory("python");
  const Finished made = shell(
      "lib=$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path(\"stdlib\"))'); "
      "own='" +
      place + "'/lib/${lib##*/}; mkdir -p \"$own\" '" + place +
      "/bin'; "
      "ln -s \"$lib\"/* \"$own\"; rm \"$own/json\"; "
      "printf '#!/bin/sh\\nPYTHONHOME=\"%s\" exec /usr/bin/python3 \"$@\"\\n' '" +
      place + "' >'" + place + "/bin/python3'; chmod +x '" + place + "/bin/python3'");
  ASSERT_EQ(made.code(), 0) << made.err;
  world_.set("PATH", place + "/bin:/usr/bin:/bin");
  ASSERT_NE(world_.exec("python3 -c 'import json'").code(), 0);
  const Finished has = world_.exec("python3 -c 'import os, subprocess, tempfile, threading'");
  ASSERT_EQ(has.code(), 0) << has.err;
  const Finished done = check("local", "script/");
  EXPECT_EQ(done.code(), 0) << done.out;
  EXPECT_TRUE(ended(parsed(done), "FAILED").empty()) << done.out;
  EXPECT_GE(ended(parsed(done), "ok").size(), 16u) << done.out;
  const Finished script =
      world_.run({"call", "execute_code",
                  R"json({"code":"from hermes_tools import terminal\nterminal('true')"})json"});
  EXPECT_NE(script.out.find("hermes_tools needs the module json"), std::string::npos) << script.out;
}

TEST_F(KitFront, AStopSignalEndsItAndNothingIsLeft) {
  const std::string place = world_.directory("tmp");
  world_.set("TMPDIR", place);
  const auto program = world_.start({"doctor", "--check", "local", "--json"});
  const auto case_has_begun = [&] {
    for (const auto& run : std::filesystem::directory_iterator(place)) {
      if (std::filesystem::exists(run.path() / "command-program-not-executable/plain")) return true;
    }
    return false;
  };
  ASSERT_TRUE(eventually(case_has_begun));
  program->kill(SIGINT);
  ASSERT_TRUE(program->wait(std::chrono::seconds(60)));
  EXPECT_NE(program->out().find("\"not_run\""), std::string::npos) << program->out();
  EXPECT_TRUE(ended(json::parse(program->out()).as_object(), "FAILED").empty()) << program->out();
  EXPECT_TRUE(std::filesystem::is_empty(place));
}

}  // namespace
}  // namespace talaria::test
