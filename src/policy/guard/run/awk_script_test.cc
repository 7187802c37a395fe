#include "policy/guard/run/awk_script.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

std::string seen(std::string_view script) {
  const AwkActions actions = read_awk_script(script);
  std::string text = actions.runs_commands ? "runs" : "";
  for (const std::string& command : actions.commands) text += " |" + command;
  for (const std::string& file : actions.files) text += " >" + file;
  return text;
}

TEST(AwkScriptTest, FindsWhatRunsAndWhatIsWritten) {
  const struct {
    const char* script;
    const char* expected;
  } cases[] = {
      {"BEGIN{system(\"id\")}", "runs"},
      {"BEGIN{system (\"id\")}", "runs"},
      {"{print | \"sort -u\"}", " |sort -u"},
      {"{print|\"sort\"; close(\"sort\")}", " |sort"},
      {"{print | \"sh\" x}", "runs |sh"},
      {"{print | c}", "runs"},
      {"{print |& \"sh\"}", " |sh"},
      {"{\"id\" | getline x}", "runs"},
      {"{c|getline}", "runs"},
      {"@load \"x\"", "runs"},
      {"BEGIN{f = \"system\"; @f(\"id\")}", "runs"},
      {"BEGIN{system\\\n(\"id\")}", "runs"},
      {"{x = i++ / 2; print | \"sh\"; y = 1 / 2}", " |sh"},
      {"{print > \"a b\"}", " >a b"},
      {"{print >> \"a\"; print \"x\" > \"b\"}", " >a >b"},
      {"/\"/{print | \"sh\"}", " |sh"},
      {"/[/\"]/{print | \"sh\"}", " |sh"},
      {"{x = a / b; print | \"sh\"; y = c / d}", " |sh"},
      {"# \"\n{print | \"sh\"}", " |sh"},
  };
  for (const auto& c : cases) EXPECT_EQ(seen(c.script), c.expected) << c.script;
}

TEST(AwkScriptTest, LeavesAloneWhatOnlyPrints) {
  for (const char* const script :
       {"{print $1}", "/a|b/", "!/a|b/", "$1 ~ /x|y/ || $2 > 3", "{print \"a | b\"}",
        "{gsub(/a|b/, \"|\"); print}", "NR > 1 && $3 >= 5", "{print \"system(\" $1 \")\"}",
        "{n = split($0, a, /[|,]/)} END{print n}", "{systems[$1]++}", "# system(\"id\")",
        "{print a/b, c/d}", "{print i++ / 2, \"a@b\"}", "{printf \"%s|%s\\n\", $1, $2}",
        "BEGIN{FS=\"|\"; OFS=\"\\t\"}"}) {
    EXPECT_EQ(seen(script), "") << script;
  }
}

}  // namespace
}  // namespace talaria::guard
