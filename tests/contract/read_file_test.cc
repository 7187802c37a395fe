// What a caller of read_file may rely on.
#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/file_tool_test.h"

namespace talaria::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

using ReadFileTest = FileToolTest;

TEST_F(ReadFileTest, LinesAreNumberedAndThereIsNoneBehindTheLastNewline) {
  put("f", "one\ntwo\n");
  const json::object result = read("f");
  EXPECT_EQ(text(result, "content"), "1|one\n2|two");
  EXPECT_EQ(number(result, "total_lines"), 2);
  EXPECT_EQ(number(result, "file_size"), 8);
  EXPECT_FALSE(flag(result, "truncated"));
  EXPECT_FALSE(result.contains("hint"));
  EXPECT_FALSE(flag(result, "is_binary"));
  EXPECT_FALSE(flag(result, "is_image"));
}

TEST_F(ReadFileTest, ALastLineWithoutANewlineIsALine) {
  put("f", "one\ntwo\nlast");
  const json::object first = read({{"path", "f"}, {"limit", 2}});
  EXPECT_EQ(text(first, "content"), "1|one\n2|two");
  EXPECT_TRUE(flag(first, "truncated"));
  EXPECT_EQ(text(first, "hint"), "Use offset=3 to continue reading (showing 1-2 of 3 lines)");
  const json::object rest = read({{"path", "f"}, {"offset", 3}});
  EXPECT_EQ(text(rest, "content"), "3|last");
  EXPECT_FALSE(flag(rest, "truncated"));
}

TEST_F(ReadFileTest, AnEmptyFileAndAnOffsetBehindTheEndShowNothing) {
  put("empty", "");
  EXPECT_EQ(text(read("empty"), "content"), "");
  EXPECT_EQ(number(read({{"path", "empty"}, {"limit", 7}}), "total_lines"), 0);
  put("f", "one\ntwo\n");
  const json::object behind = read({{"path", "f"}, {"offset", 9}});
  EXPECT_EQ(text(behind, "content"), "");
  EXPECT_THAT(text(behind, "hint"), HasSubstr("2 lines"));
}

TEST_F(ReadFileTest, OddNumbersAreBroughtIntoTheirBounds) {
  std::string lines;
  for (int i = 1; i <= 2100; ++i) lines += std::to_string(i) + "\n";
  put("f", lines);
  EXPECT_THAT(text(read({{"path", "f"}, {"offset", 0}, {"limit", 4}}), "content"),
              StartsWith("1|1"));
  EXPECT_EQ(text(read({{"path", "f"}, {"limit", -5}}), "content"), "1|1");
  EXPECT_THAT(text(read({{"path", "f"}, {"limit", "abc"}}), "hint"), HasSubstr("1-500 of 2100"));
  EXPECT_THAT(text(read({{"path", "f"}, {"limit", 99999}}), "hint"), HasSubstr("1-2000 of 2100"));
  EXPECT_THAT(text(read({{"path", "f"}, {"limit", "3"}}), "hint"), HasSubstr("1-3 of 2100"));
}

TEST_F(ReadFileTest, ALongLineIsCut) {
  put("f", std::string(2500, 'x') + "\nnext\n");
  EXPECT_EQ(text(read("f"), "content"), "1|" + std::string(2000, 'x') + "... [truncated]\n2|next");
}

