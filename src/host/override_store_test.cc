#include "host/override_store.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/fake_environment.h"
#include "testing/run_to_end.h"
#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

class OverrideStoreTest : public testing::Test {
 protected:
  std::string file() const { return home_ + "/talaria/overrides.json"; }

  const test::TemporaryDirectory temporary_;
  const std::string home_ = temporary_.path();
};

TEST_F(OverrideStoreTest, WhatOneProcessSaysAnotherHears) {
  OverrideStore reader(home_);
  EXPECT_FALSE(*reader.refresh());
  OverrideStore writer(home_);
  ASSERT_TRUE(writer.set("t", {{"cwd", "/x"}, {"docker_image", "debian:12"}}));
  ASSERT_TRUE(writer.set("u", {{"cwd", "/y"}}));

  EXPECT_TRUE(*reader.refresh());
  EXPECT_FALSE(*reader.refresh());
  ASSERT_EQ(reader.overrides().size(), 2u);
  const TaskOverride& said = reader.overrides().at("t");
  EXPECT_FALSE(said.id.empty());
  EXPECT_NE(said.id, reader.overrides().at("u").id);
  EXPECT_THAT(said.isolation(),
              testing::ElementsAre(testing::Pair("TERMINAL_DOCKER_IMAGE", "debian:12")));

  ASSERT_TRUE(writer.set("t", {}));
  EXPECT_TRUE(*reader.refresh());
  EXPECT_FALSE(reader.overrides().contains("t"));
  EXPECT_TRUE(reader.overrides().contains("u"));
  std::filesystem::remove(file());
  EXPECT_TRUE(*reader.refresh());
  EXPECT_TRUE(reader.overrides().empty());
}

TEST_F(OverrideStoreTest, TheSameSaidAgainIsAnotherRegistration) {
  OverrideStore store(home_);
  ASSERT_TRUE(store.set("t", {{"cwd", "/x"}}));
  ASSERT_TRUE(store.refresh());
  const std::string first = store.overrides().at("t").id;
  ASSERT_TRUE(store.set("t", {{"cwd", "/x"}}));
  ASSERT_TRUE(store.refresh());
  EXPECT_NE(store.overrides().at("t").id, first);
}

TEST_F(OverrideStoreTest, AMoveIsMarkedOnlyForTheRegistrationItWasMadeFor) {
  OverrideStore store(home_);
  ASSERT_TRUE(store.set("t", {{"cwd", "/x"}}));
  ASSERT_TRUE(store.refresh());
  const std::string first = store.overrides().at("t").id;
  ASSERT_TRUE(store.set("t", {{"cwd", "/y"}}));
  ASSERT_TRUE(store.mark_moved("t", first));
  ASSERT_TRUE(store.refresh());
  EXPECT_FALSE(store.overrides().at("t").moved);
  ASSERT_TRUE(store.mark_moved("t", store.overrides().at("t").id));
  ASSERT_TRUE(store.refresh());
  EXPECT_TRUE(store.overrides().at("t").moved);
}

TEST_F(OverrideStoreTest, TheFileIsPrivateAndWhatIsRefusedIsNotWritten) {
  OverrideStore store(home_);
  EXPECT_FALSE(store.set("t", {{"image", "x"}}));
  EXPECT_FALSE(std::filesystem::exists(file()));
  ASSERT_TRUE(store.set("t", {{"cwd", "/x"}}));
  struct stat info{};
  ASSERT_EQ(::stat(file().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(OverrideStoreTest, AFileThatCannotBeUnderstoodIsAnErrorThatNamesIt) {
  const struct {
    const char* text;
    const char* flaw;
  } cases[] = {
      {"{", "it is not a JSON object"},
      {"[]", "it is not a JSON object"},
      {R"({"t":{"cwd":"/x"}})", "a task needs the fields id, moved and overrides"},
      {R"({"t":{"id":"a","moved":true,"overrides":{"cwd":7}}})",
       "override 'cwd' must be a string (UTF-8, no NUL)"},
  };
  std::filesystem::create_directories(home_ + "/talaria");
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    std::ofstream(file()) << c.text;
    OverrideStore store(home_);
    const Result<bool> read = store.refresh();
    ASSERT_FALSE(read);
    EXPECT_TRUE(read.error().message().starts_with(file() + " is invalid: " + c.flaw))
        << read.error().message();
  }
}

TEST_F(OverrideStoreTest, AHostFollowsItAndItsOwnCountsMore) {
  const auto fake = std::make_shared<test::FakeTarget>();
  Host host = fake_host(fake, {"TALARIA_HOME=" + home_});
  const auto shared = *test::run_to_end(host.environments.get("t"));
  OverrideStore store(home_);
  ASSERT_TRUE(store.set("t", {{"cwd", "/stored"}, {"docker_image", "a"}}));
  EXPECT_EQ((*host.settings.of("t"))->cwd, "/stored");
  const auto own = *test::run_to_end(host.environments.get("t"));
  EXPECT_NE(own, shared);

  ASSERT_TRUE(store.set("t", {{"cwd", "/stored"}, {"docker_image", "b"}}));
  const auto other = *test::run_to_end(host.environments.get("t"));
  EXPECT_NE(other, own);
  ASSERT_TRUE(host.settings.override_task("t", {{"cwd", "/ours"}}));
  EXPECT_EQ((*host.settings.of("t"))->cwd, "/ours");
  EXPECT_EQ(*test::run_to_end(host.environments.get("t")), shared);
  host.settings.clear_override("t");
  EXPECT_EQ((*host.settings.of("t"))->cwd, "/stored");
  ASSERT_TRUE(store.set("t", {}));
  EXPECT_EQ(*test::run_to_end(host.environments.get("t")), shared);
  EXPECT_EQ(host.environments.list().size(), 1u);

  std::ofstream(home_ + "/talaria/new") << "{";
  std::filesystem::rename(home_ + "/talaria/new", file());
  EXPECT_TRUE(host.settings.of("t").error().message().contains("overrides.json"));
}

}  // namespace
}  // namespace talaria::host
