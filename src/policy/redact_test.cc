#include "policy/redact.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"

namespace talaria::policy {
namespace {

struct Row {
  std::string text;
  std::string redacted;
};

const std::string kLong = "abcdefghijklmnopqrstuvwxyz";

class Redacts : public testing::TestWithParam<Row> {};

TEST_P(Redacts, ByTheTable) { EXPECT_EQ(redact(GetParam().text), GetParam().redacted); }

INSTANTIATE_TEST_SUITE_P(
    Verified, Redacts,
    testing::ValuesIn(std::vector<Row>{
        {"", ""},
        {"Using key sk-proj-abc123def456ghi789jkl012", "Using key sk-pro...l012"},
        {"sk-abcdefghij", "***"},
        {"OPENAI_API_KEY=sk-proj-abc123def456ghi789jkl012", "OPENAI_API_KEY=***"},
        {"export SECRET_TOKEN=mypassword", "export SECRET_TOKEN=***"},
        {"API_KEY = 'abc'", "API_KEY='***'"},
        {"export TOKEN=abc; ls", "export TOKEN=*** ls"},
        {R"({"TOKEN":"abc"})", R"({"TOKEN": "***"})"},
        {R"({"password" : "hunter2hunter2hunter2"})", R"({"password": "hunter...ter2"})"},
        {"Authorization: Bearer abc", "Authorization: Bearer ***"},
        {"authorization:bearer abcdefghijklmnopqrstuvwxyz", "authorization:bearer abcdef...wxyz"},
        {"bot123456789:ABCDEfghij-KLMNopqrst_UVWXyz12345", "bot123456789:***"},
        {"postgresql://u:p@ss@h/db", "postgresql://u:***@ss@h/db"},
        {"mongodb+srv://u:p@h", "mongodb+srv://u:***@h"},
        {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig", "eyJhbG...xIn0.sig"},
        {"password=a&user=b", "password=***&user=b"},
        {"code=1&state=2", "code=***&state=2"},
        {"call +14155552671 now", "call +141****2671 now"},
        {"+1234567", "+1****67"},
        {"AKIAIOSFODNN7EXAMPLE", "AKIAIO...MPLE"},
        {"https://h/?key=sk-aaaaaaaaaaaaaaaaaaaaaaa", "https://h/?key=sk-aaa...aaaa"},
    }));

INSTANTIATE_TEST_SUITE_P(
    Further, Redacts,
    testing::ValuesIn(std::vector<Row>{
        // makers
        {"SG.abcdefghij-klmn_opqr", "SG.abc...opqr"},
        {"gAAAAabcdefghijklmnop==qrst=", "gAAAAa...rst="},
        {"(github_pat_abc_def_ghi)", "(github..._ghi)"},
        {"ghp_" + kLong + " gho_" + kLong, "ghp_ab...wxyz gho_ab...wxyz"},
        {"glpat-abc_def-ghij xapp-1-A12345-6789", "glpat-...ghij xapp-1...6789"},
        {"ASIAIOSFODNN7EXAMPLE", "ASIAIO...MPLE"},
        {"xoxb-12345-67890-ab", "xoxb-1...0-ab"},
        {"AIza" + kLong + "0123", "AIzaab...0123"},
        {"am_happy_to_help_you", "am_hap..._you"},
        {"\"sk_live_abcdefghijkl\"", "\"sk_liv...ijkl\""},
        // assignments
        {"MAX_TOKENS=4096", "MAX_TOKENS=***"},
        {"MY_TOKEN=\"a b c\"", "MY_TOKEN=\"***\""},
        {"MY_TOKEN='a b' OTHER='c d'", "MY_TOKEN='***' OTHER='c d'"},
        {R"(MY_TOKEN="a \" b" c)", R"(MY_TOKEN="***" c)"},
        {"MY_TOKEN=\"a b\nc\"", "MY_TOKEN=*** b\nc\""},
        {"DB_PASS=a TESTS_PASSED=3 PASS=3", "DB_PASS=*** TESTS_PASSED=3 PASS=3"},
        {"SIGNING_PRIVATE_KEY=a MY_PASSPHRASE=b", "SIGNING_PRIVATE_KEY=*** MY_PASSPHRASE=***"},
        // fields
        {R"({"client_secret":"a\"b","x":"y"})", R"({"client_secret": "***","x":"y"})"},
        {R"("{\"token\":\"abc\",\"x\":\"y\"}")", R"("{\"token\": \"***\",\"x\":\"y\"}")"},
        {R"({"token":"ends in \\"})", R"({"token": "***"})"},
        {"TOKEN=\"" + kLong + "\"", "TOKEN=\"abcdef...wxyz\""},
        {"TOKEN=\"\"", "TOKEN=***"},
        {"TOKEN\t=\t'", "TOKEN=***"},
        {"A_TOKEN=a;B_SECRET=b c", "A_TOKEN=*** c"},
        {"DB_PASSWD=ééééééééééééééééééé", "DB_PASSWD=éééééé...éééé"},
        {"TOKEN" + std::string(50, 'X') + "=a", "TOKEN" + std::string(50, 'X') + "=***"},
        // headers, URLs, keys
        {"curl -H 'Authorization: Bearer abc' u", "curl -H 'Authorization: Bearer ***' u"},
        {"curl -H 'X-Api-Key: abc' -H \"PRIVATE-TOKEN: def\"",
         "curl -H 'X-Api-Key: ***' -H \"PRIVATE-TOKEN: ***\""},
        {"//registry.example.org/:_authToken=abc-def", "//registry.example.org/:_authToken=***"},
        {"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n-----END PGP PRIVATE KEY BLOCK-----",
         "[REDACTED PRIVATE KEY]"},
        {"redis://:pw@h", "redis://:***@h"},
        {"a\n-----BEGIN RSA PRIVATE KEY-----\nx\n-----END RSA PRIVATE KEY-----\nb",
         "a\n[REDACTED PRIVATE KEY]\nb"},
        {" key=1&X-Amz-Signature=2&b= \t", "key=***&X-Amz-Signature=***&b="},
        {"+123456789012345", "+123****2345"},
    }));

class Keeps : public testing::TestWithParam<std::string> {};

TEST_P(Keeps, AsItIs) { EXPECT_EQ(redact(GetParam()), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Harmless, Keeps,
                         testing::ValuesIn(std::vector<std::string>{
                             "HOME=/home/u",
                             "PATH=/usr/bin:/bin",
                             "password=foo",
                             "api_key = config.get('api_key')",
                             "const token = await getToken();",
                             R"({"max_token": "abc"})",
                             "{'password': 'abc'}",
                             "Authorization: Basic abc",
                             "-----BEGIN PUBLIC KEY-----\nx\n-----END PUBLIC KEY-----",
                             "xsk-abcdefghijklmn",
                             "sk-123456789",
                             "AKIAIOSFODNN7EXAMPLEX",
                             "eyJabc",
                             "<@222589316709220353>",
                             "@somebody",
                             "https://h/callback?code=abc&token=def",
                             "https://user:pw@h/",
                             "wss://h/?token=abc",
                             "+0123456789",
                             "+14155552671abc",
                             "+1234567890123456",
                             "2026-06-17T12:34:56+0100",
                             "xai is a company",
                             "TOKEN" + std::string(51, 'X') + "=a",
                             "ghp_" + kLong + "-x",
                             "a&b",
                             "a=1&b",
                             "TOKEN=",
                         }));

TEST(Redact, AnEnvDumpKeepsWhatIsNoSecret) {
  EXPECT_EQ(redact("HOME=/home/u\n"
                   "OPENAI_API_KEY=sk-proj-abc123def456ghi789jkl012\n"
                   "EMPTY_TOKEN=\n"
                   "SHELL=/bin/bash\n"
                   "GITHUB_TOKEN=ghp_abcdefghijklmnopqrstuvwxyz\n"
                   "USER=u\n"),
            "HOME=/home/u\n"
            "OPENAI_API_KEY=***\n"
            "EMPTY_TOKEN=\n"
            "SHELL=/bin/bash\n"
            "GITHUB_TOKEN=***\n"
            "USER=u\n");
}

TEST(Redact, PiecesShowNoMoreThanTheWholeText) {
  const std::string text =
      "a sk-proj-abc123def456ghi789jkl012 b\nexport SECRET_TOKEN=mypassword\n"
      "{\"password\" : \"hunter2hunter2hunter2\"}\nAuthorization: Bearer "
      "abcdefghijklmnopqrstuvwxyz\n"
      "call +14155552671 now, redis://:pw@h\n-----BEGIN RSA PRIVATE KEY-----\nx\n"
      "-----END RSA PRIVATE KEY-----\nthe end\n";
  const std::string whole = redact(text);
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::string together;
    for (std::size_t at = 0; at < text.size(); at += size) {
      const std::string_view all = text;
      together += redact(PartOfText{.before = all.substr(0, at),
                                    .text = all.substr(at, size),
                                    .after = all.substr(std::min(at + size, all.size()))});
    }
    EXPECT_EQ(together, whole) << size;
  }
}

TEST(Redact, APrivateKeyIsKnownBeforeItsEndIsThere) {
  const std::string begin = "-----BEGIN OPENSSH PRIVATE KEY-----";
  const std::string line(64, 'A');
  EXPECT_EQ(redact(begin + "\n" + line + "\n" + line + "\nAbC"), "[REDACTED PRIVATE KEY]");
  EXPECT_EQ(redact(begin + "\r\n" + line + "\nand so on."), "[REDACTED PRIVATE KEY]\nand so on.");
  EXPECT_EQ(redact("grep '" + begin + "' file"), "grep '" + begin + "' file");
}

TEST(Redact, ADatabaseUrlEndsAtABlank) {
  const std::string text = "postgres://localhost:5432/db and a@b";
  EXPECT_EQ(redact(text), text);
}

TEST(Redact, SourceCodeKeepsItsNamesAndLosesItsKeys) {
  const std::string code = "API_TOKEN = read()\n{\"password\": \"x\"}\n";
  EXPECT_EQ(redact(code, {.code_file = true}), code);
  EXPECT_EQ(redact("KEY_TOKEN = 'sk-abcdefghij'", {.code_file = true}), "KEY_TOKEN = '***'");
}

TEST(Redact, HostileTextTakesLinearTime) {
  constexpr std::size_t kSize = 1u << 20;
  for (const std::string piece : {"=",
                                  "a",
                                  "A",
                                  "eyJ",
                                  "+1",
                                  "+",
                                  "12345678",
                                  "12345678:",
                                  "sk-",
                                  "TOKEN",
                                  "TOKEN=",
                                  "TOKEN ",
                                  "TOKEN='",
                                  "\"token\":",
                                  "\"token\":\"",
                                  "Authorization: Bearer ",
                                  "authorization:",
                                  "&",
                                  "a=&",
                                  "key=&",
                                  "gAAAA",
                                  "gAAAA=",
                                  "SG.",
                                  "postgres://",
                                  "postgres://a:",
                                  "redis://:",
                                  "-----BEGIN PRIVATE KEY-----",
                                  "PRIVATE KEY-----",
                                  "eyJ.",
                                  ".aaaa",
                                  " ",
                                  "\t= "}) {
    std::string text;
    while (text.size() < kSize) text += piece;
    const auto start = std::chrono::steady_clock::now();
    const std::string result = redact(text);
    const auto taken = std::chrono::steady_clock::now() - start;
    EXPECT_LT(taken, std::chrono::seconds(2)) << piece;
    EXPECT_LE(result.size(), 3 * text.size());
    EXPECT_TRUE(is_valid_utf8(result));
  }
}

TEST(RedactCommandLines, PasswordsInOptions) {
  const std::vector<Row> rows{
      {"mysql -u root -phunter2 -e 'select 1'", "mysql -u root -p*** -e 'select 1'"},
      {"sshpass -p 'a b' ssh h", "sshpass -p *** ssh h"},
      {"curl -s -u admin:hunter2 http://h:80/x", "curl -s -u admin:*** http://h:80/x"},
      {"git clone https://me:hunter2@h/r.git", "git clone https://me:***@h/r.git"},
      {"tool --password=a --token b --user c", "tool --password=*** --token *** --user c"},
      {"mkdir -p a/b; mysql x; mkdir -p c", "mkdir -p a/b; mysql x; mkdir -p c"},
      {"psql -p 5432; curl http://h:8080/a@b", "psql -p 5432; curl http://h:8080/a@b"},
  };
  for (const Row& row : rows) EXPECT_EQ(redact(row.text, {.command_line = true}), row.redacted);
  EXPECT_EQ(redact(rows[0].text), rows[0].text);
}

}  // namespace
}  // namespace talaria::policy
