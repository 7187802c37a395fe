#include "host/store/sandbox_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limits.h"
#include "host/store/token_store.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::system_clock;
using testing::ElementsAre;
using testing::IsEmpty;

// As the database keeps times.
system_clock::time_point now() {
  return std::chrono::time_point_cast<milliseconds>(system_clock::now());
}

class SandboxStoreTest : public testing::Test {
 protected:
  SandboxStore open() {
    auto store = SandboxStore::open(home_);
    if (!store) ADD_FAILURE() << store.error().message();
    return std::move(*store);
  }

  static StoredSandbox sandbox(const std::string& id, const std::string& owner = "anna",
                               const std::string& key = "") {
    return {.info = {.id = id, .owner = owner, .target = "local", .created = now()},
            .request = key,
            .digest = "digest of " + id};
  }
  static StoredExec exec(const std::string& id, const std::string& place = "s") {
    return {.sandbox = place,
            .spec = {.id = id, .command = "true"},
            .info = {.id = id, .process = "proc_" + id, .created = now()}};
  }
  static std::vector<std::string> ids(const Result<std::vector<StoredSandbox>>& found) {
    std::vector<std::string> all;
    for (const StoredSandbox& one : *found) all.push_back(one.info.id);
    return all;
  }
  static std::vector<std::string> ids(const Result<std::vector<StoredExec>>& found) {
    std::vector<std::string> all;
    for (const StoredExec& one : *found) all.push_back(one.info.id);
    return all;
  }

  const test::TemporaryDirectory temporary_;
  const std::string home_ = temporary_.path();
};

TEST_F(SandboxStoreTest, WhatIsAddedIsThereForTheNextOneWhoOpensIt) {
  StoredSandbox wanted = sandbox("s", "anna", "key");
  wanted.info.spec = {.image = "debian",
                      .cwd = "/w",
                      .cpu = 1.5,
                      .memory_mib = 512,
                      .disk_mib = 10,
                      .lifetime = hours(2),
                      .idle = milliseconds(300),
                      .persistent = true,
                      .logical_key = "k\n\u00e9\""};
  ASSERT_FALSE(open().add(wanted)->has_value());
  const auto found = open().find("s");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->info.spec, wanted.info.spec);
  EXPECT_EQ((*found)->info.owner, "anna");
  EXPECT_EQ((*found)->info.created, wanted.info.created);
  EXPECT_EQ((*found)->digest, wanted.digest);
  EXPECT_EQ((*found)->info.state, SandboxState::creating);
  EXPECT_FALSE(open().find("t")->has_value());
}

TEST_F(SandboxStoreTest, AKeyIsOneSandboxOfItsOwnerAlsoWhenItIsOver) {
  SandboxStore store = open();
  ASSERT_FALSE(store.add(sandbox("a", "anna", "key"))->has_value());
  ASSERT_FALSE(store.add(sandbox("b", "bert", "key"))->has_value()) << "somebody else's";
  const auto again = store.add(sandbox("c", "anna", "key"));
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((*again)->info.id, "a");
  EXPECT_FALSE(store.find("c")->has_value());
  ASSERT_TRUE(store.set_terminated("a"));
  EXPECT_EQ(store.add(sandbox("d", "anna", "key"))->value().info.id, "a");
  // One that could not be made leaves its key free.
  ASSERT_TRUE(store.forget("b"));
  EXPECT_FALSE(store.add(sandbox("e", "bert", "key"))->has_value());
  // Without a key everybody has their own.
  EXPECT_FALSE(store.add(sandbox("f"))->has_value());
  EXPECT_FALSE(store.add(sandbox("g"))->has_value());
}

