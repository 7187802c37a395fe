#include "host/shared/credential_files.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CredentialFilesTest : public testing::Test {
 protected:
  CredentialFilesTest() {
    root_.write("home/token.json", "t");
    root_.write("home/google/key", "k");
    root_.write("outside/id_rsa", "secret");
    std::filesystem::create_directory_symlink(root_.path("outside"), root_.path("home/out"));
    std::filesystem::create_symlink("../outside/id_rsa", root_.path("home/leak"));
    std::filesystem::create_symlink("google/key", root_.path("home/alias"));
    ::mkfifo(root_.path("home/pipe").c_str(), 0600);
  }

  std::string home() const { return root_.path("home"); }

  test::TemporaryDirectory root_;
};

TEST_F(CredentialFilesTest, OnlyFilesThatStayInTheHomeAreTaken) {
  const struct {
    const char* path;
    const char* refusal;  // empty: taken
  } cases[] = {
      {"token.json", ""},
      {"google/../token.json", ""},
      {" google/key ", ""},
      {"alias", ""},  // a link that stays inside
      {"../../.ssh/id_rsa", "leads out of"},
      {"../outside/id_rsa", "leads out of"},
      {"google/../../outside/id_rsa", "leads out of"},
      {"../home/token.json", "leads out of"},
      {"leak", "leads out of"},
      {"out/id_rsa", "leads out of"},
      {"/etc/passwd", "is absolute"},
      {"", "is not a path"},
      {".", "leads out of"},
      {"none.json", "does not exist"},
      {"google", "is a directory"},
      {"pipe", "is not a regular file"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.path);
    CredentialFiles files(home(), {});
    const Result<void> added = files.add(c.path);
    EXPECT_EQ(added.has_value(), std::string(c.refusal).empty());
    if (!added) EXPECT_THAT(added.error().message(), HasSubstr(c.refusal));
    EXPECT_EQ(files.find().files.size(), added ? 1u : 0u);
    // The same rule for those of the configuration, which are reported instead.
    const auto found = CredentialFiles(home(), {std::string(c.path)}).find();
    if (std::string(c.path) != " google/key ") {
      EXPECT_EQ(found.files.size(), added ? 1u : 0u);
      EXPECT_EQ(found.notices.size(), added ? 0u : 1u);
    }
  }
}

TEST_F(CredentialFilesTest, AFileHasOnePlaceAtTheTargetHoweverItIsWritten) {
  CredentialFiles files(home(), {"google/key", "./token.json"});
  ASSERT_TRUE(files.add("google/./key"));
  ASSERT_TRUE(files.add("alias"));
  std::vector<std::pair<std::string, std::string>> found;
  for (const CredentialFile& file : files.find().files) found.emplace_back(file.path, file.inside);
  EXPECT_THAT(found,
              ElementsAre(std::pair("alias", "google/key"), std::pair("google/key", "google/key"),
                          std::pair("token.json", "token.json")));
}

TEST_F(CredentialFilesTest, EachIsLookedAtAgain) {
  CredentialFiles files(home(), {"later.json"});
  ASSERT_TRUE(files.add("token.json"));
  EXPECT_EQ(files.find().files.size(), 1u);
  root_.write("home/later.json", "l");
  EXPECT_EQ(files.find().files.size(), 2u);
  std::filesystem::remove(root_.path("home/token.json"));
  std::filesystem::create_symlink("../outside/id_rsa", root_.path("home/token.json"));
  const auto found = files.find();
  ASSERT_EQ(found.files.size(), 1u);
  EXPECT_EQ(found.files[0].path, "later.json");
  EXPECT_THAT(found.notices, ElementsAre(HasSubstr("'token.json' leads out of")));
}

}  // namespace
}  // namespace talaria::host
