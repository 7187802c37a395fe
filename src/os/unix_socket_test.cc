#include "os/unix_socket.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "os/file.h"
#include "testing/temporary_directory.h"

namespace talaria::os {
namespace {

TEST(UnixSocket, IsReachedBelowADirectoryHoweverLongItsPathIs) {
  test::TemporaryDirectory root;
  const std::string directory = std::string(100, 'd') + "/" + std::string(100, 'e');
  std::filesystem::create_directories(root.path(directory));
  const auto listener = listen_at_socket(root.path("socket"));
  ASSERT_TRUE(listener);
  std::filesystem::rename(root.path("socket"), root.path(directory + "/socket"));
  EXPECT_FALSE(connect_to_socket(root.path(directory + "/socket")));
  EXPECT_TRUE(connect_to_socket_below(root.path(), directory + "/socket"));
}

TEST(UnixSocket, IsNotReachedThroughLinksThatOthersMayHaveMade) {
  test::TemporaryDirectory root;
  root.write("tree/file", "");
  std::filesystem::create_directory(root.path("outside"));
  const auto listener = listen_at_socket(root.path("outside/socket"));
  ASSERT_TRUE(listener);
  std::filesystem::create_symlink("../outside/socket", root.path("tree/link"));
  std::filesystem::create_directory_symlink("../outside", root.path("tree/out"));
  for (const char* path : {"link", "out/socket", "../outside/socket", "file", "missing"}) {
    EXPECT_FALSE(connect_to_socket_below(root.path("tree"), path)) << path;
  }
  EXPECT_TRUE(connect_to_socket_below(root.path("outside"), "socket"));
}

TEST(UnixSocket, ThatNobodyListensAtIsAnError) {
  test::TemporaryDirectory root;
  (void)listen_at_socket(root.path("socket"));
  EXPECT_FALSE(connect_to_socket_below(root.path(), "socket"));
}

}  // namespace
}  // namespace talaria::os
