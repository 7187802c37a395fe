// With a shell script in the program's place.
#include "environment/modal/modal_program.h"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::environment::modal {
namespace {

class ModalProgramTest : public testing::Test {
 protected:
  ModalProgram program(const std::string& script) {
    const std::string path = directory_.write("talaria-modal", "#!/bin/sh\n" + script);
    ::chmod(path.c_str(), 0700);
    return {path,
            {.token_id = Secret("ak-1"), .token_secret = Secret("as-1"), .server_url = "http://u"}};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ModalProgramTest, IsToldWhoWeAreByVariablesAlone) {
  const ModalProgram modal = program(
      "echo \"$*\" >\"$(dirname \"$0\")/words\"; cat >\"$(dirname \"$0\")/input\"\n"
      "env | grep ^MODAL_ | sort >\"$(dirname \"$0\")/variables\"\n"
      "echo '{\"sandbox\":\"sb-1\",\"task\":\"ta-1\",\"image\":\"im-1\"}'\n");
  const auto made = test::run_to_end(modal.create({{"app", "a"}}));
  ASSERT_TRUE(made) << made.error().error.message();
  EXPECT_EQ(made->sandbox, "sb-1");
  EXPECT_EQ(made->image, "im-1");
  EXPECT_EQ(directory_.read("words"), "create\n");
  EXPECT_EQ(directory_.read("input"), "{\"app\":\"a\"}\n");
  EXPECT_EQ(directory_.read("variables"),
            "MODAL_ENVIRONMENT=\nMODAL_SERVER_URL=http://u\nMODAL_TOKEN_ID=ak-1\n"
            "MODAL_TOKEN_SECRET=as-1\n");
  const carrier::CarrierCommand exec = modal.exec_in("sb-1");
  EXPECT_TRUE(exec.command.ends_with("talaria-modal' exec --sandbox 'sb-1' --")) << exec.command;
  EXPECT_EQ(exec.command.find("as-1"), std::string::npos);
}

TEST_F(ModalProgramTest, TellsSandboxesThatRunFromThoseThatAreOver) {
  const auto found = test::run_to_end(
      program("echo '{\"sandbox\":\"sb-1\",\"running\":true}'").find("app", "name"));
  EXPECT_EQ(found.value().value_or("none"), "sb-1");
  const auto over = test::run_to_end(
      program("echo '{\"sandbox\":\"sb-1\",\"running\":false}'").find("app", "name"));
  EXPECT_EQ(over.value().value_or("none"), "none");
  const auto none = test::run_to_end(program("echo '{\"sandbox\":null}'").find("app", "name"));
  EXPECT_EQ(none.value().value_or("none"), "none");
  const auto state = test::run_to_end(
      program("echo '{\"running\":false,\"result\":\"TIMEOUT\",\"message\":\"m\"}'").look("sb-1"));
  ASSERT_TRUE(state);
  EXPECT_FALSE(state->running);
  EXPECT_EQ(state->result, "TIMEOUT");
  EXPECT_EQ(state->message, "m");
}

TEST_F(ModalProgramTest, AFailureHasTheVendorsWordsAndOurKind) {
  const auto said = [&](const std::string& lines, int code = 1) {
    const auto ended = test::run_to_end(
        program("cat >&2 <<'E'\n" + lines + "\nE\nexit " + std::to_string(code) + "\n")
            .terminate("sb-1"));
    EXPECT_FALSE(ended);
    return ended ? ModalFailure{.error = Error(ErrorKind::system, "")} : ended.error();
  };
  const ModalFailure quota = said(
      R"({"progress":"waiting"})"
      "\n"
      R"({"error":{"kind":"limit","call":"SandboxCreateV2","status":"RESOURCE_EXHAUSTED","message":"no more"}})");
  EXPECT_EQ(quota.error.kind(), ErrorKind::limit);
  EXPECT_EQ(quota.call, "SandboxCreateV2");
  EXPECT_EQ(quota.status, "RESOURCE_EXHAUSTED");
  EXPECT_EQ(quota.error.message(), "Modal: SandboxCreateV2: RESOURCE_EXHAUSTED: no more");

  // A refusal of Modal's is none of our policy's, which `denied` would mean.
  const ModalFailure denied = said(
      R"({"error":{"kind":"denied","call":"AuthTokenGet","status":"UNAUTHENTICATED","message":"no"}})");
  EXPECT_EQ(denied.error.kind(), ErrorKind::unavailable);
  EXPECT_TRUE(denied.error.message().contains("Are MODAL_TOKEN_ID and MODAL_TOKEN_SECRET"));

  const ModalFailure build = said(
      R"({"progress":"step 1"})"
      "\n"
      R"({"progress":"E: no such package"})"
      "\n"
      R"({"error":{"kind":"bad_request","call":"ImageJoinStreaming","status":"","message":"exit 100"}})");
  EXPECT_EQ(build.error.message(),
            "Modal: ImageJoinStreaming: exit 100\nThe build said: step 1\nE: no such package");

  const ModalFailure odd = said("Segmentation fault", 139);
  EXPECT_EQ(odd.error.kind(), ErrorKind::unavailable);
  EXPECT_EQ(odd.error.message(), "talaria-modal terminate ended with code 139: Segmentation fault");
}

TEST_F(ModalProgramTest, AnAnswerThatIsNoneIsAnError) {
  EXPECT_FALSE(test::run_to_end(program("echo hello").look("sb-1")));
  EXPECT_FALSE(test::run_to_end(program("echo '{}'").create({})));
  EXPECT_FALSE(test::run_to_end(program("echo '{}'").snapshot("sb-1")));
  EXPECT_TRUE(test::run_to_end(program("echo '{}'").terminate("sb-1")));
  const ModalProgram nowhere("/nowhere/talaria-modal", {});
  const auto asked = test::run_to_end(nowhere.look("sb-1"));
  ASSERT_FALSE(asked);
  EXPECT_TRUE(asked.error().error.message().contains("/nowhere/talaria-modal"));
}

}  // namespace
}  // namespace talaria::environment::modal
