// talaria.h, as a program of another language uses it.
#include <talaria.h>

#include <future>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/own_environment.h"

namespace talaria::test {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

class CApiTest : public ApiTest {
 protected:
  static std::string call(talaria_runtime* t, const char* request) {
    char* const answer = talaria_call(t, request);
    std::string text(answer);
    talaria_free(answer);
    return text;
  }
  static void keep(void* user, const char* text) {
    static_cast<std::promise<std::string>*>(user)->set_value(text);
  }
};

TEST_F(CApiTest, CallsToolsAndMethodsInASessionOfItsOwn) {
  talaria_runtime* const t = talaria_open(R"({"cwd":"/usr","variables":["WHO=me"]})", nullptr);
  ASSERT_TRUE(t);
  EXPECT_EQ(talaria_version_number(), unsigned{TALARIA_VERSION_NUMBER});
  EXPECT_THAT(call(t, R"({"tool":"terminal","args":{"command":"echo $WHO; cd /usr/share"}})"),
              testing::StartsWith(R"({"id":1,"result":{"output":"me","exit_code":0,)"));
  EXPECT_THAT(call(t, R"({"tool":"terminal","args":{"command":"pwd"}})"),
              HasSubstr(R"("output":"/usr/share")"));
  EXPECT_THAT(call(t, R"({"method":"env.list"})"), HasSubstr(R"("target":"local")"));
  for (const char* wrong : {"", "ls", "[]", "{}", R"({"method":"teleport"})", R"({"tool":7})"}) {
    EXPECT_THAT(call(t, wrong), HasSubstr(R"("error":{"kind":)")) << wrong;
  }
  talaria_close(t);
}

TEST_F(CApiTest, OptionsThatAreWrongAreNamed) {
  for (const auto& [options, text] : std::vector<std::pair<const char*, const char*>>{
           {R"({"cwd":"/nonexistent"})", "Options::cwd"},
           {R"({"settings":{"TALARIA_HOME":"/tmp"}})", "Options::home"},
           {R"({"colour":"red"})", "unknown option 'colour'"},
           {R"({"variables":"A=1"})", "variables: expected a list"},
           {"x", "options"}}) {
    char* error = nullptr;
    EXPECT_FALSE(talaria_open(options, &error));
    ASSERT_TRUE(error) << options;
    EXPECT_THAT(std::string(error), HasSubstr(text));
    EXPECT_TRUE(json::parse(error).is_object());
    talaria_free(error);
  }
}

TEST_F(CApiTest, ACallIsCancelledAndClosingAnswersTheOthers) {
  talaria_runtime* const t = talaria_open(nullptr, nullptr);
  std::promise<std::string> first;
  std::promise<std::string> second;
  std::promise<std::string> wrong;
  const std::string begun = R"({"tool":"terminal","args":{"command":"echo $$ >)";
  const std::uint64_t call =
      talaria_start(t, (begun + world_.path("first") + "; sleep 600\"}}").c_str(), keep, &first);
  talaria_start(t, (begun + world_.path("second") + "; sleep 600\"},\"task\":\"b\"}").c_str(), keep,
                &second);
  talaria_start(t, "ls", keep, &wrong);
  EXPECT_THAT(wrong.get_future().get(), HasSubstr("bad_request"));
  process_in("first");
  process_in("second");
  talaria_cancel(t, call);
  EXPECT_THAT(first.get_future().get(), HasSubstr(R"("exit_code":130)"));
  talaria_cancel(t, call);
  talaria_close(t);
  EXPECT_THAT(second.get_future().get(), HasSubstr(R"("exit_code":130)"));
}

TEST_F(CApiTest, EventsComeOnceSubscribed) {
  talaria_runtime* const t = talaria_open(nullptr, nullptr);
  std::promise<std::string> event;
  talaria_events(t, keep, &event);
  EXPECT_THAT(call(t, R"({"method":"events.subscribe"})"), HasSubstr("result"));
  EXPECT_THAT(call(t, R"({"tool":"terminal","args":{"command":"echo over","background":true,)"
                      R"("notify_on_complete":true}})"),
              HasSubstr("proc_"));
  EXPECT_THAT(event.get_future().get(), HasSubstr(R"({"event":{)"));
  talaria_close(t);
}

}  // namespace
}  // namespace talaria::test
