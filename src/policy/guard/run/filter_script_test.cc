#include "policy/guard/run/filter_script.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// "runs", the commands, then the files, between blanks.
std::string seen_in_sed(std::string_view script) {
  const FilterActions actions = read_sed_script(script);
  std::string text = actions.runs_commands ? "runs" : "";
  for (const std::string& command : actions.commands) text += " e:" + command;
  for (const std::string& file : actions.files) text += " w:" + file;
  return text;
}

TEST(SedScriptTest, FindsWhatRunsAndWhatIsWritten) {
  const struct {
    const char* script;
    const char* expected;
  } cases[] = {
      {"1e rm x", " e:rm x"},
      {"e", "runs"},
      {"1,5 e", "runs"},
      {"$!e id", " e:id"},
      {"/a\\/b/,/c/{p;e id\n}", " e:id"},
      {"\\,a,e id", " e:id"},
      {"/[/]/e id", " e:id"},
      {"/[]/]/e id", " e:id"},
      {"/[^]/]x/e id", " e:id"},
      {"s/[a\\]/x/;e id", " e:id"},
      {"s/[[:alpha:]/]/x/;e id", " e:id"},
      {"s/[[.a.]/]/x/;e id", " e:id"},
      {"s/\\[/x/;e id", " e:id"},
      {"y/[a/]b/;e id", " e:id"},
      {"s/[[]/x/;e id", " e:id"},
      {"s/a/b/e", "runs"},
      {"s|a|b|ge;p", "runs"},
      {"s/[/]e/x/;s/a/b/2e", "runs"},
      {"s/a/b/w out", " w:out"},
      {"s/a/b/gw out", " w:out"},
      {"w out\np", " w:out"},
      {"0~3W out", " w:out"},
      {"y/abc/def/;e id", " e:id"},
      {"b x;e id", " e:id"},
      {"t\ne id", " e:id"},
      {":a;e id", " e:id"},
      {": a\ne id", " e:id"},
      {":a;N;$!ba;s/x/y/e", "runs"},
      {"s\\a\\b\\e", "runs"},
      {"a text\\\nmore\ne id", " e:id"},
  };
  for (const auto& c : cases) EXPECT_EQ(seen_in_sed(c.script), c.expected) << c.script;
}

TEST(SedScriptTest, LeavesAloneWhatOnlyEdits) {
  for (const char* const script :
       {"s/e/e/g", "s/a\\/e/b/", "s,/usr/e,/opt/w,", "1,5p",       "$d",     "/e/d",
        "/w x/p",  "a e id",     "i\\\ne id",        "c\\e id",    "r e id", "# e id",
        ":e",      "b e",        "y/e/w/",           "s/[/e]/x/g", "",       "s/x",
        "s/",      "{",          "s/\n/e/",          "n;N;p",      "q5",     "l 3"}) {
    EXPECT_EQ(seen_in_sed(script), "") << script;
  }
}

std::string seen_in_awk(std::string_view script) {
  const FilterActions actions = read_awk_script(script);
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
      {"BEGIN{system(\"id\")}", "runs |id"},
      {"BEGIN{system (\"id\")}", "runs |id"},
      {"BEGIN{system(\"rm -rf \" ENVIRON[\"HOME\"])}", "runs |rm -rf ~"},
      {"BEGIN{c = \"id\"; system(c); c = \"reboot\"}", "runs |id"},
      {"{system(\"\\162m x\")}", "runs |${__unknown__}62m x"},
      {"{system(\"rm \" $1)}", "runs |rm ${__unknown__}"},
      {"{print | \"sort -u\"}", " |sort -u"},
      {"{print|\"sort\"; close(\"sort\")}", " |sort"},
      {"{print | \"sh\" x}", "runs |sh"},
      {"{print | c}", "runs"},
      {"{print |& \"sh\"}", " |sh"},
      {"{\"id\" | getline x}", "runs |id"},
      {"{c|getline}", "runs"},
      {"@load \"x\"", "runs"},
      {"BEGIN{f = \"system\"; @f(\"id\")}", "runs"},
      {"BEGIN{system\\\n(\"id\")}", "runs |id"},
      {"{x = i++ / 2; print | \"sh\"; y = 1 / 2}", " |sh"},
      {"{print > \"a b\"}", " >a b"},
      {"{print >> \"a\"; print \"x\" > \"b\"}", " >a >b"},
      {"/\"/{print | \"sh\"}", " |sh"},
      {"/[/\"]/{print | \"sh\"}", " |sh"},
      {"{x = a / b; print | \"sh\"; y = c / d}", " |sh"},
      {"# \"\n{print | \"sh\"}", " |sh"},
  };
  for (const auto& c : cases) EXPECT_EQ(seen_in_awk(c.script), c.expected) << c.script;
}

TEST(AwkScriptTest, LeavesAloneWhatOnlyPrints) {
  for (const char* const script :
       {"{print $1}", "/a|b/", "!/a|b/", "$1 ~ /x|y/ || $2 > 3", "{print \"a | b\"}",
        "{gsub(/a|b/, \"|\"); print}", "NR > 1 && $3 >= 5", "{print \"system(\" $1 \")\"}",
        "{n = split($0, a, /[|,]/)} END{print n}", "{systems[$1]++}", "# system(\"id\")",
        "{print a/b, c/d}", "{print i++ / 2, \"a@b\"}", "{printf \"%s|%s\\n\", $1, $2}",
        "BEGIN{FS=\"|\"; OFS=\"\\t\"}"}) {
    EXPECT_EQ(seen_in_awk(script), "") << script;
  }
}

}  // namespace
}  // namespace talaria::guard
