#include "policy/guard/run/line_script.h"

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

TEST(LineScriptTest, FindsCallsThatReachOutside) {
  for (const char* const script : {"system(\"x\")",
                                   "system \"x\"",
                                   "system q(x)",
                                   "exec 'x'",
                                   "`x`",
                                   "qx(x)",
                                   "qx{x}",
                                   "unlink",
                                   "unlink $_ if /x/",
                                   "unlink;",
                                   "open(F, '|x')",
                                   "open my $f, '<', 'x'",
                                   "s/x/system(\"y\")/e",
                                   "s/(.*)/$1/ee",
                                   "s{a}{b}gee;",
                                   "eval $_",
                                   "print %x(ls)",
                                   "File.delete($_)",
                                   "FileUtils.rm_rf('x')",
                                   "IO.popen('x')",
                                   "rmdir $_",
                                   "CORE::system('x')",
                                   "system rm => '-rf'",
                                   "kill 9, $_",
                                   "require 'x'"}) {
    EXPECT_TRUE(calls_outside(script)) << script;
  }
}

TEST(LineScriptTest, LeavesAloneWhatOnlyLooksAtLines) {
  for (const char* const script :
       {"s/a/b/", "s/system/tool/g", "print if /system error/", "s/exec/run/; print", "s/see/look/",
        "$system = 1", "print $open", "s/\\bopen\\b/close/g", "print join(',', @F)",
        "$_ =~ s/free/x/", "puts $_.upcase", "next unless /eval/", "tr/a-z/A-Z/"}) {
    EXPECT_FALSE(calls_outside(script)) << script;
  }
}

}  // namespace
}  // namespace talaria::guard
