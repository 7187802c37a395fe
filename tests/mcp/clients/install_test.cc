// `talaria mcp install`: what it writes is what the client's own parser reads.
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class McpInstallTest : public TalariaTest {
 protected:
  // In the directory of a project.
  Finished install(std::vector<std::string> words) {
    words.insert(words.begin(), {"mcp", "install"});
    ProgramSpec spec = world_.spec(words);
    spec.cwd = world_.directory("project");
    Program program(spec);
    const auto status = program.wait();
    EXPECT_TRUE(status);
    return {.status = status.value_or(Exited{125}), .out = program.out(), .err = program.err()};
  }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(fs::path(world_.path(name)).parent_path());
    std::ofstream(world_.path(name)) << text;
  }

  // As Python's own reader has it.
  json::value toml(const std::string& name) {
    Program python({.argv = {"/usr/bin/python3", "-c",
                             "import json,sys,tomllib\n"
                             "print(json.dumps(tomllib.load(open(sys.argv[1],'rb'))))",
                             world_.path(name)},
                    .env = world_.env()});
    EXPECT_TRUE(python.wait());
    EXPECT_EQ(python.err(), "");
    return json::parse(python.out());
  }
};

TEST_F(McpInstallTest, WritesWhatEachClientReads) {
  const struct {
    const char* client;
    const char* file;
    const char* place;  // of the server in it
  } cases[] = {{"claude", "project/.mcp.json", "/mcpServers/talaria"},
               {"vscode", "project/.vscode/mcp.json", "/servers/talaria"},
               {"cursor", "user/.cursor/mcp.json", "/mcpServers/talaria"},
               {"codex", "user/.codex/config.toml", "/mcp_servers/talaria"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.client);
    const Finished shown = install({c.client, "--dry-run"});
    EXPECT_EQ(shown.code(), 0) << shown.err;
    EXPECT_THAT(shown.out, HasSubstr(world_.path(c.file)));
    EXPECT_FALSE(fs::exists(world_.path(c.file)));

    const Finished made = install({c.client});
    EXPECT_EQ(made.code(), 0) << made.err;
    const std::string text = world_.read(c.file);
    const json::value read =
        fs::path(c.file).extension() == ".toml" ? toml(c.file) : json::parse(text);
    const json::object& server = read.at_pointer(c.place).as_object();
    EXPECT_EQ(server.at("command").as_string(), fs::canonical(World::talaria()).string());
    EXPECT_EQ(server.at("args"), json::parse(R"(["mcp"])"));
    EXPECT_THAT(shown.out, HasSubstr(text));

    const Finished again = install({c.client});
    EXPECT_EQ(again.code(), 0) << again.err;
    EXPECT_THAT(again.out, HasSubstr("already configured in "));
    EXPECT_EQ(world_.read(c.file), text);
  }
}

// Half of it for a program and half for a server somewhere would be neither.
TEST_F(McpInstallTest, AnEntryThatLeadsElsewhereIsLeftAlone) {
  const struct {
    const char* client;
    const char* file;
    const char* text;
  } cases[] = {
      {"codex", "user/.codex/config.toml", "[mcp_servers.talaria]\nurl = \"http://h/mcp\"\n"},
      {"cursor", "user/.cursor/mcp.json",
       "{\"mcpServers\": {\"talaria\": {\"url\": \"http://h/mcp\"}}} // mine\n"},
      {"vscode", "project/.vscode/mcp.json",
       "{\"servers\": {\"talaria\": {\"type\": \"http\", \"url\": \"http://h/mcp\",},},}\n"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.client);
    write(c.file, c.text);
    const Finished refused = install({c.client});
    EXPECT_EQ(refused.code(), 1);
    EXPECT_THAT(refused.err, HasSubstr("has a url"));
    EXPECT_EQ(world_.read(c.file), c.text);
  }
}

