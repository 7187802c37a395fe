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

const std::string kAwsKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const std::string kHex = "0123456789abcdef0123456789abcdef";

// Beyond Hermes: values by their names, in the forms that people write them.
INSTANTIATE_TEST_SUITE_P(
    NamedValues, Redacts,
    testing::ValuesIn(std::vector<Row>{
        // settings
        {"aws_secret_access_key = " + kAwsKey, "aws_secret_access_key = wJalrX...EKEY"},
        {"aws_secret_access_key=" + kAwsKey, "aws_secret_access_key=wJalrX...EKEY"},
        {"[client]\npassword = swordfish\nuser=me", "[client]\npassword = ***\nuser=me"},
        {"password=foo", "password=***"},
        {"passwd=hunter2 # old", "passwd=*** # old"},
        {"password = p&ss;w0rd", "password = ***"},
        {"spring.datasource.password=p,w", "spring.datasource.password=***"},
        {"requirepass = x\ndb_pwd=hunter2", "requirepass = x\ndb_pwd=***"},
        {"export api_key='abc def' db_secret=hush", "export api_key='abc def' db_secret=***"},
        {"api_key = \"abcdef\"", "api_key = \"***\""},
        {"//r.example.org/:_password=aHVudGVyMg==", "//r.example.org/:_password=***"},
        // YAML
        {"db:\n  password: hunter2\n  port: 5432", "db:\n  password: ***\n  port: 5432"},
        {"- name: x\n  apiKey: \"abc\"", "- name: x\n  apiKey: \"***\""},
        {"environment: {DB_PASSWORD: hunter2, TZ: UTC}",
         "environment: {DB_PASSWORD: ***, TZ: UTC}"},
        {"MYSQL_ROOT_PASSWORD: swordfish  # local", "MYSQL_ROOT_PASSWORD: ***  # local"},
        {"token: 9f86d081884c7d65", "token: ***"},
        {"12|  client_secret: hush", "12|  client_secret: ***"},
        {"config.yml:3:  password: hunter2", "config.yml:3:  password: ***"},
        // JSON and code
        {R"({"dbPassword": "hunter2", "user": "me"})", R"({"dbPassword": "***", "user": "me"})"},
        {R"({"accessToken":"a1b2c3d4e5f6"})", R"({"accessToken":"***"})"},
        {R"("{\"db_password\": \"hunter2\"}")", R"("{\"db_password\": \"***\"}")"},
        {R"({"auth": "dXNlcjpwYXNzd29yZDE="})", R"({"auth": "dXNlcj...ZDE="})"},
        {"{'password': 'hunter2hunter2'}", "{'password': '***'}"},
        {"$db['password'] = 'hunter2';", "$db['password'] = '***';"},
        {"'password' => 'hunter22',", "'password' => '***',"},
        {"password := \"hunter2\"", "password := \"***\""},
        {"conn = connect(user='u', password='hunter2')",
         "conn = connect(user='u', password='***')"},
        // connection strings, queries, options
        {"Server=h;User Id=sa;Password=hunter2;Database=d",
         "Server=h;User Id=sa;Password=***;Database=d"},
        {"Endpoint=sb://h/;SharedAccessKey=abc+def/ghi=;X=y",
         "Endpoint=sb://h/;SharedAccessKey=***;X=y"},
        {"host=h user=u password=hunter2 dbname=d", "host=h user=u password=*** dbname=d"},
        {"GET https://h/x?api_key=abcdef&page=2 200", "GET https://h/x?api_key=***&page=2 200"},
        {"https://h/?user=u&password=hunter2", "https://h/?user=u&password=***"},
        {"https://h/?access_token=abc123&x=1", "https://h/?access_token=***&x=1"},
        {"make && token=abc run", "make && token=*** run"},
        {"./run --db-password=hunter2 --port=1", "./run --db-password=*** --port=1"},
        // URLs
        {"https://user:pw@h/", "https://user:***@h/"},
        {"origin https://oauth2:s3cr3t-t0ken@git.example.org/r.git (fetch)",
         "origin https://oauth2:***@git.example.org/r.git (fetch)"},
        {"http://u:p%40ss@proxy:3128", "http://u:***@proxy:3128"},
        {"ftp://me:pw@h/f and smtp://me:pw@h", "ftp://me:***@h/f and smtp://me:***@h"},
        {"https://" + kHex + "@h/r.git", "https://012345...cdef@h/r.git"},
        // headers and others
        {"Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic ***"},
        {"Authorization: token abcdef", "Authorization: token ***"},
        {"curl -H 'X-Vault-Token: abc' -H 'x-goog-api-key: def'",
         "curl -H 'X-Vault-Token: ***' -H 'x-goog-api-key: ***'"},
        {"<server><password>hunter2</password></server>",
         "<server><password>***</password></server>"},
        {"machine h login me password hunter2", "machine h login me password ***"},
        {"CREATE USER u IDENTIFIED BY 'hunter2'", "CREATE USER u IDENTIFIED BY '***'"},
        // makers
        {"SG." + std::string(22, 'a') + "." + std::string(43, 'b'), "SG.aaa...bbbb"},
        {"SG." + std::string(22, 'a') + ". And", "SG.aaa...aaaa. And"},
        {"dckr_pat_AbCdEf-12345_xyz", "dckr_p..._xyz"},
        {"tal_0123456789abcdef_" + kHex + kHex, "tal_01...cdef"},
        {"hvs." + kLong, "hvs.ab...wxyz"},
        {"gAAAAabcdefghijklmnopqrst.", "gAAAAa...qrst."},
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

INSTANTIATE_TEST_SUITE_P(NotSecrets, Keeps,
                         testing::ValuesIn(std::vector<std::string>{
                             // code
                             "password = get_password()",
                             "password = getpass.getpass('Password: ')",
                             "token = self.token",
                             "secret = os.environ['SECRET']",
                             "connect(user=u, password=pw, token=tok)",
                             "def login(user: str, password: str, token: Optional[str] = None):",
                             "password?: string;",
                             "  token: &'a str,",
                             "if password == other:",
                             "if (token != expected) return;",
                             "api_key = api_key or default_key()",
                             "Password: cfg.Password,",
                             "std::string token = next();",
                             "token = tokens.next",
                             "while token := lexer.next():",
                             "auto secret::make = 1;",
                             // references and gaps
                             "password=$PASSWORD",
                             "password: ${DB_PASSWORD}",
                             "token: ${{ secrets.GITHUB_TOKEN_1 }}",
                             "api_key: <your-api-key>",
                             "password = \"<password>\"",
                             "password=xxxx",
                             "secret: {{ vault_secret1 }}",
                             "--token=TOKEN --password=PASSWORD --api-key=KEY",
                             "password: !vault |",
                             "api_key = your-key-here",
                             "https://user:${TOKEN}@host/",
                             "https://user:<token>@host/",
                             // no secrets
                             "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
                             "sha256:" + kHex + kHex,
                             "id: 123e4567-e89b-12d3-a456-426614174000",
                             "next_token: eyAibWFya2VyIjog1234",
                             "max_tokens: 4096, eos_token: '</s1>'",
                             "cache_key=build-2026-01-01-abcdef",
                             "The password: it must have 8 characters",
                             "Wrong password: try again",
                             "Enter password: ",
                             "Password:\nhunter",
                             "password_file = /run/secrets/db1",
                             "password: /run/secrets/db",
                             "pwd: /home/u",
                             "PWD=/home/u",
                             "pass: 12, fail: 0",
                             "token_type: bearer1234",
                             "secretName: app-tls-2024",
                             "git@github.com:owner/repo.git",
                             "ssh://git@host:22/x",
                             "http://localhost:3000/@scope/pkg",
                             "12:30:45 key: value",
                             "https://somebody@host/",
                         }));

INSTANTIATE_TEST_SUITE_P(Harmless, Keeps,
                         testing::ValuesIn(std::vector<std::string>{
                             "HOME=/home/u",
                             "PATH=/usr/bin:/bin",
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
  const std::string labels = "password = 'Password'\n\"secret\": \"hush\"\ntoken: abcdefgh1\n";
  EXPECT_EQ(redact(labels, {.code_file = true}), labels);
  EXPECT_EQ(redact("key = '" + kHex + "'\napi_key = '" + kHex + "'", {.code_file = true}),
            "key = '" + kHex + "'\napi_key = '012345...cdef'");
}

TEST(Redact, WhatAFileHasFollowsFromItsName) {
  const std::string text = "password = hunter2\naws_secret_access_key = " + kAwsKey + "\n";
  for (const char* path :
       {"/h/.aws/credentials", "/h/my.cnf", "a.ini", "/x/app.yaml", "/p/.npmrc"}) {
    EXPECT_EQ(redact(text, options_for_file(path)),
              "password = ***\naws_secret_access_key = wJalrX...EKEY\n")
        << path;
  }
  for (const char* path : {"a.py", "/x/main.go", "README.md", "x.json"}) {
    EXPECT_EQ(redact(text, options_for_file(path)),
              "password = hunter2\naws_secret_access_key = wJalrX...EKEY\n")
        << path;
  }
}

TEST(RedactCommand, MasksBeforeItCuts) {
  const std::string key = "sk-proj-abc123def456ghi789jkl012";
  EXPECT_EQ(redact_command("run " + key + " now", 100), "run sk-pro...l012 now");
  EXPECT_EQ(redact_command("run " + key + " now", 10), "run sk-pro");
  EXPECT_EQ(redact_command("a\xffz", 10), "a\xEF\xBF\xBDz");
  EXPECT_EQ(redact_command("plain", 3), "pla");
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
                                  "\t= ",
                                  "token=",
                                  "token=(",
                                  "token: (",
                                  "password",
                                  "password=",
                                  "password: ",
                                  "password='",
                                  "password=\\\"",
                                  "password=\"\\",
                                  "password=\"a b\"",
                                  "password=\"a b",
                                  "'password'=",
                                  "https://a:",
                                  "https://a:b@",
                                  "</",
                                  "<password>",
                                  "login a password ",
                                  "a.a.",
                                  "\\"}) {
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
      {"tool --client-secret 'a b' --token-file f --max-tokens 9 -v",
       "tool --client-secret *** --token-file f --max-tokens 9 -v"},
      {"docker login -u me -p hunter2 h", "docker login -u me -p *** h"},
      {"redis-cli -h h -a hunter2 ping", "redis-cli -h h -a *** ping"},
      {"openssl rsa -passin pass:hunter2 -in k", "openssl rsa -passin pass:*** -in k"},
      {"mkdir -p a/b; mysql x; mkdir -p c", "mkdir -p a/b; mysql x; mkdir -p c"},
      {"psql -p 5432; curl http://h:8080/a@b", "psql -p 5432; curl http://h:8080/a@b"},
  };
  for (const Row& row : rows) EXPECT_EQ(redact(row.text, {.command_line = true}), row.redacted);
  EXPECT_EQ(redact(rows[0].text), rows[0].text);
}

}  // namespace
}  // namespace talaria::policy
