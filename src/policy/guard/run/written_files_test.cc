#include "policy/guard/run/written_files.h"

#include <gtest/gtest.h>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {
namespace {

FileContent text(const char* what) { return {.text = std::make_shared<const std::string>(what)}; }

// The texts of the files a path may be.
std::string texts_of(const WrittenFiles& files, std::string_view path) {
  std::string all;
  for (const WrittenFile* file : files.find(path)) {
    for (const FileContent& one : file->contents) all += one.text ? *one.text : "?";
  }
  return all;
}

TEST(WrittenFilesTest, TellsPathsApartThatWereWritten) {
  WrittenFiles files;
  files.write("a/x", text("1"), true);
  files.write("b/x", text("2"), true);
  EXPECT_EQ(texts_of(files, "a/x"), "1");
  EXPECT_EQ(texts_of(files, "b/x"), "2");
  EXPECT_EQ(texts_of(files, "b/y"), "");
}

TEST(WrittenFilesTest, TakesAnotherPathForAnyFileOfThatName) {
  WrittenFiles files;
  files.write("a/x", text("1"), true);
  files.write("b/x", text("2"), true);
  EXPECT_EQ(texts_of(files, "x"), "12");
  EXPECT_EQ(texts_of(files, "/srv/x"), "12");
  EXPECT_EQ(texts_of(files, std::string("a/") + kUnknownPiece), "12");
}

TEST(WrittenFilesTest, KeepsWhatMayBeThere) {
  WrittenFiles files;
  files.write("x", text("1"), true);
  files.write("x", text("2"), false);
  EXPECT_EQ(texts_of(files, "x"), "12");
  files.append("x", text("3"));
  EXPECT_EQ(texts_of(files, "x"), "1323");
  files.append("x", {});
  EXPECT_EQ(texts_of(files, "x"), "??");
  files.write("x", text("4"), true);
  EXPECT_EQ(texts_of(files, "x"), "4");
}

TEST(WrittenFilesTest, SaysWhenThereAreTooMany) {
  WrittenFiles files;
  for (std::size_t i = 0; i < WrittenFiles::kMaxFiles; ++i) {
    EXPECT_TRUE(files.write("x" + std::to_string(i), text("1"), true));
  }
  EXPECT_FALSE(files.write("y", text("1"), true));
}

}  // namespace
}  // namespace talaria::guard
