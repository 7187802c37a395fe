#include "environment/link_conversion.h"

#include <gtest/gtest.h>

namespace talaria::environment {
namespace {

std::string message_of(link::RunnerEvent event) {
  return from_link(std::move(event), "local").event.message;
}

TEST(LinkConversionTest, EventsThatWereLostAreTold) {
  EXPECT_EQ(message_of({}), "");
  EXPECT_EQ(message_of({.message = "Muted."}), "Muted.");
  EXPECT_EQ(
      message_of({.dropped = 1}),
      "1 event before this one was lost: they were not fetched in time, and the runner had no "
      "room for more.");
  EXPECT_EQ(message_of({.message = "Muted.", .dropped = 3}),
            "3 events before this one were lost: they were not fetched in time, and the runner had "
            "no room for more. Muted.");
}

}  // namespace
}  // namespace talaria::environment
