#include "tools/masked_result.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

TEST(MaskedResult, HasNoSecretInWhatIsTold) {
  json::object result = json::parse(R"({
      "output": "TOKEN=abc", "error": "docker: -e API_KEY=abc is wrong", "exit_code": -1,
      "notices": ["fine", "the key sk-abcdefghij"],
      "processes": [{"command": "curl -H 'Authorization: Bearer abc' u", "pid": 3}]})")
                            .as_object();
  mask_result(result);
  EXPECT_EQ(json::serialize(result),
            R"({"output":"TOKEN=abc","error":"docker: -e API_KEY=*** is wrong","exit_code":-1,)"
            R"("notices":["fine","the key ***"],)"
            R"("processes":[{"command":"curl -H 'Authorization: Bearer ***' u","pid":3}]})");
}

}  // namespace
}  // namespace talaria::tool
