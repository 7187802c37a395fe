// The managed target at a gateway of our own, `talaria serve`, that has a home for itself.
#include <csignal>

#include <boost/json/serialize.hpp>

#include "managed/managed_test.h"
#include "support/canary.h"
#include "support/certificate.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

class OwnGateway : public ManagedTest {
 protected:
  void SetUp() override {
    ManagedTest::SetUp();
    world_.set("TERMINAL_CWD", "/tmp");
    world_.set("AT_THE_GATEWAY", "there");
    world_.set("HERMES_YOLO_MODE", "1");  // signs of life are outside of the sandbox
    world_.set("TALARIA_HOME", world_.directory("client"));
    const Finished made = run_at_gateway({"token", "add", "tester"});
    ASSERT_EQ(made.code(), 0) << made.err;
    token_ = trim_end(made.out);
    world_.set("TOOL_GATEWAY_USER_TOKEN", token_);
    start();
  }

  void TearDown() override {
    gateway_->kill(SIGTERM);
    EXPECT_TRUE(gateway_->wait());
    ManagedTest::TearDown();
  }

  // The world's own home is the gateway's, because that is where the runner is.
  ProgramSpec at_gateway(std::vector<std::string> words) {
    ProgramSpec spec = world_.spec(std::move(words));
    for (std::string& entry : spec.env) {
      if (entry.starts_with("TALARIA_HOME=")) entry = "TALARIA_HOME=" + world_.path("home");
      if (entry.starts_with("TERMINAL_ENV=")) entry = "TERMINAL_ENV=local";
    }
    return spec;
  }
  Finished run_at_gateway(std::vector<std::string> words) {
    Program program(at_gateway(std::move(words)));
    const auto status = program.wait();
    return {status.value_or(Signaled{SIGALRM}), program.out(), program.err()};
  }

  // At the same address as before, if there was one.
  void start() {
    std::vector<std::string> words{"serve", "--log", "off", "--listen", "127.0.0.1:" + port_};
    words.insert(words.end(), options_.begin(), options_.end());
    gateway_ = std::make_unique<Program>(at_gateway(words));
    ASSERT_TRUE(gateway_->read_until_contains(", target ")) << gateway_->err();
    const std::string mark = "127.0.0.1:";
    const std::size_t at = gateway_->out().find(mark) + mark.size();
    port_ = gateway_->out().substr(at, gateway_->out().find(',', at) - at);
    world_.set("MODAL_GATEWAY_URL",
               (options_.empty() ? "http" : "https") + std::string("://127.0.0.1:") + port_);
  }

  std::vector<std::string> options_;  // for TLS
  std::string port_ = "0";
  std::string token_;
};

// Of its two halves the first is only a name.
TEST_F(OwnGateway, TheTokenIsNowhere) {
  Canaries canaries;
  canaries.watch("the token", token_.substr(token_.rfind('_') + 1));
  {
    LinesClient agent(world_);
    for (const char* command : {"env; set", "sleep 0.3", "cat /nowhere"}) {
      canaries.look_at(json::serialize(agent.run(command)), command);
    }
    canaries.look_at_environments_of("talaria-runner");
    EXPECT_EQ(agent.end(), 0);
  }
  canaries.look_at(world_.run({"config", "--json"}).out, "talaria config");
  canaries.look_at(run_at_gateway({"token", "list", "--json"}).out, "talaria token list");
  canaries.look_below(world_.path("home"));
  canaries.look_below(world_.path("client"));
  canaries.look_at(gateway_->out() + gateway_->err(), "what the gateway says");
  canaries.end();
  EXPECT_THAT(canaries.findings(), testing::IsEmpty());
}

TEST_F(OwnGateway, SessionsAreKeptAndTheNextProgramFindsThem) {
  {
    LinesClient agent(world_);
    const json::object first = agent.run("cd /usr; export A=1; f() { echo \"f $A\"; }");
    EXPECT_EQ(code_of(first), 0) << output_of(first);
    EXPECT_EQ(first.at("transport").as_string(), "plain") << "target local is not isolated";
    EXPECT_EQ(output_of(agent.run("pwd; f")), "/usr\nf 1");
  }
  EXPECT_EQ(output_of(run("pwd; f")), "/usr\nf 1");
}

