#include "modal/jwt.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/base64.h"

namespace talaria::modal {
namespace {

using std::chrono::seconds;

std::string token(const std::string& claims) {
  std::string payload = base64(claims);
  std::ranges::replace(payload, '+', '-');
  std::ranges::replace(payload, '/', '_');
  payload.erase(payload.find_last_not_of('=') + 1);
  return "aGVhZA." + payload + ".c2ln";
}

TEST(ModalJwt, SaysWhenItEnds) {
  EXPECT_EQ(jwt_expiry(token(R"({"exp":1700000000})")), UnixTime(seconds(1700000000)));
  // Lengths that need each padding, and the letters that base64url has for itself.
  EXPECT_EQ(jwt_expiry(token(R"({"a":"b","exp":17})")), UnixTime(seconds(17)));
  EXPECT_EQ(jwt_expiry(token(R"({"a":"bb","exp":17})")), UnixTime(seconds(17)));
  EXPECT_EQ(jwt_expiry(token("{\"a\":\"~~~>>>?~?~?~\",\"exp\":17}")), UnixTime(seconds(17)));
}

TEST(ModalJwt, WhatSaysNothingHasNoEnd) {
  for (const std::string& text :
       {std::string(), std::string("a.b"), std::string("a.!!.c"), std::string("as-fake"),
        token("{}"), token("[]"), token("no JSON"), token(R"({"exp":"soon"})"),
        token(R"({"exp":1e300})")}) {
    EXPECT_EQ(jwt_expiry(text), std::nullopt) << text;
  }
}

TEST(ModalJwt, IsRenewedAfterHalfItsLife) {
  const UnixTime now(seconds(1000));
  EXPECT_EQ(renewal_time(token(R"({"exp":1100})"), now), UnixTime(seconds(1050)));
  EXPECT_EQ(renewal_time(token(R"({"exp":900})"), now), now);  // it has ended already
  EXPECT_EQ(renewal_time("as it is", now), now + std::chrono::minutes(10));
}

}  // namespace
}  // namespace talaria::modal
