#include "front/gateway/http/request_reader.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::front::gateway {
namespace {

using State = RequestReader::State;
using testing::ElementsAre;

TEST(RequestReader, ARequestMayComeByteByByte) {
  RequestReader reader({});
  const std::string text =
      "POST /v1/a%20b/c?wait=5&x=%26 HTTP/1.1\r\nHost: h\r\nX-Some: Thing\r\nContent-Length: "
      "4\r\n\r\nbody";
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    EXPECT_EQ(reader.feed(text.substr(i, 1)), State::partial) << i;
  }
  ASSERT_EQ(reader.feed("y"), State::complete);
  const ServedRequest request = reader.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_THAT(request.segments, ElementsAre("v1", "a b", "c"));
  EXPECT_EQ(request.query.at("wait"), "5");
  EXPECT_EQ(request.query.at("x"), "&");
  EXPECT_EQ(request.header("x-some"), "Thing");
  EXPECT_EQ(request.body, "body");
  EXPECT_TRUE(request.keep_alive);
  EXPECT_EQ(reader.state(), State::idle);
}

TEST(RequestReader, RequestsThatComeTogetherAreTakenOneAfterTheOther) {
  RequestReader reader({});
  const std::string one = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";
  ASSERT_EQ(reader.feed(one + one + "GET /b HTTP/1.1\r\nHo"), State::complete);
  EXPECT_EQ(reader.take().path, "/a");
  ASSERT_EQ(reader.state(), State::complete);
  EXPECT_EQ(reader.take().path, "/a");
  ASSERT_EQ(reader.state(), State::partial);
  ASSERT_EQ(reader.feed("st: h\r\nConnection: close\r\n\r\n"), State::complete);
  const ServedRequest last = reader.take();
  EXPECT_EQ(last.path, "/b");
  EXPECT_FALSE(last.keep_alive);
}

TEST(RequestReader, ChunksAreABody) {
  RequestReader reader({});
  ASSERT_EQ(reader.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"),
            State::partial);
  ASSERT_EQ(reader.feed("2\r\nde\r\n0\r\n\r\n"), State::complete);
  EXPECT_EQ(reader.take().body, "abcde");
}

// Beast asserts that the last chunk does not come byte by byte.
TEST(RequestReader, TheLastChunkMayComeByteByByte) {
  RequestReader reader({});
  reader.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (const char* piece : {"0", "\r", "\n", "\r"}) EXPECT_EQ(reader.feed(piece), State::partial);
  EXPECT_EQ(reader.feed("\n"), State::complete);
}

TEST(RequestReader, WhatIsTooLongOrNoRequestIsToldAsSuch) {
  struct Case {
    std::string text;
    int status;
  };
  const std::string head = "POST / HTTP/1.1\r\n";
  for (const Case& one :
       {Case{head + "X: " + std::string(2000, 'x'), 431},
        Case{head + "Content-Length: 101\r\n\r\n", 413},
        Case{head + "Transfer-Encoding: chunked\r\n\r\n200\r\n" + std::string(200, 'x'), 413},
        Case{"nonsense\r\n\r\n", 400}, Case{"GET /\r\n\r\n", 400},
        Case{head + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
        Case{head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        Case{head + " folded\r\n\r\n", 400},
        // What two readers may read differently.
        Case{head + "Transfer-Encoding: xchunked\r\n\r\n", 400},
        Case{head + "Transfer-Encoding: chunked, gzip\r\n\r\n", 400},
        Case{head + "Transfer-Encoding: gzip, chunked\r\n\r\n", 400},
        Case{head + "Host: a\r\nHost: b\r\n\r\n", 400},
        Case{head + "Authorization: a\r\nauthorization: b\r\n\r\n", 400},
        Case{"GET / HTTP/1.1\nHost: a\n\n", 400},
        // What would have no end.
        Case{head + "Transfer-Encoding: chunked\r\n\r\n1;" + std::string(2000, 'x'), 400},
        Case{head + "Transfer-Encoding: chunked\r\n\r\n0\r\nX: " + std::string(2000, 'x'), 400}}) {
    RequestReader reader({.header_bytes = 1000, .body_bytes = 100});
    ASSERT_EQ(reader.feed(one.text), State::broken) << one.text.substr(0, 60);
    EXPECT_EQ(reader.status(), one.status) << one.text.substr(0, 60);
    EXPECT_NE(reader.flaw(), "");
  }
}

// A trailer took the place of the header that was judged.
TEST(RequestReader, TrailersDoNotCount) {
  RequestReader reader({});
  ASSERT_EQ(reader.feed("POST / HTTP/1.1\r\nHost: ours\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "1\r\na\r\n0\r\nHost: theirs\r\nOrigin: there\r\n\r\n"),
            State::complete);
  const ServedRequest request = reader.take();
  EXPECT_EQ(request.header("host"), "ours");
  EXPECT_FALSE(request.headers.contains("origin"));
  EXPECT_EQ(request.body, "a");
}

TEST(RequestReader, EmptyLinesBeforeARequestArePassedOver) {
  RequestReader reader({});
  EXPECT_EQ(reader.feed("\r\n\r"), State::idle);
  ASSERT_EQ(reader.feed("\nGET /a HTTP/1.1\r\n\r\n\r\nGET /b HTTP/1.1\r\n\r\n"), State::complete);
  EXPECT_EQ(reader.take().path, "/a");
  EXPECT_EQ(reader.take().path, "/b");
}

TEST(RequestReader, WhoeverWantsToBeToldToGoOnIsToldOnce) {
  RequestReader reader({});
  reader.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_TRUE(reader.wants_continue());
  EXPECT_FALSE(reader.wants_continue());
  EXPECT_EQ(reader.feed("ab"), State::complete);
}

TEST(RequestReader, APathThatMakesNoSenseFitsNoRoute) {
  RequestReader reader({});
  reader.feed("GET /a%zz HTTP/1.1\r\n\r\nGET * HTTP/1.1\r\n\r\n");
  EXPECT_THAT(reader.take().segments, ElementsAre("?"));
  EXPECT_THAT(reader.take().segments, ElementsAre("?"));
}

}  // namespace
}  // namespace talaria::front::gateway
