#include "modal/create_request.h"

#include <string>

#include <gtest/gtest.h>

namespace talaria::modal {
namespace {

TEST(ModalCreateRequest, HasEverythingThatWasAskedFor) {
  const auto request = parse_create_request(
      R"({"app":"a","image":{"layers":[["FROM python:3.11"],["RUN true","ENV A=b"]]},"name":"n",
          "tags":{"t":"v"},"command":["sleep","infinity"],"cpu":0.5,"memory_mb":5120,"disk_mb":51200,
          "timeout_s":3600,"idle_timeout_s":60,"workdir":"/root","env":{"K":"v"},"start_limit_s":7})");
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ(request->app, "a");
  EXPECT_EQ(request->layers.at(1).at(1), "ENV A=b");
  EXPECT_EQ(request->name, "n");
  EXPECT_EQ(request->tags.at("t"), "v");
  EXPECT_EQ(request->command.at(1), "infinity");
  EXPECT_EQ(request->cpus, 0.5);
  EXPECT_EQ(request->memory_mb, 5120U);
  EXPECT_EQ(request->disk_mb, 51200U);
  EXPECT_EQ(request->timeout_s, 3600U);
  EXPECT_EQ(request->idle_timeout_s, 60U);
  EXPECT_EQ(request->workdir, "/root");
  EXPECT_EQ(request->env.at("K"), "v");
  EXPECT_EQ(request->start_limit, std::chrono::seconds(7));
}

TEST(ModalCreateRequest, MayLeaveOutMostOfIt) {
  const auto request =
      parse_create_request(R"({"app":"a","image":{"id":"im-1"},"timeout_s":10,"name":null})");
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ(request->image_id, "im-1");
  EXPECT_FALSE(request->cpus || request->memory_mb || request->disk_mb);
  EXPECT_EQ(request->start_limit, std::chrono::seconds(300));
}

// A Dockerfile whose first line was a comment was refused.
TEST(ModalCreateRequest, BeforeFromThereMayBeOtherLines) {
  const auto request = parse_create_request(
      R"({"app":"a","image":{"layers":[["# syntax=x","","ARG V=1"," from a:$V"]]},"timeout_s":1})");
  ASSERT_TRUE(request.has_value()) << request.error().message();
  EXPECT_EQ(request->layers.front().size(), 4u);
}

TEST(ModalCreateRequest, WhatIsWrongIsSaid) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {R"({"app":"a","timeout_s":1})", "image: an object is required"},
      {R"({"app":"a","timeout_s":1,"image":{}})", "image: either an id or layers is expected"},
      {R"({"app":"a","timeout_s":1,"image":{"id":"i","layers":[["FROM x"]]}})",
       "image: either an id or layers is expected"},
      {R"({"app":"a","timeout_s":1,"image":{"layers":[["RUN x"]]}})",
       "image.layers: a first layer with a line FROM ... is expected"},
      {R"({"app":"a","timeout_s":1,"image":{"layers":["FROM x"]}})",
       "layers: a list of strings is expected"},
      {R"({"image":{"id":"i"},"timeout_s":1})", "app: a name is expected"},
      {R"({"app":"a","image":{"id":"i"}})", "timeout_s: a number of seconds is expected"},
      {R"({"app":"a","image":{"id":"i"},"timeout_s":1,"cpu":"1"})", "cpu: a number is expected"},
      {R"({"app":"a","image":{"id":"i"},"timeout_s":1,"memory_mb":-1})",
       "memory_mb: a number is expected"},
      {R"({"app":"a","image":{"id":"i"},"timeout_s":1,"command":"ls"})",
       "command: a list of strings is expected"},
      {R"({"app":"a","image":{"id":"i"},"timeout_s":1,"env":{"A":1}})",
       "env: a string is expected"},
      {R"({"app":"a","image":{"id":"i"},"timeout_s":1,"gpu":1})", "there is no field 'gpu'"},
  };
  for (const auto& c : cases) {
    const auto request = parse_create_request(c.text);
    ASSERT_FALSE(request.has_value()) << c.text;
    EXPECT_EQ(request.error().message(), c.message);
    EXPECT_EQ(request.error().kind(), ErrorKind::bad_request);
  }
  EXPECT_FALSE(parse_create_request("").has_value());
  EXPECT_FALSE(parse_create_request("[]").has_value());
}

}  // namespace
}  // namespace talaria::modal
