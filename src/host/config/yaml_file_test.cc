#include "host/config/yaml_file.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::host {
namespace {

// What the file says about `key`, as "line: text", or the error.
std::string said(const std::string& text, const std::string& key) {
  const Result<YamlFile> file = parse_yaml_file(text, "/h/config.yaml");
  if (!file) return file.error().message();
  const YamlEntry* entry = file->find(key);
  if (!entry) return "nothing";
  return std::to_string(entry->line) + ": " + entry->value.text +
         (entry->value.structured ? " (structured)" : "");
}

TEST(YamlFile, FindsSettings) {
  const struct {
    const char* name;
    std::string text;
    std::string key;
    std::string expected;
  } cases[] = {
      {"scalar", "a: 1\nterminal:\n  timeout: 90\n", "terminal.timeout", "3: 90"},
      {"quoted", "terminal:\n  cwd: \"a\\tb\"\n", "terminal.cwd", "2: a\tb"},
      {"at the top", "file_read_max_chars: 5\n", "file_read_max_chars", "1: 5"},
      {"three deep", "web:\n  xai:\n    model: m\n", "web.xai.model", "3: m"},
      {"flow", "{terminal: {timeout: 90}}", "terminal.timeout", "1: 90"},
      {"absent", "terminal:\n  cwd: /\n", "terminal.timeout", "nothing"},
      {"null", "terminal:\n  timeout:\n", "terminal.timeout", "nothing"},
      {"null as a word", "terminal:\n  timeout: null\n", "terminal.timeout", "nothing"},
      {"null as a sign", "terminal:\n  timeout: ~\n", "terminal.timeout", "nothing"},
      {"a quoted tilde is a text", "terminal:\n  cwd: '~'\n", "terminal.cwd", "2: ~"},
      {"twice", "terminal:\n  timeout: 1\n  timeout: 2\n", "terminal.timeout", "3: 2"},
      {"empty", "", "terminal.timeout", "nothing"},
      {"only a comment", "# nothing\n", "terminal.timeout", "nothing"},
      {"a section that is none", "terminal: 5\n", "terminal.timeout", "nothing"},
      {"alias", "a: &a 7\nterminal:\n  timeout: *a\n", "terminal.timeout", "3: 7"},
      {"aliased section", "a: &a\n  timeout: 7\nterminal: *a\n", "terminal.timeout", "2: 7"},
      {"list", "terminal:\n  docker_volumes:\n  - a\n  - 'b: c'\n  - 1\n",
       "terminal.docker_volumes", R"(2: ["a","b: c",1] (structured))"},
      {"mapping", "terminal:\n  docker_env: {A: b, C: true, D: 0.5, E: '1', F: }\n",
       "terminal.docker_env", R"(2: {"A":"b","C":true,"D":5E-1,"E":"1","F":null} (structured))"},
      {"a list that holds itself", "terminal:\n  docker_volumes: &a [*a]\n",
       "terminal.docker_volumes",
       "/h/config.yaml, line 2: terminal.docker_volumes is too large. Fix the file or move it "
       "away."},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(said(c.text, c.key), c.expected);
  }
}

TEST(YamlFile, ListsKeysThatAreNoSettings) {
  const Result<YamlFile> file =
      parse_yaml_file("model: x\nterminal:\n  tiemout: 5\n", "/h/config.yaml");
  ASSERT_TRUE(file) << file.error().message();
  ASSERT_EQ(file->others.size(), 2u);
  EXPECT_EQ(file->others[1].key, "terminal.tiemout");
  EXPECT_EQ(file->others[1].line, 3);
}

TEST(YamlFile, AnErrorNamesTheLineAndWhatToDo) {
  const std::string todo = ". Fix the file or move it away.";
  const struct {
    const char* name;
    std::string text;
    std::string expected;
  } cases[] = {
      {"open bracket", "a: 1\nb: [c\n",
       "/h/config.yaml, line 3: invalid YAML: flow sequence without a closing bracket" + todo},
      {"open quote", "a: \"b\n",
       "/h/config.yaml, line 1: invalid YAML: double-quoted scalar without closing quote" + todo},
      {"a list", "- a\n", "/h/config.yaml, line 1: not a mapping of keys to values" + todo},
      {"a text", "hello\n", "/h/config.yaml, line 1: not a mapping of keys to values" + todo},
      {"not UTF-8", "a: \xFF\n", "/h/config.yaml: not UTF-8" + todo},
      {"too deep", "a: " + std::string(5000, '['),
       "/h/config.yaml, line 1: invalid YAML: Max depth (64) exceeded" + todo},
      {"a tab", "terminal:\n\ttimeout: 5\n",
       "/h/config.yaml, line 2: invalid YAML: a tab is used for indentation" + todo},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(said(c.text, ""), c.expected);
  }
}

// Nine lines of ten aliases each once stood for a billion values, and reading took forever.
TEST(YamlFile, AliasesAreFollowedOnlyWhereAValueIsWanted) {
  std::string text = "a: &a [x,x,x,x,x,x,x,x,x,x]\n";
  for (char name = 'b'; name < 'j'; ++name) {
    const std::string before(1, static_cast<char>(name - 1));
    text += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 10; ++i) text += (i > 0 ? ",*" : "*") + before;
    text += "]\n";
  }
  EXPECT_EQ(said(text + "terminal:\n  timeout: 3\n", "terminal.timeout"), "11: 3");
  EXPECT_EQ(said(text + "terminal:\n  docker_volumes: *i\n", "terminal.docker_volumes"),
            "/h/config.yaml, line 11: terminal.docker_volumes is too large. Fix the file or "
            "move it away.");
}

}  // namespace
}  // namespace talaria::host
