#include "tools/files/file_memory.h"

#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

using Repetition = FileMemory::Repetition;

TEST(FileMemory, AWriteMakesTheNextReadAFirstOne) {
  FileMemory memory;
  const FileStamp stamp{1, 2, 3, 4};
  EXPECT_EQ(memory.read("t", "/f", "1:500", stamp, "d").repetition, Repetition::none);
  EXPECT_EQ(memory.read("t", "/f", "1:500", stamp, "d").repetition, Repetition::unchanged);
  memory.wrote("t", "/f", stamp);
  EXPECT_EQ(memory.read("t", "/f", "1:500", stamp, "d").repetition, Repetition::none);
}

TEST(FileMemory, TasksAndFilesWithSimilarNamesAreTheirOwn) {
  FileMemory memory;
  memory.read("t", "/f", "1:500", {}, "d");
  EXPECT_EQ(memory.read("u", "/f", "1:500", {}, "d").repetition, Repetition::none);
  memory.read("t", "/ff", "1:500", {}, "d");
  memory.wrote("t", "/f", {});
  EXPECT_EQ(memory.read("t", "/ff", "1:500", {}, "d").repetition, Repetition::unchanged);
}

TEST(FileMemory, AChangeThatKeepsTimeAndSizeIsSeenByItsContent) {
  FileMemory memory;
  memory.read("t", "/f", "1:500", {}, "before");
  EXPECT_EQ(memory.read("t", "/f", "1:500", {}, "after").repetition, Repetition::none);
}

TEST(FileMemory, ANewFileIsNotWarnedOf) {
  FileMemory memory;
  EXPECT_EQ(memory.staleness("t", "/f", "f", {}), "");
}

TEST(BoundedMap, WhatWasNotUsedForLongestMakesRoom) {
  BoundedMap<int> map(2);
  map["a"] = 1;
  map["b"] = 2;
  EXPECT_NE(map.find("a"), nullptr);
  map["c"] = 3;
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("a"), 1);
  EXPECT_EQ(*map.find("c"), 3);
  map.erase("a");
  EXPECT_EQ(map.find("a"), nullptr);
}

}  // namespace
}  // namespace talaria::tool
