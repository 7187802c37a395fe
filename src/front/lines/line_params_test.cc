#include "front/lines/line_params.h"

#include <boost/json/parse.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::lines {
namespace {

using std::chrono::milliseconds;

Result<LineParams> read(std::string_view takes, const char* given) {
  return LineParams::read("a.method", takes, json::parse(given).as_object());
}

std::string flaw(std::string_view takes, const char* given) {
  const auto params = read(takes, given);
  return params ? "" : params.error().message();
}

TEST(LineParams, EveryTypeTakesItsValuesAndNoOthers) {
  const struct {
    const char* type;
    const char* good;
    const char* bad;
    const char* expected;
  } cases[] = {
      {"text", R"("")", "1", "expected a string"},
      {"name", R"("x")", R"("")", "expected a string"},
      {"texts", R"(["a"])", R"(["a",1])", "expected a list of strings"},
      {"flag", "false", R"("true")", "expected true or false"},
      {"whole", "3.0", "-1", "expected a whole number, 0 or more"},
      {"whole", "9007199254740991", "9007199254740992", "expected a whole number, 0 or more"},
      {"number", "0.5", "-0.5", "expected a number, 0 or more"},
      {"time", R"("90s")", R"("soon")",
       "expected a number of seconds, or a text such as \"90s\", \"5m\" or \"2h\""},
      {"time", "0.25", "-1",
       "expected a number of seconds, or a text such as \"90s\", \"5m\" or \"2h\""},
      {"base64", R"("YQ==")", R"("*")", "expected bytes in base64"},
      {"map", R"({"a":"b"})", R"({"a":1})", "expected an object whose values are strings"},
      {"object", "{}", "[]", "expected an object"},
      {"list", "[1]", "{}", "expected a list"},
      {"size", R"({"rows":1,"cols":2})", R"({"rows":1})",
       R"(expected a size, for example {"rows":30,"cols":120})"},
      {"who", "1000", R"("")", "expected a name or a number"},
      {"any", "[{}]", nullptr, nullptr},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.type);
    const std::string takes = std::string("p:") + c.type;
    EXPECT_EQ(flaw(takes, (std::string(R"({"p":)") + c.good + "}").c_str()), "");
    EXPECT_EQ(flaw(takes, R"({"p":null})"), "");
    if (c.bad == nullptr) continue;
    EXPECT_EQ(flaw(takes, (std::string(R"({"p":)") + c.bad + "}").c_str()),
              std::string("params.p: ") + c.expected);
  }
}

TEST(LineParams, NullIsAbsentUnlessItMeansSomething) {
  EXPECT_EQ(flaw("p!:text", R"({"p":null})"), "params.p: expected a string");
  EXPECT_FALSE(read("p:text", R"({"p":null})")->has("p"));
  EXPECT_TRUE(read("p!?:object", R"({"p":null})")->find("p")->is_null());
  EXPECT_EQ(flaw("p!?:object", "{}"), "params.p: expected an object");
}

TEST(LineParams, AnUnknownOneIsNamedWithThoseThereAre) {
  EXPECT_EQ(flaw("a!:text b:flag", R"({"c":1,"b":7})"),
            "params: unknown key \"c\"; a.method has a, b");
  EXPECT_EQ(flaw("", R"({"c":1})"), "params: unknown key \"c\"; a.method has none");
}

TEST(LineParams, BoundsAndChoicesAreErrorsThatNameThem) {
  const auto params = read("n:whole t:time c:text", R"({"n":5,"t":"2s","c":"blue"})");
  ASSERT_TRUE(params);
  EXPECT_EQ(params->whole_within("n", 1, 0, 5).value(), 5u);
  EXPECT_EQ(params->whole_within("m", 1, 2, 5).value(), 1u)
      << "the default needs to be in no range";
  EXPECT_EQ(params->whole_within("n", 1, 6, 9).error().message(),
            "params.n: expected a whole number from 6 to 9");
  EXPECT_EQ(params->time_within("t", milliseconds(0), milliseconds(1), milliseconds(1500))
                .error()
                .message(),
            "params.t: expected a time from 0.001 to 1.5 seconds");
  EXPECT_EQ(params->choice("c", "red blue").value(), 1u);
  EXPECT_EQ(params->choice("c", "red green").error().message(),
            "params.c: expected one of 'red', 'green'");
}

TEST(LineParams, ValuesAreReadAsTheirTypeSays) {
  const auto params = read("e:map w:who b:base64 x:texts",
                           R"({"e":{"A":"1","B":"x=y"},"w":1000,"b":"AAE=","x":["1","2"]})");
  ASSERT_TRUE(params);
  EXPECT_THAT(params->variables("e"), testing::ElementsAre("A=1", "B=x=y"));
  EXPECT_EQ(params->who("w"), "1000");
  EXPECT_EQ(params->bytes("b"), std::string("\0\1", 2));
  EXPECT_THAT(params->texts("x"), testing::ElementsAre("1", "2"));
}

}  // namespace
}  // namespace talaria::front::lines
