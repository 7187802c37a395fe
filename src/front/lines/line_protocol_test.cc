#include "front/lines/line_protocol.h"

#include <string>
#include <vector>

#include <boost/json/serialize.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::lines {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::string_literals;

// An action in one line, for comparison.
std::string shown(const LineAction& action) {
  if (const auto* call = std::get_if<StartCall>(&action)) {
    std::string text = "call " + call->key + " " + call->tool + json::serialize(call->arguments) +
                       " task=" + call->context.task + " session_key=" + call->context.session_key;
    const auto& tools = call->context.tools;
    if (tools) {
      text += " tools=";
      for (const std::string& tool : *tools) text += tool + ",";
    }
    return text;
  }
  if (const auto* cancel = std::get_if<CancelCall>(&action)) return "cancel " + cancel->key;
  if (const auto* method = std::get_if<AskMethod>(&action)) {
    return "method " + method->key + " " + method->method + json::serialize(method->params);
  }
  return std::get<SendLine>(action).line;
}

std::vector<std::string> shown(const std::vector<LineAction>& actions) {
  std::vector<std::string> texts;
  for (const LineAction& action : actions) texts.push_back(shown(action));
  return texts;
}

std::string bad(const std::string& id, const std::string& message) {
  return R"({"id":)" + id + R"(,"error":{"kind":"bad_request","message":")" + message + "\"}}\n";
}