TEST_F(SandboxStoreTest, OnesThatWereTerminatedAreRememberedForAWhileWithoutTheirExecs) {
  SandboxStore store = open();
  ASSERT_TRUE(store.add(sandbox("a")));
  ASSERT_TRUE(store.add(sandbox("b")));
  ASSERT_TRUE(store.add_exec(exec("x", "a")));
  ASSERT_TRUE(store.add_exec(exec("x", "b")));
  ASSERT_TRUE(store.set_terminating("a", true));
  EXPECT_EQ((*store.find("a"))->info.state, SandboxState::terminating);
  EXPECT_TRUE((*store.find("a"))->keep);
  EXPECT_THAT(ids(store.live()), ElementsAre("a", "b")) << "its end is to be gone on with";
  ASSERT_TRUE(store.set_terminated("a"));
  EXPECT_THAT(ids(store.live()), ElementsAre("b"));
  EXPECT_THAT(ids(store.execs_of("a")), IsEmpty());
  EXPECT_THAT(ids(store.live_execs()), ElementsAre("x"));
  ASSERT_TRUE(store.set_terminating("a", false));
  EXPECT_EQ((*store.find("a"))->info.state, SandboxState::terminated) << "that is over";

  ASSERT_TRUE(store.prune(system_clock::now() - hours(1)));
  EXPECT_TRUE(store.find("a")->has_value());
  ASSERT_TRUE(store.prune(system_clock::now() + hours(1)));
  EXPECT_FALSE(store.find("a")->has_value());
  EXPECT_TRUE(store.find("b")->has_value()) << "it lives";
}

TEST_F(SandboxStoreTest, AnExecIsOneOfItsSandboxAndKeepsWhatItNeedsUntilItsEnd) {
  StoredExec wanted = exec("x");
  wanted.spec.cwd = "";
  wanted.spec.stdin_data = std::string("in\0put", 6);
  wanted.spec.takes_input = true;
  wanted.spec.timeout = milliseconds(5);
  wanted.spec.variables = {"A=1", "B=a\n\"b"};
  wanted.spec.command = "echo " + std::string(2 * kMaxStoredCommandBytes, 'x');
  const auto number = open().add_exec(wanted);
  ASSERT_TRUE(number && *number);
  EXPECT_FALSE(open().add_exec(exec("x"))->has_value()) << "the same one";
  EXPECT_TRUE(open().add_exec(exec("x", "other"))->has_value());

  SandboxStore store = open();
  ASSERT_TRUE(store.exec_sent(**number, "runner"));
  const auto live = store.live_execs();
  ASSERT_EQ(live->size(), 2u);
  const StoredExec& found = live->front();
  EXPECT_EQ(found.instance, "runner");
  EXPECT_EQ(found.spec.command, wanted.spec.command);
  EXPECT_EQ(found.spec.cwd, "") << "not absent";
  EXPECT_EQ(found.spec.stdin_data, wanted.spec.stdin_data);
  EXPECT_TRUE(found.spec.takes_input);
  EXPECT_EQ(found.spec.timeout, milliseconds(5));
  EXPECT_EQ(found.spec.variables, wanted.spec.variables);
  EXPECT_EQ(live->back().spec.stdin_data, std::nullopt) << "not empty";
  EXPECT_EQ(live->back().spec.cwd, std::nullopt);
}

