#include "web/website_policy.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::web {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string rule_for(const WebsitePolicy& policy, std::string_view url) {
  const auto site = policy.check(url);
  return site ? site->rule : "";
}

TEST(WebsitePolicyTest, ADomainMeansItselfAndWhatIsBelow) {
  const WebsitePolicy policy(
      {.enabled = true,
       .domains = {"https://www.Bad.com/path", "*.wild.org", "bücher.example", "10.0.0.1:80"}},
      "/nowhere");
  EXPECT_EQ(rule_for(policy, "https://bad.com/x"), "bad.com");
  EXPECT_EQ(rule_for(policy, "http://www.bad.com."), "bad.com");
  EXPECT_EQ(rule_for(policy, "http://a.b.BAD.com:8080/"), "bad.com");
  EXPECT_EQ(rule_for(policy, "bad.com/x"), "bad.com") << "without its scheme";
  EXPECT_EQ(rule_for(policy, "http://user@bad.com/"), "bad.com");
  EXPECT_EQ(rule_for(policy, "http://notbad.com/"), "");
  EXPECT_EQ(rule_for(policy, "http://bad.com.evil.net/"), "");
  EXPECT_EQ(rule_for(policy, "http://a.wild.org/"), "*.wild.org");
  EXPECT_EQ(rule_for(policy, "http://wild.org/"), "");
  EXPECT_EQ(rule_for(policy, "http://xn--bcher-kva.example/"), "xn--bcher-kva.example");
  EXPECT_EQ(rule_for(policy, "http://0xa.1/"), "10.0.0.1");
  EXPECT_TRUE(policy.notices().empty());
}

TEST(WebsitePolicyTest, FilesCountAndOneThatIsMissingIsTold) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.path() + "/list") << "# who\nfrom-file.com  # why\n\n  other.com\n!!\n";
  const WebsitePolicy policy({.enabled = true, .shared_files = {"list", "/no/such/file"}},
                             directory.path());
  const auto site = policy.check("http://x.from-file.com/");
  ASSERT_TRUE(site);
  EXPECT_EQ(site->host, "x.from-file.com");
  EXPECT_EQ(site->source, directory.path() + "/list");
  EXPECT_TRUE(policy.check("http://other.com/"));
  EXPECT_THAT(policy.notices(),
              ElementsAre(HasSubstr("'!!' is not a domain"), HasSubstr("/no/such/file")));
}

TEST(WebsitePolicyTest, IsOffUnlessEnabled) {
  EXPECT_FALSE(WebsitePolicy({.domains = {"bad.com"}}, "").check("http://bad.com/"));
}

}  // namespace
}  // namespace talaria::web