TEST(LineProtocol, ReadsEveryKindOfRequest) {
  const struct {
    const char* name;
    const char* line;
    std::vector<std::string> expected;
  } cases[] = {
      {"a call",
       R"({"id":1,"tool":"terminal","args":{"command":"ls"}})",
       {R"(call 1 terminal{"command":"ls"} task= session_key=)"}},
      {"a call with everything",
       R"({"id":"a","tool":"t","args":{},"task":"T","session_key":"K","tools":["x","y"],"turn":"1"})",
       {R"(call "a" t{} task=T session_key=K tools=x,y,)"}},
      {"an unknown key",
       R"({"id":1,"tool":"terminal","arguments":{"command":"ls"}})",
       {bad("1", R"(unknown key \"arguments\"; such a request has id, tool, args, task, sandbox, )"
                 R"(session_key, tools, tool_call_id, turn)")}},
      {"an unknown key of a method",
       R"({"id":1,"method":"env.list","args":{}})",
       {bad("1", R"(unknown key \"args\"; such a request has id, method, params)")}},
      {"no tools is not all tools",
       R"({"id":1,"tool":"t","tools":[]})",
       {R"(call 1 t{} task= session_key= tools=)"}},
      {"null counts as absent",
       R"({"id":1,"tool":"t","args":null,"task":null,"session_key":null,"tools":null})",
       {R"(call 1 t{} task= session_key=)"}},
      {"a large id",
       R"({"id":18446744073709551615,"tool":"t"})",
       {"call 18446744073709551615 t{} task= session_key="}},
      {"a method", R"({"id":1,"method":"env.list"})", {"method 1 env.list{}"}},
      {"a method with parameters",
       R"({"id":1,"method":"m","params":{"a":2}})",
       {R"(method 1 m{"a":2})"}},
      {"a cancel of nothing",
       R"({"id":2,"cancel":1})",
       {"{\"id\":2,\"result\":{\"cancelled\":false}}\n"}},
      {"a blank line", "  \r", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    LineProtocol protocol;
    EXPECT_EQ(shown(protocol.feed(c.line + "\n"s)), c.expected);
  }
}

TEST(LineProtocol, AnswersWhatItCannotReadAndGoesOn) {
  const std::string one_of = R"(a request has exactly one of \"tool\", \"cancel\" and \"method\")";
  const std::string needs_id = R"(line 1: a request requires \"id\": a string or a whole number)";
  const std::string unicode =
      "line 1: not valid Unicode text: it has an unpaired surrogate or a byte that is not UTF-8";
  const struct {
    const char* name;
    std::string line;
    std::string expected;
  } cases[] = {
      {"no JSON", "hello", bad("null", "line 1: not valid JSON: syntax error")},
      {"half an object", R"({"id":1,)", bad("null", "line 1: not valid JSON: incomplete JSON")},
      {"two objects", R"({"id":1}{})", bad("null", "line 1: not valid JSON: extra data")},
      {"not an object", "[1]", bad("null", "line 1: expected an object")},
      {"no id", R"({"tool":"t"})", bad("null", needs_id)},
      {"a null id", R"({"id":null,"tool":"t"})",
       bad("null", "line 1: id: expected a string or a whole number")},
      {"a fraction as id", R"({"id":1.5,"tool":"t"})",
       bad("null", "line 1: id: expected a string or a whole number")},
      {"nothing asked", R"({"id":1})", bad("1", one_of)},
      {"two things asked", R"({"id":1,"tool":"t","cancel":2})", bad("1", one_of)},
      {"args as text", R"({"id":1,"tool":"t","args":"{}"})", bad("1", "args: expected an object")},
      {"tool of the wrong type", R"({"id":1,"tool":5})", bad("1", "tool: expected a string")},
      {"task of the wrong type", R"({"id":1,"tool":"t","task":5})",
       bad("1", "task: expected a string")},
      {"session_key of the wrong type", R"({"id":1,"tool":"t","session_key":{}})",
       bad("1", "session_key: expected a string")},
      {"tools of the wrong type", R"({"id":1,"tool":"t","tools":"x"})",
       bad("1", "tools: expected a list of tool names")},
      {"a tool of the wrong type", R"({"id":1,"tool":"t","tools":["x",1]})",
       bad("1", "tools: expected a list of tool names")},
      {"a method of the wrong type", R"({"id":1,"method":5})",
       bad("1", "method: expected a string")},
      {"params of the wrong type", R"({"id":1,"method":"m","params":5})",
       bad("1", "params: expected an object")},
      {"a cancel of no id", R"({"id":1,"cancel":[]})",
       bad("1", "cancel: expected a string or a whole number")},
      {"a task too long", R"({"id":1,"tool":"t","task":")" + std::string(257, 'a') + "\"}",
       "{\"id\":1,\"error\":{\"kind\":\"limit\",\"message\":\"task: 257 bytes, the limit is "
       "256\"}}\n"},
      {"an unpaired surrogate", R"({"id":7,"tool":"t","args":{"command":"\ud800"}})",
       bad("7", unicode)},
      {"a trailing surrogate alone", R"({"id":7,"tool":"\\\udc00"})", bad("7", unicode)},
      {"bytes that are not UTF-8", "{\"id\":7,\"tool\":\"\xFF\"}", bad("7", unicode)},
      {"broken text and no JSON either", "{\"id\":7,\"\xFF",
       bad("null", "line 1: not valid JSON: syntax error")},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    LineProtocol protocol;
    EXPECT_THAT(shown(protocol.feed(c.line + "\n")), ElementsAre(c.expected));
    EXPECT_THAT(shown(protocol.feed("{\"id\":1,\"tool\":\"t\"}\n")),
                ElementsAre("call 1 t{} task= session_key="));
  }
}

TEST(LineProtocol, KeepsASurrogatePair) {
  LineProtocol protocol;
  EXPECT_THAT(shown(protocol.feed("{\"id\":1,\"tool\":\"\\ud83d\\ude00\"}\n")),
              ElementsAre("call 1 😀{} task= session_key="));
}

TEST(LineProtocol, ReadsLinesHoweverTheyArrive) {
  const std::string input =
      "{\"id\":1,\"tool\":\"é\"}\r\n\n{\"id\":2,\"tool\":\"b\"}\nnonsense\n{\"id\":3,\"tool\":"
      "\"c\"}";
  const std::vector<std::string> expected = {
      "call 1 é{} task= session_key=", "call 2 b{} task= session_key=",
      bad("null", "line 4: not valid JSON: syntax error"), "call 3 c{} task= session_key="};
  for (std::size_t piece = 1; piece <= input.size(); ++piece) {
    LineProtocol protocol;
    std::vector<std::string> got;
    const auto take = [&](const std::vector<LineAction>& actions) {
      for (const LineAction& action : actions) got.push_back(shown(action));
    };
    for (std::size_t at = 0; at < input.size(); at += piece)
      take(protocol.feed(input.substr(at, piece)));
    take(protocol.end());
    EXPECT_EQ(got, expected) << "in pieces of " << piece;
  }
}

