#include "environment/singularity/sif.h"

#include <algorithm>

#include <boost/asio/experimental/awaitable_operators.hpp>

#include "environment/singularity/singularity_test_support.h"
#include "testing/run_to_end.h"

namespace talaria::environment::singularity {
namespace {

class SifTest : public SingularityTest {
 protected:
  ChosenImage choose(const std::string& image) {
    return test::run_to_end(choose_image(*SingularityEngine::find(), image, cache_, {}));
  }

  std::string cache_ = directory_ + "/cache";
  std::string sif_ = cache_ + "/library-debian-12.sif";
};

// What it is called with, and what it leaves.
constexpr const char* kBuilds =
    "echo \"$@\" >>$DIR/calls; echo \"$APPTAINER_TMPDIR $APPTAINER_CACHEDIR\" >$DIR/variables; "
    "[ -d \"$APPTAINER_TMPDIR\" ] || exit 1; sleep 0.1; echo image >\"$2\"";

TEST_F(SifTest, AReferenceIsBuiltOnce) {
  make_engine(kBuilds);
  const ChosenImage chosen = choose("docker://library/debian:12");
  EXPECT_EQ(chosen.image, sif_);
  EXPECT_TRUE(chosen.notices.empty());
  EXPECT_EQ(content("cache/library-debian-12.sif"), "image\n");
  EXPECT_EQ(content("variables"), cache_ + "/tmp " + cache_ + "\n");
  EXPECT_EQ(choose("docker://library/debian:12").image, sif_);
  EXPECT_TRUE(content("calls").starts_with("build " + sif_ + ".part."));
  EXPECT_TRUE(content("calls").ends_with(" docker://library/debian:12\n"));
  EXPECT_EQ(std::ranges::count(content("calls"), '\n'), 1);
}

TEST_F(SifTest, WhoComesMeanwhileWaitsForTheSame) {
  using asio::experimental::awaitable_operators::operator&&;
  make_engine(kBuilds);
  const auto choose_it = [this]() -> Task<ChosenImage> {
    return choose_image(*SingularityEngine::find(), "docker://library/debian:12", cache_, {});
  };
  const auto both = test::run_to_end(choose_it() && choose_it());
  EXPECT_EQ(std::get<0>(both).image, sif_);
  EXPECT_EQ(std::get<1>(both).image, sif_);
  EXPECT_EQ(std::ranges::count(content("calls"), '\n'), 1);
}

TEST_F(SifTest, WhatCannotBeBuiltIsUsedAsItIs) {
  make_engine("echo half >\"$2\"; echo 'no route to the registry' >&2; exit 255");
  const ChosenImage chosen = choose("docker://library/debian:12");
  EXPECT_EQ(chosen.image, "docker://library/debian:12");
  ASSERT_EQ(chosen.notices.size(), 1u);
  EXPECT_EQ(chosen.notices[0],
            "No image file was built from docker://library/debian:12, which is used directly: no "
            "route to the registry");
  EXPECT_FALSE(std::filesystem::exists(sif_));
  for (const std::string& name : os::names_in(cache_))
    EXPECT_FALSE(name.contains(".part.")) << name;
}

// A build that was killed left half an image file, and everybody used it from then on.
TEST_F(SifTest, HalfAFileIsNeverUsed) {
  std::filesystem::create_directories(cache_);
  ASSERT_TRUE(os::replace_file(sif_ + ".part.0123", "half"));
  make_engine(kBuilds);
  EXPECT_EQ(choose("docker://library/debian:12").image, sif_);
  EXPECT_EQ(content("cache/library-debian-12.sif"), "image\n");
  EXPECT_FALSE(std::filesystem::exists(sif_ + ".part.0123"));
}

TEST_F(SifTest, EverythingElseGoesToTheEngineUntouched) {
  make_engine("exit 1");
  for (const char* image : {"/images/x.sif", "library://alpine", "/a/tree"}) {
    EXPECT_EQ(choose(image).image, image);
    EXPECT_TRUE(choose(image).notices.empty());
  }
  EXPECT_FALSE(std::filesystem::exists(cache_));
}

}  // namespace
}  // namespace talaria::environment::singularity