TEST_F(ReadFileTest, TooMuchForOneReadIsAnErrorThatSaysHowMuch) {
  std::string lines;
  for (int i = 0; i < 500; ++i) lines += std::string(300, 'x') + "\n";
  put("f", lines);
  const json::object result = read("f");
  EXPECT_THAT(text(result, "error"), StartsWith("Read produced 1"));
  EXPECT_THAT(text(result, "error"), HasSubstr("the safety limit (100,000 chars)"));
  EXPECT_THAT(text(result, "error"), HasSubstr("The file has 500 lines total."));
  EXPECT_EQ(number(result, "total_lines"), 500);
  EXPECT_EQ(number(result, "file_size"), 150'500);
}

TEST_F(ReadFileTest, TheSameLinesAgainAreNotShownAgain) {
  put("f", "one\n");
  EXPECT_EQ(text(read("f"), "content"), "1|one");
  const json::object second = read("f");
  EXPECT_EQ(text(second, "status"), "unchanged");
  EXPECT_THAT(text(second, "message"), StartsWith("File unchanged since last read."));
  EXPECT_TRUE(flag(second, "dedup"));
  // A model that asks a third time has lost it: it was refused, and could not go on.
  const json::object third = read("f");
  EXPECT_EQ(text(third, "content"), "1|one");
  EXPECT_TRUE(third.contains("_warning"));
  EXPECT_EQ(text(read("f"), "status"), "unchanged");
  agent().run("true");
  EXPECT_EQ(text(read("f"), "status"), "unchanged");
}

TEST_F(ReadFileTest, AModelWhoseContextWasShortenedMaySaySo) {
  put("f", "one\n");
  EXPECT_EQ(text(read("f"), "content"), "1|one");
  const json::object again = read({{"path", "f"}, {"refresh", true}});
  EXPECT_EQ(text(again, "content"), "1|one");
  EXPECT_EQ(text(read("f"), "status"), "unchanged");
}

TEST_F(ReadFileTest, WhatWasJustWrittenIsShown) {
  put("f", "one\n");
  read("f");
  write(at("f"), "two\n");
  EXPECT_EQ(text(read("f"), "content"), "1|two");
}

TEST_F(ReadFileTest, AFileThatWasTouchedIsShown) {
  const std::string path = put("f", "one\n");
  read("f");
  read("f");
  std::filesystem::last_write_time(
      path, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(5));
  EXPECT_EQ(text(read("f"), "content"), "1|one");
  EXPECT_EQ(text(read("f"), "status"), "unchanged");
}

TEST_F(ReadFileTest, AChangedFileReadAgainAndAgainIsShownWithAWarning) {
  for (int i = 1; i <= 2; ++i) {
    put("f", std::string(static_cast<std::size_t>(i), 'x'));
    EXPECT_FALSE(read("f").contains("_warning"));
  }
  put("f", "xxx");
  EXPECT_TRUE(read("f").contains("_warning"));
  put("f", "xxxx");
  EXPECT_EQ(text(read("f"), "content"), "1|xxxx");
}

TEST_F(ReadFileTest, APipeIsRefusedAtOnce) {
  agent();
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_THAT(text(read("pipe"), "error"), HasSubstr("is a pipe"));
}

TEST_F(ReadFileTest, ADirectoryIsCalledOne) {
  agent();
  std::filesystem::create_directory(at("d"));
  const json::object result = read("d");
  EXPECT_THAT(text(result, "error"), HasSubstr("it is a directory"));
  EXPECT_FALSE(result.contains("similar_files"));
}

TEST_F(ReadFileTest, ANameThatIsAlmostRightIsSuggested) {
  put("config.yaml", "");
  put("other.txt", "");
  put("my_config.yml.bak", "");
  const json::object result = read("config.yml");
  EXPECT_EQ(text(result, "error"), "File not found: config.yml");
  EXPECT_EQ(result.at("similar_files").at(0).as_string(), "config.yaml");
  EXPECT_EQ(text(result, "content"), "");
  put("d/settings.json", "");
  const json::object slash = read("d/settings.jsn/");
  EXPECT_EQ(slash.at("similar_files").at(0).as_string(), "d/settings.json");
}

TEST_F(ReadFileTest, CredentialsOfTheAgentAreNotRead) {
  agent();
  const std::string home = world_.directory("home");
  std::filesystem::create_directories(home + "/mcp-tokens");
  std::filesystem::create_directories(home + "/skills/.hub");
  for (const char* name : {"auth.json", "mcp-tokens/x", "mcp-tokens/n.ipynb", "skills/.hub/y"}) {
    std::ofstream(home + "/" + name) << "secret";
  }
  agent().run("cd " + home);
  EXPECT_THAT(text(read("auth.json"), "error"),
              StartsWith("Access denied: auth.json is a Hermes credential store"));
  EXPECT_THAT(text(read(home + "/mcp-tokens/x"), "error"), HasSubstr("MCP token"));
  EXPECT_THAT(text(read("mcp-tokens/n.ipynb"), "error"), HasSubstr("MCP token"));
  EXPECT_THAT(text(read("skills/.hub/y"), "error"),
              StartsWith("Access denied: skills/.hub/y is an internal Hermes cache file"));
  std::filesystem::create_symlink(home + "/auth.json", at("innocent"));
  EXPECT_THAT(text(read(at("innocent")), "error"), HasSubstr("credential store"));
}

TEST_F(ReadFileTest, FilesOfSecretsAreNotReadButTheirExamplesAre) {
  put("proj/.env", "A=1\n");
  put("proj/.env.example", "A=\n");
  EXPECT_THAT(text(read("proj/.env"), "error"),
              StartsWith("Access denied: proj/.env is a secret-bearing environment file"));
  EXPECT_EQ(text(read("proj/.env.example"), "content"), "1|A=");
}

// Word documents are not part of this program: both are binary files.
TEST_F(ReadFileTest, ADocumentIsABinaryFile) {
  put("f.docx", "whatever");
  EXPECT_EQ(text(read("f.docx"), "error"),
            "Cannot read binary file 'f.docx' (.docx). Use the terminal to inspect binary files.");
}

TEST_F(ReadFileTest, DevicesThatNeverEndAreRefused) {
  for (const char* path : {"/dev/zero", "/dev/stdin", "/dev/fd/0", "/proc/self/environ",
                           "/proc/1/fd/1", "/dev/../dev/urandom"}) {
    SCOPED_TRACE(path);
    EXPECT_EQ(text(read(path), "error"),
              "Cannot read '" + std::string(path) +
                  "': this is a device file that would block or produce infinite output.");
  }
  std::filesystem::create_symlink("/dev/zero", at("endless"));
  EXPECT_THAT(text(read("endless"), "error"), HasSubstr("device file"));
  EXPECT_FALSE(read("/dev/null").contains("error"));
  EXPECT_THAT(text(read({{"path", "/proc/cpuinfo"}, {"limit", 1}}), "content"), StartsWith("1|"));
}

TEST_F(ReadFileTest, BinaryContentIsNotShown) {
  put("f", std::string("text with a \0 in it", 19));
  const json::object result = read("f");
  EXPECT_TRUE(flag(result, "is_binary"));
  EXPECT_THAT(text(result, "error"), StartsWith("Binary file - cannot display as text."));
  put("image", std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16));
  EXPECT_TRUE(flag(read("image"), "is_image"));
  EXPECT_THAT(text(read({{"path", "image"}, {"limit", 3}}), "hint"), HasSubstr("an image"));
}

