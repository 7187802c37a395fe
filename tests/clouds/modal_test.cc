// Target modal with an account of one's own: what is its own. That commands, sessions and processes
// work there as everywhere is the contract kit's to show.
#include "clouds/modal_test.h"

#include <boost/json/serialize.hpp>

#include "os/file.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const json::object& fields_of(const json::object& request) {
  return request.at("fields").as_object();
}

std::string text_of(const json::object& fields, std::string_view name) {
  const json::value* const found = fields.if_contains(name);
  return found && found->is_string() ? std::string(found->get_string()) : "";
}

TEST_F(ModalTest, AResultNamesItsTargetAndTransport) {
  const json::object result = run("pwd; exit 3");
  EXPECT_EQ(output_of(result), "/root");
  EXPECT_EQ(code_of(result), 3);
  EXPECT_EQ(text(result, "target"), "modal");
  EXPECT_EQ(text(result, "transport"), "link");
}

TEST_F(ModalTest, ASandboxIsMadeAsTheSettingsSay) {
  world_.set("TERMINAL_CONTAINER_CPU", "0.5");
  world_.set("TERMINAL_CONTAINER_MEMORY", "1024");
  world_.set("TERMINAL_CONTAINER_DISK", "2048");
  world_.set("TERMINAL_MODAL_SANDBOX_TIMEOUT", "600");
  world_.set("MODAL_ENVIRONMENT", "dev");
  world_.set("MODAL_IMAGE_BUILDER_VERSION", "2025.06");
  run("true");
  const auto apps = cloud_->requests("AppGetOrCreate");
  ASSERT_FALSE(apps.empty());
  EXPECT_EQ(text_of(fields_of(apps.front()), "app_name"), "hermes-agent");
  EXPECT_EQ(text_of(fields_of(apps.front()), "environment_name"), "dev");
  const auto images = cloud_->requests("ImageGetOrCreate");
  ASSERT_FALSE(images.empty());
  EXPECT_EQ(text_of(fields_of(images.front()), "builder_version"), "2025.06");
  EXPECT_THAT(json::serialize(images.front()), HasSubstr(R"("FROM python:3.11","RUN rm -rf )"));
  const auto made = cloud_->requests("SandboxCreateV2");
  ASSERT_EQ(made.size(), 1u);
  const json::object& definition = fields_of(made.front()).at("definition").as_object();
  EXPECT_EQ(json::serialize(definition.at("entrypoint_args")), R"(["sleep","infinity"])");
  EXPECT_EQ(definition.at("timeout_secs").as_int64(), 600);
  EXPECT_THAT(text_of(definition, "name"), testing::StartsWith("hermes-default-"));
  const std::string resources = json::serialize(definition.at("resources"));
  EXPECT_THAT(resources, HasSubstr(R"("milli_cpu":500)"));
  EXPECT_THAT(resources, HasSubstr(R"("memory_mb":1024)"));
  EXPECT_THAT(resources, HasSubstr(R"("ephemeral_disk_mb":2048)"));
}

TEST_F(ModalTest, WithoutAWishThereIsNoLimitOfTheDisk) {
  run("true");
  const auto made = cloud_->requests("SandboxCreateV2");
  ASSERT_EQ(made.size(), 1u);
  EXPECT_THAT(json::serialize(made.front()), Not(HasSubstr("ephemeral_disk_mb")));
}

TEST_F(ModalTest, ADockerfileIsBuiltThere) {
  const std::string path = world_.directory("image") + "/Dockerfile";
  std::ofstream(path)
      << "# syntax=docker/dockerfile:1\nARG V=12\nFROM debian:$V\nENV GREETING=hello\n";
  world_.set("TERMINAL_MODAL_IMAGE", path);
  EXPECT_EQ(output_of(run("echo $GREETING")), "hello");
  std::ofstream(path) << "FROM debian\nCOPY a /b\n";
  world_.set("TERMINAL_CONTAINER_PERSISTENT", "false");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err,
              HasSubstr("Dockerfile, line 2: 'COPY a /b' needs files of this machine"));
}

TEST_F(ModalTest, AnImageThatCannotBeBuiltSaysWhy) {
  world_.set("TERMINAL_MODAL_IMAGE", "missing:1");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("FROM missing:1: failed with exit code 1"));
  EXPECT_TRUE(nothing_left());
}

TEST_F(ModalTest, AfterATimeoutTheNextCommandWorksInTheSameSandbox) {
  LinesClient agent(world_);
  const json::object late = agent.run({.command = "touch f; sleep 60", .timeout = 1});
  EXPECT_EQ(code_of(late), 124);
  EXPECT_EQ(output_of(agent.run("ls")), "f");
  EXPECT_EQ(count("SandboxTerminateV2"), 0u);
  EXPECT_EQ(count("SandboxCreateV2"), 1u);
  agent.end();
  EXPECT_TRUE(nothing_left());
}

// Modal's deadline of an exec would be said as -1: it gets none, for the runner has the command's.
TEST_F(ModalTest, ATimeoutIsTheRunnersAndNeverModals) {
  LinesClient agent(world_);
  const json::object late = agent.run({.command = "echo before; sleep 60", .timeout = 1});
  EXPECT_EQ(code_of(late), 124);
  EXPECT_THAT(output_of(late), HasSubstr("before"));
  EXPECT_THAT(json::serialize(late), HasSubstr("timed out"));
  for (const json::object& start : cloud_->requests("TaskExecStart")) {
    EXPECT_FALSE(fields_of(start).contains("timeout_secs")) << json::serialize(start);
  }
  agent.end();
}

