// Questions about commands of the gateway's users: how many one may have, who sees and answers
// them, and what becomes of those nobody answers.
#include <fstream>
#include <string>
#include <vector>

#include "base/limits.h"
#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class GatewayApprovalTest : public GatewayTest {
 protected:
  GatewayApprovalTest() {
    world_.set("HERMES_YOLO_MODE", "0");
    world_.set("TALARIA_APPROVALS_HEADLESS", "queue");
  }

  void configure(const std::string& yaml) {
    std::ofstream(world_.directory("home") + "/config.yaml") << yaml;
  }

  HttpTestClient client_of(const std::string& user) {
    HttpTestClient one = client();
    one.token = new_token(user);
    return one;
  }

  HttpTestClient person_of(const std::string& user) {
    HttpTestClient one = client();
    one.token = new_token("person-" + user, {"--approve", "--user", user});
    return one;
  }

  // A command that somebody has to be asked about; it breaks nothing.
  HttpAnswer risk(HttpTestClient& http, const std::string& sandbox, const std::string& id,
                  const std::string& query = "") {
    const std::string command = "rm -rf " + world_.path("nothing-" + id);
    return http.post(execs(sandbox) + query, body({{"execId", id}, {"command", command}}));
  }

  // The question about such a command, in a sandbox of its own.
  std::string ask_about(HttpTestClient& http, const std::string& id) {
    const std::string sandbox = create(http);
    std::string question = risk(http, sandbox, id).text("approvalId");
    EXPECT_TRUE(eventually([&] {
      if (question.empty()) question = http.get(execs(sandbox) + "/" + id).text("approvalId");
      return !question.empty();
    }));
    return question;
  }

  static std::vector<std::string> questions(HttpTestClient& http) {
    const HttpAnswer open = http.get("/v1/approvals");
    EXPECT_EQ(open.status, 200) << open.body;
    std::vector<std::string> ids;
    if (open.status != 200) return ids;
    for (const json::value& one : open.json().at("approvals").as_array()) {
      ids.emplace_back(one.at("id").as_string());
    }
    return ids;
  }
};

TEST_F(GatewayApprovalTest, OneUserDoesNotCloseApprovalsForTheOthers) {
  configure("approvals: {wait: false}\n");
  start_gateway();
  HttpTestClient http = client();
  const std::vector<std::string> own{create(http), create(http)};
  for (std::size_t at = 0; at < kMaxQuestionsOfOne; ++at) {
    const HttpAnswer put = risk(http, own[at % 2], std::to_string(at), "?wait=30000");
    ASSERT_THAT(put.text("reason"), HasSubstr("approv")) << put.body;
    ASSERT_THAT(put.text("reason"), Not(HasSubstr("of this user"))) << at;
  }
  const std::string third = create(http);
  EXPECT_THAT(risk(http, third, "beyond", "?wait=30000").text("reason"), HasSubstr("of this user"));

  HttpTestClient other = client_of("other");
  const std::string others = create(other);
  EXPECT_THAT(risk(other, others, "first", "?wait=30000").text("reason"),
              Not(HasSubstr("of this user")));
  HttpTestClient person = person_of("other");
  EXPECT_EQ(questions(person).size(), 1u);
}

TEST_F(GatewayApprovalTest, WhoMayAnswerSeesAndAnswersQuestionsOfTheirOwnUserAlone) {
  start_gateway();
  HttpTestClient http = client();
  const std::string question = ask_about(http, "mine");
  HttpTestClient other = client_of("other");
  const std::string others = ask_about(other, "other");

  HttpTestClient person = person_of("tester");
  EXPECT_THAT(questions(person), ElementsAre(question));
  EXPECT_EQ(person.post("/v1/approvals/" + others, body({{"answer", "once"}})).status, 404);
  HttpTestClient stranger = person_of("nobody");
  EXPECT_THAT(questions(stranger), IsEmpty());
  const HttpAnswer refused = stranger.post("/v1/approvals/" + question, body({{"answer", "deny"}}));
  EXPECT_EQ(refused.status, 404);
  EXPECT_EQ(refused.text("error"), "unknown approval request '" + question + "'");

  EXPECT_EQ(person.post("/v1/approvals/" + question, body({{"answer", "deny"}})).status, 200);
  EXPECT_EQ(person.post("/v1/approvals/" + question, body({{"answer", "once"}})).status, 409)
      << "one's own that was answered is still told";
  HttpTestClient others_person = person_of("other");
  EXPECT_THAT(questions(others_person), ElementsAre(others)) << "nobody has answered it";
}

