#include "modal/retry_delay.h"

#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <modal_client.pb.h>

namespace talaria::modal {
namespace {

using std::chrono::milliseconds;

std::string details(const std::string& type, float seconds) {
  ::modal::client::RPCRetryPolicy policy;
  policy.set_retry_after_secs(seconds);
  ::modal::client::RPCStatus status;
  status.set_code(8);
  auto& other = *status.add_details();
  other.set_type_url("type.googleapis.com/other");
  other.set_value("\xff\xff");
  auto& detail = *status.add_details();
  detail.set_type_url(type);
  detail.set_value(policy.SerializeAsString());
  return status.SerializeAsString();
}

TEST(ModalRetryDelay, IsFoundAmongTheDetails) {
  const std::string type = "type.googleapis.com/modal.client.RPCRetryPolicy";
  EXPECT_EQ(retry_delay(details(type, 1.5F)), milliseconds(1500));
  EXPECT_EQ(retry_delay(details(type, 0)), milliseconds(0));
}

TEST(ModalRetryDelay, WhatIsNoneIsNone) {
  const std::string type = "type.googleapis.com/modal.client.RPCRetryPolicy";
  EXPECT_EQ(retry_delay(""), std::nullopt);
  EXPECT_EQ(retry_delay("\x07garbage"), std::nullopt);
  EXPECT_EQ(retry_delay(details("type.googleapis.com/else", 2)), std::nullopt);
  EXPECT_EQ(retry_delay(details(type, -1)), std::nullopt);
  EXPECT_EQ(retry_delay(details(type, 1e30F)), std::nullopt);
  EXPECT_EQ(retry_delay(details(type, std::numeric_limits<float>::quiet_NaN())), std::nullopt);
}

}  // namespace
}  // namespace talaria::modal
