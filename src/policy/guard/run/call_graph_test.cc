#include "policy/guard/run/call_graph.h"

#include <gtest/gtest.h>

#include "policy/guard/syntax/script_reader.h"

namespace talaria::guard {
namespace {

bool is_bomb(std::string_view text) {
  const Script script = read_script(text);
  CallGraph graph;
  for (const ShellPipeline& pipeline : script.list.pipelines) {
    for (const ShellCommand& command : pipeline.commands) {
      if (command.kind == ShellCommand::Kind::function) graph.add(command);
    }
  }
  return graph.has_fork_bomb();
}

TEST(CallGraphTest, FindsWhatStartsMoreAndMoreOfItself) {
  for (const char* text :
       {":(){ :|:& };:", "a(){ b|b& }; b(){ a|a& }; a", "a(){ b; }; b(){ a|a& }; a",
        "a(){ b|c; }; b(){ a; }; c(){ a; }", "a(){ (b)|{ b; }; }; b(){ c; }; c(){ a; }",
        "a(){ if x; then b & fi; }; b(){ a; }", "a(){ case x in y) b|b;; esac; }; b(){ a; }"}) {
    EXPECT_TRUE(is_bomb(text)) << text;
  }
}

TEST(CallGraphTest, LeavesOtherFunctionsAlone) {
  for (const char* text :
       {"a(){ b|b; }; b(){ ls; }", "a(){ b; }; b(){ a; }", "a(){ b & }; b(){ sleep 1; }",
        "a(){ b|sort; }; b(){ a; }", "a(){ ls|ls& }", "ls"}) {
    EXPECT_FALSE(is_bomb(text)) << text;
  }
}

TEST(CallGraphTest, TakesALongChainWithoutAWalkPerFunction) {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    text += "f" + std::to_string(i) + "(){ f" + std::to_string(i + 1) + "; }\n";
  }
  EXPECT_FALSE(is_bomb(text));
  EXPECT_TRUE(is_bomb(text + "f3000(){ f0 & }\n"));
}

}  // namespace
}  // namespace talaria::guard