// It was shown as `bash`, in the directory of the gateway.
TEST_F(GatewayApprovalTest, AQuestionShowsInputVariablesAndTheDirectoryOfTheSandbox) {
  configure("approvals: {wait: false}\n");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  http.post(execs(sandbox) + "?wait=30000",
            body({{"execId", "first"},
                  {"command", "bash"},
                  {"stdinData", "rm -rf " + world_.path("nothing") + "\n"},
                  {"env", {{"GIT_PAGER", "more"}, {"DB_PASSWORD", "geheim"}}}}));
  HttpTestClient person = person_of("tester");
  const HttpAnswer open = person.get("/v1/approvals");
  ASSERT_EQ(open.json().at("approvals").as_array().size(), 1u) << open.body;
  EXPECT_THAT(open.body, HasSubstr("rm -rf " + world_.path("nothing")));
  EXPECT_THAT(open.body, HasSubstr("GIT_PAGER=more"));
  EXPECT_THAT(open.body, Not(HasSubstr("geheim")));
  const json::object where = run(http, sandbox, "second", "pwd");
  EXPECT_EQ(trim_end(std::string(where.at("output").as_string())),
            std::string(open.json().at("approvals").at(0).at("cwd").as_string()));
}

// They decide what runs, whatever the command is.
TEST_F(GatewayApprovalTest, VariablesThatRunSomethingAreAskedAbout) {
  configure("approvals: {wait: false}\n");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const std::string file = world_.path("nothing.sh");
  for (const auto& [name, value] : {std::pair<std::string, std::string>("BASH_ENV", file),
                                    {"LD_PRELOAD", file},
                                    {"PATH", world_.path("programs") + ":/usr/bin:/bin"},
                                    {"PS4", "$(rm -rf " + world_.path("nothing") + ")"}}) {
    const HttpAnswer answer = http.post(
        execs(sandbox) + "?wait=30000",
        body({{"execId", "with-" + name}, {"command", "set -x; ls"}, {"env", {{name, value}}}}));
    EXPECT_EQ(answer.text("status"), "failed") << name << ": " << answer.body;
  }
  HttpTestClient person = person_of("tester");
  EXPECT_EQ(questions(person).size(), 4u);
}

// A command that had got hold of a token with --approve approved itself.
TEST_F(GatewayApprovalTest, ACommandDoesNotApproveItselfWithAToken) {
  const std::string token = new_token("person", {"--approve", "--user", "tester"});
  start_gateway();
  HttpTestClient http = client();
  const std::string question = ask_about(http, "mine");
  const std::string url = "http://127.0.0.1:" + std::to_string(port_) + "/v1/approvals";
  std::ofstream(world_.directory("home") + "/answer.py")
      << "import json, sys, urllib.error, urllib.request\n"
         "def ask(url, data=None):\n"
         "  head = {'Authorization': 'Bearer " +
             token +
             "'}\n"
             "  try:\n"
             "    return urllib.request.urlopen(urllib.request.Request(url, data, head)).read()\n"
             "  except urllib.error.HTTPError as error:\n"
             "    return error.read()\n"
             "print(ask('" +
             url +
             "'))\n"
             "print(ask('" +
             url + "/" + question + "', b'{\"answer\":\"once\"}'))\n";
  const std::string sandbox = create(http);
  for (const char* way : {"", "setsid -w "}) {
    const json::object ran = run(http, sandbox, way == std::string("") ? "a" : "b",
                                 std::string(way) + "python3 " + world_.path("home/answer.py"));
    EXPECT_THAT(std::string(ran.at("output").as_string()),
                HasSubstr("a command cannot answer questions about commands"))
        << json::serialize(ran);
  }
  HttpTestClient person = client();
  person.token = token;
  EXPECT_THAT(questions(person), ElementsAre(question)) << "nobody has answered it";
  const HttpAnswer answered =
      person.post("/v1/approvals/" + question,
                  body({{"answer", "session"}, {"covers", "task"}, {"for", "1h"}}));
  EXPECT_EQ(answered.status, 200) << answered.body;
  EXPECT_EQ(answered.text("covers"), "task");
}

