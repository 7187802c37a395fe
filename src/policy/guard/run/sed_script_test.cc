#include "policy/guard/run/sed_script.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// "runs", the commands, then the files, between blanks.
std::string seen_in_sed(std::string_view script) {
  const SedActions actions = read_sed_script(script);
  std::string text = actions.runs_lines ? "runs" : "";
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

}  // namespace
}  // namespace talaria::guard