TEST(LineProtocol, ALineOverTheLimitIsRefusedOnceAndSkipped) {
  const std::string refused =
      "{\"id\":null,\"error\":{\"kind\":\"limit\",\"message\":\"line 2: longer than the limit of "
      "32 "
      "bytes; ignored\"}}\n";
  LineProtocol protocol(32);
  EXPECT_THAT(shown(protocol.feed("{\"id\":1,\"tool\":\"12345678901234\"}\n")),
              ElementsAre("call 1 12345678901234{} task= session_key="));
  EXPECT_THAT(protocol.feed("{\"id\":2,\"tool\":\"123456789012345"), IsEmpty());
  EXPECT_THAT(shown(protocol.feed("\"}")), ElementsAre(refused));
  EXPECT_THAT(protocol.feed(std::string(100, 'x')), IsEmpty());
  EXPECT_THAT(shown(protocol.feed("yz\n{\"id\":3,\"tool\":\"t\"}\n")),
              ElementsAre("call 3 t{} task= session_key="));
  EXPECT_THAT(protocol.end(), IsEmpty());
}

TEST(LineProtocol, CancelNamesACallUnderWayAndEndsWithItsAnswer) {
  LineProtocol protocol;
  protocol.feed("{\"id\":\"a\",\"tool\":\"t\"}\n");
  EXPECT_THAT(shown(protocol.feed("{\"id\":2,\"cancel\":\"a\"}\n")),
              ElementsAre("{\"id\":2,\"result\":{\"cancelled\":true}}\n", "cancel \"a\""));
  EXPECT_EQ(protocol.answer("\"a\"", json::object{{"x", 1}}),
            "{\"id\":\"a\",\"result\":{\"x\":1}}\n");
  EXPECT_THAT(shown(protocol.feed("{\"id\":3,\"cancel\":\"a\"}\n")),
              ElementsAre("{\"id\":3,\"result\":{\"cancelled\":false}}\n"));
}

TEST(LineProtocol, AnIdIsFreeAgainOnlyAfterItsAnswer) {
  LineProtocol protocol;
  const std::string request = "{\"id\":1,\"tool\":\"t\"}\n";
  EXPECT_THAT(shown(protocol.feed(request)), ElementsAre("call 1 t{} task= session_key="));
  EXPECT_THAT(shown(protocol.feed(request)),
              ElementsAre(bad("1", "id 1 is already used by a request in progress")));
  EXPECT_THAT(shown(protocol.feed("{\"id\":1,\"method\":\"m\"}\n")),
              ElementsAre(bad("1", "id 1 is already used by a request in progress")));
  EXPECT_THAT(shown(protocol.feed("{\"id\":\"1\",\"tool\":\"t\"}\n")),
              ElementsAre("call \"1\" t{} task= session_key="));
  protocol.answer("1", fail(ErrorKind::not_found, "x"));
  EXPECT_THAT(shown(protocol.feed(request)), ElementsAre("call 1 t{} task= session_key="));
}

TEST(LineProtocol, AnswersAreOneLineOfValidText) {
  LineProtocol protocol;
  EXPECT_EQ(protocol.answer("1", json::object{{"output", "a\nb\xFF"}}),
            "{\"id\":1,\"result\":{\"output\":\"a\\nb\uFFFD\"}}\n");
  EXPECT_EQ(protocol.answer("1", fail(ErrorKind::not_found, "no\x80")),
            "{\"id\":1,\"error\":{\"kind\":\"not_found\",\"message\":\"no\uFFFD\"}}\n");
}

}  // namespace
}  // namespace talaria::front::lines
