#include "http/event_stream.h"

#include <gtest/gtest.h>

namespace talaria::http {
namespace {

TEST(EventStream, ReadsEventsInWhateverPiecesTheyCome) {
  const std::string text =
      ": hello\r\nid: 6\r\nevent: output\r\ndata: {\"a\":\r\ndata:1}\r\n\r\n"
      "event: nothing\n\ndata\n\nretry: 5\ndata: no end";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    EventStream stream;
    std::vector<ServerEvent> all;
    for (std::size_t at = 0; at < text.size(); at += size) {
      for (ServerEvent& event : stream.feed(std::string_view(text).substr(at, size))) {
        all.push_back(std::move(event));
      }
    }
    ASSERT_EQ(all.size(), 2u) << size;
    EXPECT_EQ(all[0].name, "output");
    EXPECT_EQ(all[0].data, "{\"a\":\n1}");
    EXPECT_EQ(all[0].id, "6");
    EXPECT_EQ(all[1].name, "message");
    EXPECT_EQ(all[1].data, "");
    EXPECT_EQ(all[1].id, "6");
  }
}

}  // namespace
}  // namespace talaria::http
