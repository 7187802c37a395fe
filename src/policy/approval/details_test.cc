#include "policy/approval/details.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::policy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string all_of(const CommandQuestion& question, const shell::JudgedStart& start = {}) {
  std::string text;
  for (const ApprovalDetail& one : details_of(question, start)) {
    text += one.name + ":\n" + one.text + "\n";
  }
  return text;
}

CommandQuestion question() { return {.command = "clean \"$V\""}; }

TEST(ApprovalDetails, ShowWhatTheSessionMakesOfIt) {
  CommandQuestion asked = question();
  asked.session = {.aliases = {{"ll", "ls -l"}},
                   .functions = {{"clean", "clean () { other; }"}, {"other", "rm -rf x"}},
                   .variables = {{"V", "/srv"}, {"MY_TOKEN", "sha256 1"}, {"UNUSED", "u"}}};
  const std::string shown = all_of(asked, {.words = {"clean"}, .variables = {"MY_TOKEN", "V"}});
  EXPECT_THAT(shown, AllOf(HasSubstr("function clean:\n"), HasSubstr("function other:\nrm -rf x"),
                           HasSubstr("V=/srv\n"), HasSubstr("MY_TOKEN=***\n")));
  EXPECT_THAT(shown, AllOf(Not(HasSubstr("alias")), Not(HasSubstr("UNUSED"))));
  asked.judged = "print(1)";
  EXPECT_EQ(all_of(asked, {.words = {"clean"}, .variables = {"V"}}), "") << "not of a script";
}

TEST(ApprovalDetails, ShowInputAndVariablesWithoutSecrets) {
  CommandQuestion asked = question();
  asked.input = {.kind = guard::StartInput::Kind::text, .text = "rm -rf data\n"};
  asked.variables = {"GIT_PAGER=rm x", "DB_PASSWORD=geheim"};
  EXPECT_EQ(all_of(asked),
            "standard input:\nrm -rf data\n\nvariables of this call:\nGIT_PAGER=rm x\n"
            "DB_PASSWORD=***\n\n");
  asked.input = {.kind = guard::StartInput::Kind::open};
  EXPECT_THAT(all_of(asked), HasSubstr("unchecked input"));
}

TEST(ApprovalDetails, HideNoCommandBehindASecret) {
  CommandQuestion asked = question();
  const std::string key =
      "# -----BEGIN OPENSSH PRIVATE KEY-----\ntouch x\n# -----END OPENSSH PRIVATE KEY-----\n";
  asked.details = {{"content", "export API_TOKEN=\"$(touch x)\"\nDB_PASSWORD=geheim1234\n" + key}};
  asked.variables = {"MY_TOKEN=$(touch y)", "OTHER_TOKEN=abc123"};
  asked.session.functions = {{"clean", "clean () { PASSWORD=\"$(rm -rf ~/Documents)\"; }"}};
  const std::string shown = all_of(asked, {.words = {"clean"}});
  EXPECT_THAT(shown, AllOf(HasSubstr("API_TOKEN=\"$(touch x)\""), HasSubstr("DB_PASSWORD=***"),
                           HasSubstr(key), HasSubstr("MY_TOKEN=$(touch y)"),
                           HasSubstr("OTHER_TOKEN=***"), HasSubstr("$(rm -rf ~/Documents)")));
}

TEST(ApprovalDetails, SayHowMuchIsNotShown) {
  CommandQuestion asked = question();
  asked.details = {{"content", "begin" + std::string(100'000, '.') + "the end"}};
  const std::string shown = all_of(asked);
  EXPECT_LT(shown.size(), 6000u);
  EXPECT_THAT(shown, AllOf(HasSubstr("begin..."), HasSubstr("...the end"),
                           HasSubstr("\n[94512 of 100012 bytes are not shown]\n")));
  asked.details[0].text += "!";
  const shell::JudgedStart none;
  EXPECT_NE(digest_of(asked, none), digest_of(question(), none));
}

TEST(ApprovalDetails, EveryFactIsInTheDigest) {
  const CommandQuestion asked = question();
  const std::string plain = digest_of(asked, {});
  EXPECT_NE(digest_of(asked, {.definitions = "1"}), plain);
  EXPECT_NE(digest_of(asked, {.facts = "1"}), plain);
  EXPECT_NE(digest_of(asked, {.facts = "1"}), digest_of(asked, {.definitions = "1"}));
}

}  // namespace
}  // namespace talaria::policy