TEST_F(SandboxStoreTest, AnEndIsWrittenOnceAndWhatRanIsForgotten) {
  SandboxStore store = open();
  StoredExec wanted = exec("x");
  wanted.spec.stdin_data = "secret";
  wanted.spec.variables = {"A_TOKEN=secret"};
  wanted.spec.command = std::string(2 * kMaxStoredCommandBytes, 'x');
  const std::int64_t number = **store.add_exec(wanted);
  ExecInfo info = wanted.info;
  info.state = ExecState::completed;
  info.output = std::string("out\0put", 7);
  info.output_bytes = 1u << 31;
  info.truncated = true;
  info.returncode = -9;
  info.reason = "why";
  info.started = now();
  info.ended = now();
  ASSERT_TRUE(store.exec_ended(number, info, wanted.spec.command));
  ExecInfo other = info;
  other.returncode = 1;
  ASSERT_TRUE(store.exec_ended(number, other, "another"));

  const auto found = store.find_exec("s", "x");
  ASSERT_TRUE(found && *found);
  const ExecInfo& reported = (*found)->info;
  EXPECT_EQ(reported.state, ExecState::completed);
  EXPECT_EQ(reported.returncode, -9) << "the first one counts";
  EXPECT_EQ(reported.output, info.output);
  EXPECT_EQ(reported.output_bytes, info.output_bytes);
  EXPECT_TRUE(reported.truncated);
  EXPECT_EQ(reported.reason, "why");
  EXPECT_EQ(reported.started, info.started);
  EXPECT_EQ(reported.ended, info.ended);
  EXPECT_EQ((*found)->spec.command.size(), kMaxStoredCommandBytes);
  EXPECT_THAT((*found)->spec.variables, IsEmpty());
  EXPECT_THAT(ids(store.live_execs()), IsEmpty());
  EXPECT_EQ(store.execs_of("s")->front().info.output, "") << "a list has no output";
  ASSERT_TRUE(store.exec_sent(number, "late"));
  EXPECT_EQ((*store.find_exec("s", "x"))->instance, "");
}

TEST_F(SandboxStoreTest, TheNewestSnapshotOfAKeyCounts) {
  SandboxStore store = open();
  EXPECT_EQ(*store.snapshot("anna", "k", "local"), "");
  ASSERT_TRUE(store.set_snapshot("anna", "k", "local", "/one"));
  ASSERT_TRUE(store.set_snapshot("anna", "k", "local", "/two"));
  EXPECT_EQ(*store.snapshot("anna", "k", "local"), "/two");
  EXPECT_EQ(*store.snapshot("bert", "k", "local"), "");
  EXPECT_EQ(*store.snapshot("anna", "k", "docker"), "");
}

class TokenStoreTest : public SandboxStoreTest {
 protected:
  TokenStore tokens() { return std::move(*TokenStore::open(home_)); }
  static StoredToken token(const std::string& id, const std::string& name) {
    return {.info = {.id = id, .name = name, .user = "anna", .created = now()}, .hash = "h" + id};
  }
};

TEST_F(TokenStoreTest, ANameIsOneTokenUntilItIsRevoked) {
  TokenStore store = tokens();
  StoredToken wanted = token("1", "ci");
  wanted.info.scope = {.targets = {"docker", "local"},
                       .max_sandboxes = 3,
                       .max_execs = 4,
                       .requests_per_minute = 5,
                       .approve = true};
  EXPECT_TRUE(*store.add(wanted));
  EXPECT_FALSE(*store.add(token("2", "ci")));
  const auto found = store.find("1");
  ASSERT_TRUE(found && *found);
  EXPECT_EQ((*found)->hash, "h1");
  EXPECT_THAT((*found)->info.scope.targets, ElementsAre("docker", "local"));
  EXPECT_EQ((*found)->info.scope.max_sandboxes, 3u);
  EXPECT_EQ((*found)->info.scope.max_execs, 4u);
  EXPECT_EQ((*found)->info.scope.requests_per_minute, 5u);
  EXPECT_TRUE((*found)->info.scope.approve);
  EXPECT_FALSE(store.find("2")->has_value());

  EXPECT_TRUE(*store.revoke("ci"));
  EXPECT_FALSE(*store.revoke("ci"));
  EXPECT_FALSE(store.find("1")->has_value());
  EXPECT_TRUE(*store.add(token("2", "ci"))) << "the name is free again";
  EXPECT_EQ(store.list(false)->size(), 1u);
  ASSERT_EQ(store.list(true)->size(), 2u);
}

TEST_F(TokenStoreTest, WhatAnotherProgramChangesIsNoticed) {
  TokenStore gateway = tokens();
  TokenStore other = tokens();
  const std::uint64_t before = *gateway.change_number();
  EXPECT_EQ(*gateway.change_number(), before);
  EXPECT_TRUE(*other.add(token("1", "ci")));
  EXPECT_NE(*gateway.change_number(), before);
}

}  // namespace
}  // namespace talaria::host
