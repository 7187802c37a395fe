#include "runner/session_store.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "rendezvous/session_file.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

shell::SessionState sample() {
  shell::SessionState state;
  state.variables = {{"SET", "a\nb\0c"}, {"EMPTY", ""}, {"GONE", std::nullopt}};
  state.functions = {{"f", {"f () \n{ \n    :\n}\n", true}}};
  state.aliases = {{"ll", "ls -l"}};
  state.options = {{"-o noglob", true}, {"cmdhist", false}};
  state.umask = 077;
  state.cwd = "/some where";
  return state;
}

class SessionStoreTest : public testing::Test {
 protected:
  const test::TemporaryDirectory temporary_;
  const std::string directory_ = temporary_.path();
};

TEST(SessionFile, CanBeReadByOtherPrograms) {
  const std::string bytes = encode_session("task/1", sample());
  const auto head = rendezvous::decode_session_file(bytes);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->id, "task/1");
  EXPECT_EQ(head->cwd, "/some where");
  EXPECT_FALSE(rendezvous::decode_session_file(bytes.substr(0, bytes.size() - 3)));
}

TEST_F(SessionStoreTest, WhatIsSavedComesBack) {
  SessionStore store(directory_ + "/sessions");
  ASSERT_TRUE(store.save("task/1", sample()));
  const auto loaded = store.load("task/1");
  ASSERT_TRUE(loaded && loaded->state);
  EXPECT_EQ(*loaded->state, sample());
  struct stat info{};
  ASSERT_EQ(::stat(store.path_of("task/1").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

// The limit for lists of a message applied to the file as well: a session with more functions was
// set aside as damaged.
TEST_F(SessionStoreTest, ASessionMayHaveAnyNumberOfFunctions) {
  SessionStore store(directory_ + "/sessions");
  shell::SessionState large = sample();
  for (int i = 0; i < 70'000; ++i) large.functions["f" + std::to_string(i)].text = "f () { :; }";
  ASSERT_TRUE(store.save("large", large));
  const auto loaded = store.load("large");
  ASSERT_TRUE(loaded && loaded->state) << loaded->damage;
  EXPECT_EQ(loaded->state->functions.size(), large.functions.size());
}

TEST_F(SessionStoreTest, AnUnknownSessionIsNoError) {
  SessionStore store(directory_);
  const auto loaded = store.load("nobody");
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->state);
  EXPECT_EQ(loaded->damage, "");
}

TEST_F(SessionStoreTest, IdsThatLookAlikeAreDifferentSessions) {
  SessionStore store(directory_);
  EXPECT_NE(store.path_of("a/b"), store.path_of("a_b"));
  EXPECT_NE(store.path_of(std::string(200, 'x') + "1"), store.path_of(std::string(200, 'x') + "2"));
}

TEST_F(SessionStoreTest, ADamagedFileIsSetAsideAndSaid) {
  SessionStore store(directory_);
  ASSERT_TRUE(store.save("t", sample()));
  std::filesystem::resize_file(store.path_of("t"), 20);
  const auto loaded = store.load("t");
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->state);
  EXPECT_NE(loaded->damage.find(".damaged"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(store.path_of("t") + ".damaged"));
  EXPECT_FALSE(store.load("t")->state);
}

// A shortage of descriptors once cost a session everything it had.
TEST_F(SessionStoreTest, AFileThatCannotBeReadNowStaysWhereItIs) {
  SessionStore store(directory_);
  ASSERT_TRUE(store.save("t", sample()));
  const std::string path = store.path_of("t");
  std::filesystem::rename(path, directory_ + "/kept");
  std::filesystem::create_directory(path);  // opens, and cannot be read
  EXPECT_FALSE(store.load("t"));
  std::filesystem::remove(path);
  std::filesystem::rename(directory_ + "/kept", path);
  EXPECT_EQ(store.load("t")->state, sample());
}

// A bit may be another one anywhere: nothing else than what was written is ever read.
TEST(SessionFile, ABitThatChangedIsNoticed) {
  shell::SessionState state{.cwd = "/somewhere"};
  state.variables["NAME"] = "value";
  const std::string whole = encode_session("s", state);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto read = decode_session("s", flipped);
    if (!read) continue;
    EXPECT_EQ(read->variables, state.variables) << bit;
    EXPECT_EQ(read->cwd, state.cwd) << bit;
  }
}

}  // namespace
}  // namespace talaria::runner