// Unset variables, options and the umask were lost there.
TEST_F(OwnGateway, SessionsKeepWhatTheyKeepElsewhere) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("echo $AT_THE_GATEWAY")), "there");
  EXPECT_EQ(code_of(agent.run("umask 027; set -o pipefail -o noclobber; shopt -s extglob dotglob; "
                              "unset AT_THE_GATEWAY; export B=2; cd /usr")),
            0);
  EXPECT_EQ(
      output_of(agent.run("umask; shopt -q extglob && shopt -q dotglob && echo globs; "
                          "false | true || echo pipefail; echo ${AT_THE_GATEWAY-unset} $B; pwd")),
      "0027\nglobs\npipefail\nunset 2\n/usr");
  EXPECT_EQ(output_of(agent.run("g() { case $1 in @(a|b)) echo yes;; esac; }; "
                                "shopt -s expand_aliases; alias g2='g a'")),
            "");
  EXPECT_EQ(output_of(agent.run("g b; g2; export AT_THE_GATEWAY=back; unset B")), "yes\nyes");
  EXPECT_EQ(output_of(agent.run("echo $AT_THE_GATEWAY ${B-unset}")), "back unset");
}

TEST_F(OwnGateway, OptionsThatWouldDisturbTheNextCommandAreOffThen) {
  LinesClient agent(world_);
  EXPECT_EQ(output_of(agent.run("set -eu; set -x; A=1")), "++ A=1");
  EXPECT_EQ(output_of(agent.run("false; echo $NOT_SET-; [[ $- == *[eux]* ]] || echo off")),
            "-\noff");
  EXPECT_EQ(code_of(agent.run("set -t; true")), 0);
  EXPECT_EQ(output_of(agent.run("echo still; echo here")), "still\nhere");
}

class TlsGateway : public OwnGateway {
 protected:
  void SetUp() override {
    certificate_ = make_certificate(world_, "own");
    ASSERT_NE(certificate_.file, "");
    options_ = {"--tls-cert", certificate_.file, "--tls-key", certificate_.key};
    OwnGateway::SetUp();
  }
  Certificate certificate_;
};

TEST_F(TlsGateway, ItsCertificateIsBelievedIfASettingSaysSo) {
  EXPECT_THAT(error_of(run("echo hi")), HasSubstr("certificate"));
  world_.set("TERMINAL_GATEWAY_CA_FILE", certificate_.file);
  EXPECT_EQ(output_of(run("cd /usr; pwd")), "/usr");
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat"}, "in\n").out, "in\n");
}

TEST_F(TlsGateway, OrTheVariableThatAllProgramsKnow) {
  world_.set("SSL_CERT_FILE", certificate_.file);
  EXPECT_EQ(output_of(run("echo hi")), "hi");
}

TEST_F(TlsGateway, AFileWithoutCertificatesIsNamed) {
  world_.set("TERMINAL_GATEWAY_CA_FILE", certificate_.key);
  EXPECT_THAT(error_of(run("echo hi")), HasSubstr(certificate_.key));
}

TEST_F(OwnGateway, EndsAndInputArrive) {
  EXPECT_EQ(world_.run({"exec", "--stdin", "cat; exit 3"}, "in\n").out, "in\n");
  LinesClient agent(world_);
  EXPECT_EQ(code_of(agent.run("exit 3")), 3);
  EXPECT_EQ(code_of(agent.run("kill -9 $$")), -9);
  const json::object late = agent.run({.command = "echo so far; sleep 1000", .timeout = 1});
  EXPECT_THAT(output_of(late), HasSubstr("so far"));
  EXPECT_EQ(code_of(late), 124);
}

TEST_F(OwnGateway, ACancelEndsTheCommandThere) {
  LinesClient agent(world_);
  const int id = agent.send({.command = "echo $$ >" + world_.path("pid") + "; sleep 1000"});
  const ProcessName shell = process_in("pid");
  agent.cancel(id);
  EXPECT_EQ(code_of(agent.result(id)), 130);
  EXPECT_TRUE(eventually([&] { return !is_alive(shell); }));
}

// Whoever waits for a command hears of its end, also if the gateway was killed meanwhile.
TEST_F(OwnGateway, AGatewayThatIsKilledAndComesBackLosesNoCommand) {
  LinesClient agent(world_);
  agent.run("true");
  const std::string go = world_.path("go");
  const int id = agent.send({.command = "echo x >>" + world_.path("ran") + "; while [ ! -e " + go +
                                        " ]; do sleep 0.05; done; echo done"});
  ASSERT_TRUE(appears("ran"));
  gateway_->kill(SIGKILL);
  ASSERT_TRUE(gateway_->wait());
  start();
  std::ofstream(go) << "";
  EXPECT_EQ(output_of(agent.result(id, std::chrono::seconds(60))), "done");
  EXPECT_EQ(world_.read("ran"), "x\n");
  EXPECT_EQ(output_of(agent.run("echo again")), "again");
}

TEST_F(OwnGateway, ATokenThatDoesNotCountIsSaid) {
  world_.set("TOOL_GATEWAY_USER_TOKEN", "nobody");
  EXPECT_THAT(error_of(run("true")), HasSubstr("Managed Modal create failed: "));
}

}  // namespace
}  // namespace talaria::test
