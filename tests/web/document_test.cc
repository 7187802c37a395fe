// The script that docs/guide/code.md shows does what it says there.
#include <filesystem>
#include <fstream>

#include "os/file.h"
#include "web/web_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;

TEST_F(WebTest, TheScriptOfTheDocumentDoesItsWork) {
  const std::string document = os::read_file(TALARIA_SCRIPTS_DOCUMENT, 1u << 20).value_or("");
  const std::string fence = "```python\n";
  const std::size_t begin = document.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::string code =
      document.substr(begin + fence.size(), document.find("```", begin + 1) - begin - fence.size());
  for (const char* tool : {"web_search(", "web_extract(", "read_file(", "write_file(",
                           "search_files(", "patch(", "terminal("}) {
    EXPECT_THAT(code, HasSubstr(tool));
  }

  world_.set("SEARXNG_URL", "http://127.0.0.1:" + port() + "/own");
  world_.set("HERMES_ALLOW_PRIVATE_URLS", "yes");
  const std::string work = world_.directory("work");
  std::filesystem::create_directory(work + "/d");
  std::ofstream(work + "/a.py") << "def old_name():\n    return 1\n\n\nprint(old_name())\n";
  std::ofstream(work + "/d/b.py") << "from a import old_name\n\nolder_name = old_name\n";
  world_.exec("git init -q . && git add -A");

  const std::string arguments = json::serialize(json::object{{"code", code}});
  const json::object result =
      json::parse(world_.run({"call", "execute_code", arguments}).out).as_object();
  EXPECT_EQ(result.at("status"), "success") << json::serialize(result);
  EXPECT_EQ(result.at("output"), "1|## A page | 1 pages | 0\n") << json::serialize(result);
  EXPECT_EQ(world_.read("work/notes.md"),
            "## A page\n\n# Hello\n\nfrom [here](http://127.0.0.1:" + port() + "/x)\n");
  EXPECT_EQ(world_.read("work/a.py"), "def new_name():\n    return 1\n\n\nprint(new_name())\n");
  EXPECT_EQ(world_.read("work/d/b.py"), "from a import new_name\n\nolder_name = new_name\n");
}

}  // namespace
}  // namespace talaria::test
