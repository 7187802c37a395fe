#include "environment/singularity/names.h"

#include <set>

#include <gtest/gtest.h>

namespace talaria::environment::singularity {
namespace {

TEST(SingularityNamesTest, AnImageFileIsCalledLikeItsReference) {
  EXPECT_EQ(sif_name("docker://nikolaik/python-nodejs:python3.11-nodejs20"),
            "nikolaik-python-nodejs-python3.11-nodejs20.sif");
  EXPECT_EQ(sif_name("docker://localhost:5000/a/b"), "localhost-5000-a-b.sif");
}

TEST(SingularityNamesTest, OnlyReferencesOfDockerAreBuilt) {
  EXPECT_TRUE(is_built("docker://debian"));
  for (const char* image : {"/images/x.sif", "library://a/b", "/a/tree", "oras://x/y", "debian"}) {
    EXPECT_FALSE(is_built(image)) << image;
  }
}

TEST(SingularityNamesTest, AnOrdinaryTaskIsInItsOverlaysName) {
  EXPECT_EQ(overlay_name("default"), "overlay-default");
  EXPECT_EQ(overlay_name("task_1.a-B"), "overlay-task_1.a-B");
}

// Upstream joins the id to a path as it is, so one with ../ leaves the directory.
TEST(SingularityNamesTest, AnyOtherTaskStaysInsideToo) {
  for (const char* task :
       {"../../etc", "a/b", "/abs", "..", "a\nb", "", "a b", "\xF0\x9F\x98\x80"}) {
    const std::string name = overlay_name(task);
    EXPECT_EQ(name.find_first_of("/\n ,:"), std::string::npos) << name;
    EXPECT_TRUE(name.starts_with("overlay-")) << name;
  }
  EXPECT_LT(overlay_name(std::string(256, 'x')).size(), 100u);
}

TEST(SingularityNamesTest, NoTwoTasksShareAnOverlay) {
  std::set<std::string> names;
  const std::vector<std::string> tasks{"a/b",
                                       "a_b",
                                       "a:b",
                                       overlay_name("a/b").substr(8),  // what another's looks like
                                       std::string(100, 'x'),
                                       std::string(101, 'x'),
                                       ""};
  for (const std::string& task : tasks) names.insert(overlay_name(task));
  EXPECT_EQ(names.size(), tasks.size());
}

TEST(SingularityNamesTest, AnInstanceHasTwelveDigitsOfItsOwn) {
  const std::string name = new_instance_name();
  EXPECT_EQ(name.size(), 19u);
  EXPECT_TRUE(name.starts_with("hermes_"));
  EXPECT_EQ(name.find_first_not_of("0123456789abcdef", 7), std::string::npos) << name;
  EXPECT_NE(name, new_instance_name());
}

}  // namespace
}  // namespace talaria::environment::singularity
