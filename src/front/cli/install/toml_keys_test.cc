#include "front/cli/install/toml_keys.h"

#include <gtest/gtest.h>

namespace talaria::front::cli {
namespace {

std::string after_toml(std::string_view text) {
  const auto changed = set_toml_keys(text, "s.t", {{"command", "\"c\""}, {"args", "[\"mcp\"]"}});
  return changed ? *changed : "error: " + changed.error().message();
}

TEST(TomlKeys, AreSetAndEverythingElseStays) {
  const struct {
    const char* name;
    const char* text;
    const char* expected;
  } cases[] = {
      {"nothing", "", "[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
      {"others", "model = 'x' # y\n[s.u]\nk = \"[s.t]\"",
       "model = 'x' # y\n[s.u]\nk = \"[s.t]\"\n\n[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
      {"an older one, and what its owner added",
       "[s.t]  # ours\nargs = [ # many\n  \"a]\",\n  'b',\n]\ntool_timeout_sec = 9\ncommand='old' "
       "# "
       "z\n\n[s.t.env]\nA = \"1\"\n",
       "[s.t]  # ours\nargs = [\"mcp\"]\ntool_timeout_sec = 9\ncommand=\"c\" # z\n\n[s.t.env]\nA = "
       "\"1\"\n"},
      {"half of it", "[ s . \"t\" ]\ncommand = \"c\"",
       "[ s . \"t\" ]\nargs = [\"mcp\"]\ncommand = \"c\""},
      {"only the header", "[s.t]", "[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
      {"a header inside of a text", "a = '''\n[s.t]\n'''\nb = \"\"\"\n\\\"\"\"\"\n",
       "a = '''\n[s.t]\n'''\nb = \"\"\"\n\\\"\"\"\"\n\n[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
      {"projects that Codex trusts", "[projects.\"/home/me/x.y\"]\ntrust_level = \"trusted\"\n",
       "[projects.\"/home/me/x.y\"]\ntrust_level = \"trusted\"\n\n[s.t]\ncommand = \"c\"\n"
       "args = [\"mcp\"]\n"},
      {"one that only looks like ours", "[s.\"t.command\"]\n[\"s.t\"]\n",
       "[s.\"t.command\"]\n[\"s.t\"]\n\n[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
      {"windows", "a = 1\r\n[b]\r\n",
       "a = 1\r\n[b]\r\n\n[s.t]\ncommand = \"c\"\nargs = [\"mcp\"]\n"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(after_toml(c.text), c.expected);
    EXPECT_EQ(after_toml(after_toml(c.text)), c.expected);
  }
}

TEST(TomlKeys, AreNotSetInWhatCannotBeRead) {
  for (const char* text : {"[s.t", "a", "a = ", "a = [1", "a = \"x", "a = '''x", "s = {t = {}}",
                           "s.t = {}", "s.t.command = \"x\"", "[s]\nt = {command = \"x\"}",
                           "[s]\nt.command = \"x\"", "[[s]]", "[[s.t]]", "[s.\"\\u0074\"]",
                           "[s.t]\n[s.t]", "[s.t.command]\n[s.t]", "a = [}", "a = 1 b = 2"}) {
    SCOPED_TRACE(text);
    EXPECT_TRUE(after_toml(text).starts_with("error: ")) << after_toml(text);
  }
}

TEST(TomlKeys, AreFoundInTheirTableOnly) {
  EXPECT_TRUE(has_toml_key("[s.t]\nurl = 'x'\n", "s.t", "url"));
  EXPECT_FALSE(has_toml_key("[s.u]\nurl = 'x'\n", "s.t", "url"));
  EXPECT_FALSE(has_toml_key("url", "s.t", "url"));
}

TEST(TomlKeys, StringsAreQuoted) {
  EXPECT_EQ(toml_string("a\"b\\c\n\x7f"), R"("a\"b\\c\u000a\u007f")");
}

}  // namespace
}  // namespace talaria::front::cli