TEST_F(McpInstallTest, KeepsWhatIsThereAndItsMode) {
  write("user/dotfiles/mcp.json",
        "{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"},},\n}\n");
  fs::create_directories(world_.path("user/.cursor"));
  fs::create_symlink("../dotfiles/mcp.json", world_.path("user/.cursor/mcp.json"));
  ASSERT_EQ(::chmod(world_.path("user/dotfiles/mcp.json").c_str(), 0640), 0);
  EXPECT_EQ(install({"cursor", "--target", "docker"}).code(), 0);
  const std::string text = world_.read("user/dotfiles/mcp.json");
  EXPECT_THAT(text,
              StartsWith("{\n  // mine\n  \"mcpServers\": {\"other\": {\"command\": \"x\"},"));
  EXPECT_THAT(text, HasSubstr(R"("args": ["mcp","--target","docker"])"));
  EXPECT_TRUE(fs::is_symlink(world_.path("user/.cursor/mcp.json")));
  struct stat info{};
  ASSERT_EQ(::stat(world_.path("user/dotfiles/mcp.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 0640u);

  write("user/.codex/config.toml",
        "model = \"m\"\n[mcp_servers.talaria]\ncommand = \"/old\"\ntool_timeout_sec = 600\n");
  EXPECT_EQ(install({"codex"}).code(), 0);
  const json::value codex = toml("user/.codex/config.toml");
  EXPECT_EQ(codex.at("model").as_string(), "m");
  EXPECT_EQ(codex.at_pointer("/mcp_servers/talaria/tool_timeout_sec"), 600);
  EXPECT_NE(codex.at_pointer("/mcp_servers/talaria/command").as_string(), "/old");
  EXPECT_EQ(codex.at_pointer("/mcp_servers/talaria/env/TALARIA_HOME").as_string(),
            world_.path("home"));
}

// `codex exec` refused every command, and nothing said how to change that.
TEST_F(McpInstallTest, OffersTheApprovalModeOfCodex) {
  const char* const file = "user/.codex/config.toml";
  const char* const place = "/mcp_servers/talaria/default_tools_approval_mode";
  EXPECT_THAT(install({"codex"}).out, HasSubstr("--approval-mode approve"));
  EXPECT_THAT(world_.read(file), Not(HasSubstr("approval_mode")));
  for (const char* mode : {"approve", "prompt"}) {
    const Finished made = install({"codex", "--approval-mode", mode});
    EXPECT_EQ(made.code(), 0) << made.err;
    EXPECT_THAT(made.out, Not(HasSubstr("--approval-mode")));
    EXPECT_EQ(toml(file).at_pointer(place).as_string(), mode);
  }
  EXPECT_EQ(install({"codex"}).code(), 0);
  EXPECT_EQ(toml(file).at_pointer(place).as_string(), "prompt") << "it is kept";
  EXPECT_EQ(install({"cursor", "--approval-mode", "approve"}).code(), 2);
  EXPECT_EQ(install({"codex", "--approval-mode", "never"}).code(), 2);
}

TEST_F(McpInstallTest, LeavesAFileAloneThatItCannotRead) {
  write("project/.mcp.json", "{\"mcpServers\": {\n");
  const Finished refused = install({"claude"});
  EXPECT_EQ(refused.code(), 1);
  EXPECT_THAT(refused.err, HasSubstr("nothing was changed"));
  EXPECT_THAT(refused.err, HasSubstr("\"talaria\": {"));
  EXPECT_EQ(world_.read("project/.mcp.json"), "{\"mcpServers\": {\n");

  write("user/.codex/config.toml", "mcp_servers = { other = { command = 'x' } }\n");
  EXPECT_EQ(install({"codex"}).code(), 1);
  EXPECT_EQ(world_.read("user/.codex/config.toml"),
            "mcp_servers = { other = { command = 'x' } }\n");

  fs::create_directories(world_.path("project/.vscode/mcp.json"));
  EXPECT_EQ(install({"vscode"}).code(), 1);
}

TEST_F(McpInstallTest, TellsTheCommandOfClaudeAndWhatIsWrong) {
  const Finished user = install({"claude", "--user"});
  EXPECT_EQ(user.code(), 0);
  EXPECT_THAT(user.out, HasSubstr("claude mcp add --env TALARIA_HOME="));
  EXPECT_THAT(user.out, HasSubstr(" --scope user talaria -- "));
  EXPECT_FALSE(fs::exists(world_.path("user/.claude.json")));
  EXPECT_EQ(install({"emacs"}).code(), 2);
  EXPECT_EQ(install({"cursor", "--user", "--project"}).code(), 2);

  world_.set("CODEX_HOME", world_.path("codex"));
  EXPECT_THAT(install({"codex"}).out, HasSubstr(world_.path("codex/config.toml")));
}

TEST_F(McpInstallTest, WhatAProjectSharesNamesNoMachineIfThatCanBe) {
  fs::create_symlink(World::talaria(), world_.directory("bin") + "/talaria");
  world_.set("PATH", world_.path("bin") + ":/usr/bin:/bin");
  EXPECT_EQ(install({"claude"}).code(), 0);
  const std::string text = world_.read("project/.mcp.json");
  EXPECT_THAT(text, HasSubstr("\"command\": \"talaria\""));
  EXPECT_THAT(text, Not(HasSubstr("TALARIA_HOME")));
}

}  // namespace
}  // namespace talaria::test