TEST_F(ReadFileTest, TextIsShownAsItIs) {
  put("crlf", "\xEF\xBB\xBFone\r\ntwo\r\n");
  EXPECT_EQ(text(read("crlf"), "content"), "1|one\r\n2|two\r");
  put("bell", "a\a\x1b]0;title\a b\n");  // nothing is taken for the noise of a terminal
  EXPECT_EQ(text(read("bell"), "content"), "1|a\a\x1b]0;title\a b");
  put("latin", "caf\xE9\n");
  EXPECT_EQ(text(read("latin"), "content"), "1|caf\xEF\xBF\xBD");
}

TEST_F(ReadFileTest, SecretsAreMaskedAlsoWhereALineIsCut) {
  const std::string key = "sk-" + std::string(40, 'a');
  put("f", "key = " + key + "\n" + std::string(1990, 'x') + " " + key + "\nPASSWORD=plain\n");
  const std::string shown = text(read("f"), "content");
  EXPECT_THAT(shown, Not(HasSubstr("sk-aaaaaa")));
  EXPECT_THAT(shown, HasSubstr("3|PASSWORD=plain"));  // source code is full of such names
}

TEST_F(ReadFileTest, APageInTheMiddleOfAPrivateKeyShowsNothingOfIt) {
  std::string key = "-----BEGIN RSA PRIVATE KEY-----\n";
  for (int i = 0; i < 10; ++i) key += "MIIEpAIBAAKCAQEA" + std::to_string(i) + "abcdefgh\n";
  put("key", key + "-----END RSA PRIVATE KEY-----\nbehind\n");
  EXPECT_THAT(text(read({{"path", "key"}, {"offset", 4}, {"limit", 3}}), "content"),
              Not(HasSubstr("MIIE")));
  EXPECT_THAT(text(read({{"path", "key"}, {"limit", 5}}), "content"), Not(HasSubstr("MIIE")));
  EXPECT_THAT(text(read("key"), "content"), HasSubstr("behind"));
}

TEST_F(ReadFileTest, ANotebookIsTheTextOfItsCells) {
  put("n.ipynb", R"({"cells":[{"cell_type":"markdown","source":["# Title\n","text"]},
    {"cell_type":"code","source":"x = 1\ny = 2","outputs":[{"text":"not this"}]},
    {"cell_type":"raw","source":""}]})");
  const json::object result = read("n.ipynb");
  EXPECT_EQ(text(result, "content"),
            "1|# ── Markdown cell 1 ──\n2|# Title\n3|text\n4|\n5|# ── Code cell 2 ──\n6|x = 1\n"
            "7|y = 2\n8|\n9|# ── Raw cell ──");
  EXPECT_TRUE(flag(result, "extracted_document"));
  put("broken.ipynb", "{\"cells\": \n");
  EXPECT_EQ(text(read("broken.ipynb"), "content"), "1|{\"cells\": ");
}

TEST_F(ReadFileTest, PathsAreThoseOfTheSession) {
  put("sub/f", "here\n");
  agent().run("cd sub");
  EXPECT_EQ(text(read("f"), "content"), "1|here");
  EXPECT_EQ(text(read("../sub/./f"), "status"), "unchanged");  // the same file
  agent().run("export HOME=" + at("sub"));
  EXPECT_EQ(text(read({{"path", "~/f"}, {"limit", 2}}), "content"), "1|here");
}

TEST_F(ReadFileTest, WithoutAPathItSaysSo) {
  EXPECT_THAT(text(read(json::object{}), "error"), HasSubstr("missing required field 'path'"));
  EXPECT_THAT(text(read({{"path", 7}}), "error"), HasSubstr("missing required field 'path'"));
}

}  // namespace
}  // namespace talaria::test