TEST_F(ModalTest, MuchInputIsNeverAmongTheWords) {
  const std::string input(300'000, 'i');
  const Finished counted = world_.run({"exec", "--stdin", "wc -c"}, input);
  EXPECT_EQ(trim_end(counted.out), "300000") << counted.err;
  for (const json::object& start : cloud_->requests("TaskExecStart")) {
    EXPECT_LT(json::serialize(fields_of(start).at("command_args")).size(), 65'536u);
  }
}

TEST_F(ModalTest, MuchIsCarriedByOneExecInSeveralPieces) {
  LinesClient agent(world_);
  const std::string bytes(1'500'000, 'b');
  agent.call("write_file", {{"path", "/root/big"}, {"content", bytes}});
  EXPECT_EQ(output_of(agent.run("wc -c </root/big")), "1500000");
  agent.end();
  // The runner itself was delivered by the same exec, which then became the link.
  std::map<std::string, std::pair<std::int64_t, int>> carried;  // by exec: bytes and pieces
  for (const json::object& request : cloud_->requests()) {
    if (!request.at("method").as_string().starts_with("TaskExecStdinWrite")) continue;
    const json::object& fields = fields_of(request);
    const json::value* const data = fields.if_contains("data");
    if (!data) continue;
    auto& [sum, pieces] = carried[text_of(fields, "exec_id")];
    sum += data->at("bytes").as_int64();
    ++pieces;
  }
  int large = 0;
  for (const auto& [exec, facts] : carried) {
    if (facts.first < 1'500'000) continue;
    ++large;
    EXPECT_GE(facts.second, 2);
  }
  EXPECT_EQ(large, 1);
  for (const json::object& start : cloud_->requests("TaskExecStart")) {
    EXPECT_LT(json::serialize(fields_of(start).at("command_args")).size(), 65'536u);
  }
}

TEST_F(ModalTest, CredentialsAndSkillsAreCopiedAndComeBackChanged) {
  const std::string home = world_.directory("home");
  std::filesystem::create_directories(home + "/skills/one");
  std::ofstream(home + "/skills/one/SKILL.md") << "a skill\n";
  std::ofstream(home + "/token.json") << "a token\n";
  std::ofstream(home + "/config.yaml") << "terminal:\n  credential_files: [token.json]\n";
  const json::object seen =
      run("cd /root/.hermes; cat token.json skills/one/SKILL.md; echo new >token.json");
  EXPECT_EQ(output_of(seen), "a token\na skill") << json::serialize(seen);
  EXPECT_EQ(world_.read("home/token.json"), "new\n");
}

TEST_F(ModalTest, WhoWeAreIsInNoCommandLineFileOrCommand) {
  const std::string secret = cloud_->said("token_secret");
  LinesClient agent(world_);
  const int id = agent.send({.command = "env; echo on >/root/on; cat /root/go 2>&1; sleep 0.2"});
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(world_.path(there("/root/on"))); }));
  int programs = 0;
  for (const pid_t pid : os::descendants(::getpid())) {
    const auto line = os::read_file("/proc/" + std::to_string(pid) + "/cmdline", 1 << 20);
    if (!line) continue;
    if (line->contains("talaria-modal")) ++programs;
    EXPECT_THAT(*line, Not(HasSubstr(secret)));
  }
  EXPECT_GE(programs, 1);
  EXPECT_THAT(json::serialize(agent.result(id)), Not(HasSubstr(secret)));
  agent.end();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world_.path("home"))) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_THAT(os::read_file(entry.path(), 1 << 26).value_or(""), Not(HasSubstr(secret)))
        << entry.path();
  }
  EXPECT_GE(files, 1u);
}

TEST_F(ModalTest, AWrongTokenIsSaidInModalsWords) {
  world_.set("MODAL_TOKEN_SECRET", "as-another-one");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("UNAUTHENTICATED: Token validation failed"));
  EXPECT_THAT(refused.err, HasSubstr("MODAL_TOKEN_ID"));
  EXPECT_THAT(refused.err, Not(HasSubstr("as-another-one")));
  const json::object result = run("true");
  EXPECT_THAT(error_of(result), HasSubstr("Token validation failed")) << json::serialize(result);
}

TEST_F(ModalTest, AQuotaIsSaidInModalsWords) {
  begin({"--sandboxes", "0"});
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("RESOURCE_EXHAUSTED: Workspace has reached its limit of 0"));
}

TEST_F(ModalTest, WithoutCredentialsNothingIsAskedAndTheErrorSaysWhatToDo) {
  world_.set("MODAL_TOKEN_ID", "");
  world_.set("MODAL_TOKEN_SECRET", "");
  const Finished refused = world_.exec("true");
  EXPECT_EQ(refused.code(), 125);
  EXPECT_THAT(refused.err, HasSubstr("no credentials were found. Set MODAL_TOKEN_ID and"));
  EXPECT_THAT(world_.run({"doctor"}).out, HasSubstr("MODAL_TOKEN_ID"));
  EXPECT_THAT(cloud_->requests(), IsEmpty());
}

TEST_F(ModalTest, AProfileOfModalsOwnFileWillDo) {
  for (const char* name : {"MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "MODAL_SERVER_URL"}) {
    world_.set(name, "");
  }
  const std::string path = world_.directory("user") + "/.modal.toml";
  std::ofstream(path) << "[other]\ntoken_id = \"x\"\n[work]\ntoken_id = \""
                      << cloud_->said("token_id") << "\"\ntoken_secret = \""
                      << cloud_->said("token_secret") << "\"\nserver_url = \"" << cloud_->url()
                      << "\"\nactive = true\n";
  world_.set("MODAL_CONFIG_PATH", path);
  EXPECT_EQ(output_of(run("echo hi")), "hi");
}

}  // namespace
}  // namespace talaria::test
