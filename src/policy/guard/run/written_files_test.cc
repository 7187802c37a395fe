#include "policy/guard/run/written_files.h"

#include <gtest/gtest.h>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {
namespace {

FileContent text(const char* what) { return {.text = std::make_shared<const std::string>(what)}; }

// The texts of the files a path may be.
std::string texts_of(const WrittenFiles& files, const FilePath& name) {
  std::string all;
  for (const WrittenFile* file : files.find(name)) {
    for (const FileContent& one : file->contents) all += one.text ? *one.text : "?";
  }
  return all;
}

TEST(WrittenFilesTest, TellsPathsApartThatAreKnown) {
  WrittenFiles files;
  files.write({"a/x", 0}, text("1"), true);
  files.write({"b/x", 0}, text("2"), true);
  files.write({"/srv/x", 0}, text("3"), true);
  EXPECT_EQ(texts_of(files, {"a/x", 0}), "1");
  EXPECT_EQ(texts_of(files, {"b/x", 0}), "2");
  EXPECT_EQ(texts_of(files, {"/srv/x", 0}), "3");
  EXPECT_EQ(texts_of(files, {"/srv/y", 0}), "");
}

TEST(WrittenFilesTest, TakesWhatMayBeTheSameForIt) {
  WrittenFiles files;
  files.write({"a/x", 0}, text("1"), true);
  EXPECT_EQ(texts_of(files, {"x", 1}), "1") << "behind a cd";
  EXPECT_EQ(texts_of(files, {"/srv/a/x", 0}), "1") << "from the root";
  EXPECT_EQ(texts_of(files, {"/srv/b/x", 0}), "");
  EXPECT_EQ(texts_of(files, {std::string(1, kUnknownPiece) + "/x", 0}), "1");
  EXPECT_EQ(texts_of(files, {"b/x", 0}), "");
  files.link();
  EXPECT_EQ(texts_of(files, {"b/x", 0}), "1") << "b may be a";
}

TEST(WrittenFilesTest, WritesOverAndBehindWhatIsThere) {
  WrittenFiles files;
  files.write({"x", 0}, text("1"), true);
  files.append({"x", 0}, text("2"));
  EXPECT_EQ(texts_of(files, {"x", 0}), "12");
  files.write({"x", 0}, text("3"), false);
  EXPECT_EQ(texts_of(files, {"x", 0}), "123") << "either";
  files.write({"x", 0}, text("4"), true);
  EXPECT_EQ(texts_of(files, {"x", 0}), "4");
  files.append({"x", 0}, {.unseen = true});
  EXPECT_EQ(texts_of(files, {"x", 0}), "?");
}

TEST(WrittenFilesTest, HasABound) {
  WrittenFiles files;
  for (std::size_t i = 0; i < WrittenFiles::kMaxFiles; ++i) {
    EXPECT_TRUE(files.write({"f" + std::to_string(i), 0}, {}, true));
  }
  EXPECT_FALSE(files.write({"g", 0}, {}, true));
  EXPECT_TRUE(files.write({"f0", 0}, {}, true));
}

}  // namespace
}  // namespace talaria::guard
