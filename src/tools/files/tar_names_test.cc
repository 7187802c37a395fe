#include "tools/files/tar_names.h"

#include <cstdio>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace talaria::tool {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A header of ustar.
std::string header(const std::string& name, std::size_t size, char type,
                   const std::string& link = "") {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  char digits[16];
  std::snprintf(digits, sizeof digits, "%011zo", size);
  block.replace(124, 11, digits);
  block[156] = type;
  block.replace(157, link.size(), link);
  block.replace(257, 6, std::string("ustar\0", 6));
  block.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  std::snprintf(digits, sizeof digits, "%06o", sum);
  block.replace(148, 7, std::string(digits, 7));
  return block;
}

std::string entry(const std::string& name, const std::string& content, char type = '0',
                  const std::string& link = "") {
  std::string text = header(name, content.size(), type, link) + content;
  text.resize((text.size() + 511) / 512 * 512);
  return text;
}

std::string record(const std::string& name, const std::string& value) {
  const std::string rest = " " + name + "=" + value + "\n";
  std::size_t size = rest.size() + 1;
  while (std::to_string(size).size() + rest.size() != size) ++size;
  return std::to_string(size) + rest;
}

struct Names {
  std::vector<std::string> all;
  TarNames tar{[this](const TarEntry& one) -> Result<void> {
    all.push_back(one.name + (one.is_link ? " -> " + one.link_to : ""));
    if (one.name == "bad") return std::unexpected(Error(ErrorKind::denied, "bad"));
    return {};
  }};
};

TEST(TarNames, FindsEveryEntryWhateverThePieces) {
  const std::string archive =
      entry("dir/", "", '5') + entry("dir/file", std::string(1000, 'x')) +
      entry("pax", record("path", "a/long name") + record("mtime", "1.5"), 'x') +
      entry("short", "1") + entry("././@LongLink", std::string("gnu\0", 4), 'L') +
      entry("cut", "2") + entry("l", "", '2', "../target") + std::string(1024, '\0');
  for (const std::size_t piece : {1u, 7u, 512u, 100'000u}) {
    SCOPED_TRACE(piece);
    Names names;
    for (std::size_t at = 0; at < archive.size(); at += piece) {
      ASSERT_TRUE(names.tar.feed(std::string_view(archive).substr(at, piece)));
    }
    EXPECT_THAT(names.all, ElementsAre("dir/", "dir/file", "a/long name", "gnu", "l -> ../target"));
    EXPECT_TRUE(names.tar.complete());
    EXPECT_EQ(names.tar.files(), 3u);
  }
}

TEST(TarNames, EndsWithTheErrorOfItsOwner) {
  Names names;
  const auto fed = names.tar.feed(entry("good", "") + entry("bad", "") + entry("never", ""));
  ASSERT_FALSE(fed);
  EXPECT_EQ(fed.error().kind(), ErrorKind::denied);
  EXPECT_THAT(names.all, ElementsAre("good", "bad"));
}

TEST(TarNames, WhatIsNoArchiveIsAnError) {
  Names names;
  const auto fed = names.tar.feed(std::string(512, 'x'));
  ASSERT_FALSE(fed);
  EXPECT_THAT(fed.error().message(), HasSubstr("not a tar archive"));
  Names cut;
  ASSERT_TRUE(cut.tar.feed(entry("a", "1").substr(0, 600)));
  EXPECT_FALSE(cut.tar.complete());
}

}  // namespace
}  // namespace talaria::tool