TEST_F(GatewayApprovalTest, AnAnswerThatWasNotOfferedIsRefused) {
  start_gateway();
  HttpTestClient http = client();
  const std::string question = ask_about(http, "mine");
  HttpTestClient person = person_of("tester");
  for (const json::object& flawed : {json::object{{"answer", "always"}, {"covers", "everything"}},
                                     json::object{{"answer", "always"}, {"for", "soon"}},
                                     json::object{{"answer", "once"}, {"for", "1h"}}}) {
    EXPECT_EQ(person.post("/v1/approvals/" + question, body(flawed)).status, 400) << body(flawed);
  }
  EXPECT_THAT(questions(person), ElementsAre(question));
}

TEST_F(GatewayApprovalTest, AWaitIsAnsweredAtOnceWhenAnApprovalIsNeeded) {
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const auto begun = std::chrono::steady_clock::now();
  const HttpAnswer first = risk(http, sandbox, "risk", "?wait=30000");
  EXPECT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(first.text("status"), "queued");
  EXPECT_THAT(first.text("reason"), HasSubstr("approv"));
  EXPECT_EQ(http.get(execs(sandbox) + "/risk?wait=30000").text("status"), "queued");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(15));
  HttpTestClient person = person_of("tester");
  EXPECT_EQ(
      person.post("/v1/approvals/" + first.text("approvalId"), body({{"answer", "once"}})).status,
      200);
  EXPECT_TRUE(eventually(
      [&] { return http.get(execs(sandbox) + "/risk?wait=30000").text("status") == "completed"; }));
}

TEST_F(GatewayApprovalTest, ACommandNobodyAnswersForIsFailedAfterItsTime) {
  configure("approvals: {gateway_timeout: 1}\n");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  const HttpAnswer first = risk(http, sandbox, "silence", "?wait=0");
  EXPECT_EQ(first.status, 202) << first.body;
  EXPECT_EQ(first.text("status"), "queued");
  HttpAnswer after;  // which also comes when the question is put
  EXPECT_TRUE(eventually([&] {
    after = http.get(execs(sandbox) + "/silence?wait=30000");
    return after.text("status") == "failed";
  })) << after.body;
  EXPECT_EQ(after.json().at("returncode").as_int64(), 126);
  EXPECT_THAT(after.text("reason"), HasSubstr("timed out"));
  HttpTestClient person = person_of("tester");
  EXPECT_THAT(questions(person), IsEmpty());
}

// What a shell reads from its input, and what variables make it run, is judged like a command.
TEST_F(GatewayApprovalTest, InputAndVariablesOfAnExecAreJudgedWithIt) {
  configure("approvals: {wait: false}\n");
  start_gateway();
  HttpTestClient http = client();
  const std::string sandbox = create(http);
  int count = 0;
  const auto exec = [&](const std::string& command, json::object more) {
    return run(http, sandbox, "e" + std::to_string(++count), command, std::move(more));
  };
  for (const char* reader : {"bash", "sh -s", "python3 -", ". /dev/stdin"}) {
    const bool python = std::string_view(reader).starts_with("python");
    const char* text = python ? "import os; os.system('rm -rf ~/*')" : "rm -rf ~/*";
    const json::object refused = exec(reader, {{"stdinData", text}});
    EXPECT_EQ(refused.at("returncode"), 126) << reader << ": " << json::serialize(refused);
    EXPECT_THAT(std::string(refused.at("reason").as_string()), HasSubstr("BLOCKED")) << reader;
  }
  for (const char* name : {"BASH_ENV", "LD_PRELOAD", "PROMPT_COMMAND"}) {
    const json::object asked =
        exec("bash -c true", {{"env", json::object{{name, world_.path("file")}}}});
    EXPECT_THAT(std::string(asked.at("reason").as_string()), HasSubstr("approv")) << name;
  }
  EXPECT_EQ(exec("bash", {{"stdinData", "exit 7"}}).at("returncode"), 7);
  EXPECT_EQ(exec("echo $NAME", {{"env", json::object{{"NAME", "fine"}}}}).at("output"), "fine\n");
}

}  // namespace
}  // namespace talaria::test
