#include "environment/plain/plain_script.h"

#include <gtest/gtest.h>

#include "environment/output_window.h"

namespace talaria::environment::plain {
namespace {

struct Read {
  std::string output;
  bool started = false;
  std::optional<PlainTrailer> trailer;
};

// The stream in pieces of that size.
Read read_in_pieces(const std::string& stream, std::size_t size) {
  PlainReader reader("n0nce");
  Read read;
  for (std::size_t at = 0; at < stream.size(); at += size) {
    reader.feed(stream.substr(at, size), read.output);
  }
  reader.finish(read.output);
  read.started = reader.started();
  read.trailer = reader.trailer();
  return read;
}

TEST(PlainReader, FindsTheOutputInWhateverPiecesItComes) {
  const std::string stream =
      "motd n0nc\nn0nce started\nn0nc output\nn0nce late n0nce 3 3 bash 2\n/a\nbn0ncelook outn0nce";
  for (std::size_t size = 1; size <= stream.size(); ++size) {
    const Read read = read_in_pieces(stream, size);
    EXPECT_EQ(read.output, "n0nc output\n") << size;
    ASSERT_TRUE(read.trailer) << size;
    EXPECT_EQ(read.trailer->status, 3);
    EXPECT_EQ(read.trailer->shell, "bash");
    EXPECT_EQ(read.trailer->children, 2u);
    EXPECT_EQ(read.trailer->cwd, "/a\nb");
    EXPECT_EQ(read.trailer->notice, "look out");
  }
}

// Output was kept back until as much as a nonce had come behind it: a prompt was never seen.
TEST(PlainReader, WhatCannotBeTheTrailerIsNotKeptBack) {
  PlainReader reader("n0nce");
  std::string output;
  reader.feed("n0nce started\nfirst\n", output);
  EXPECT_EQ(output, "first\n");
  reader.feed("n0n", output);
  EXPECT_EQ(output, "first\n");
  reader.feed("n0x", output);
  EXPECT_EQ(output, "first\nn0nn0x");
}

TEST(PlainReader, AStreamThatEndsEarlyHasNoTrailerAndAllOfItsOutput) {
  const Read cut = read_in_pieces("n0nce started\nout n0n", 4);
  EXPECT_TRUE(cut.started);
  EXPECT_EQ(cut.output, "out n0n");
  EXPECT_FALSE(cut.trailer);
  EXPECT_FALSE(read_in_pieces("n0nce star", 4).started);
  EXPECT_EQ(read_in_pieces("n0nce started\nall of itn0ncelate", 4).output, "all of it");
}

TEST(PlainReader, ARefusalIsInTheWordsOfTheScript) {
  PlainReader reader("n0nce");
  std::string output;
  reader.feed("noise\nn0nce refused no place\n", output);
  EXPECT_EQ(reader.refusal(), "no place");
  EXPECT_EQ(output, "");
}

TEST(PlainTrailer, TellsAnExitCodeFromASignal) {
  const auto status = [](int seen, std::optional<int> own) {
    return exit_code_of(PlainTrailer{.status = seen, .own_status = own}.exit_status());
  };
  EXPECT_EQ(status(0, 0), 0);
  EXPECT_EQ(status(143, 143), 143);          // exit 143
  EXPECT_EQ(status(143, 0), -15);            // bash runs the EXIT trap when TERM ends it
  EXPECT_EQ(status(137, std::nullopt), -9);  // nothing runs then
  EXPECT_EQ(status(9, std::nullopt), 9);     // exec
  // No signal has such a number: of an exec, or an EXIT trap of the command's own in sh.
  EXPECT_EQ(status(255, std::nullopt), 255);
  EXPECT_EQ(status(200, std::nullopt), 200);
  EXPECT_EQ(status(128 + 64, std::nullopt), -64);
}

TEST(PlainInput, HoldsWhatIsSecretAndTheArgumentsDoNot) {
  PlainCall call{.nonce = "n0nce", .id = "17", .spec = {.command = "true"}};
  call.spec.carried_env = {"TOKEN=hush", "not a name=x"};
  call.spec.stdin_data = "data";
  const std::string input = plain_input(call);
  EXPECT_TRUE(input.starts_with("n0nce 17 "));
  EXPECT_NE(input.find("export TOKEN='hush'\n"), std::string::npos);
  EXPECT_EQ(input.find("not a name"), std::string::npos);
  EXPECT_TRUE(input.ends_with("true\ndata"));
  EXPECT_EQ(plain_script({"/x"}).find("n0nce"), std::string::npos);
}

TEST(OutputWindow, HasTheFirstAndTheLastBytesWhateverThePieces) {
  std::string all;
  for (int i = 0; i < 30'000; ++i) all += std::to_string(i) + " ";
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, all.size()}) {
    OutputWindow kept(10, 20);
    for (std::size_t at = 0; at < all.size(); at += size) kept.add(all.substr(at, size));
    EXPECT_EQ(kept.total(), all.size());
    EXPECT_EQ(kept.head(), all.substr(0, 10));
    EXPECT_EQ(kept.tail(), all.substr(all.size() - 20));
  }
  OutputWindow little(10, 20);
  little.add("0123456789ab");
  EXPECT_EQ(little.head() + little.tail(), "0123456789ab");
}

}  // namespace
}  // namespace talaria::environment::plain
