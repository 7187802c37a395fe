// The way of somebody who embeds Talaria: install it, build a program against what was installed,
// run it.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/talaria_test.h"

namespace talaria::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::chrono::minutes kBuildPatience{4};

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class Embed : public TalariaTest {
 protected:
  // Runs it to its end; a failure is the test's.
  std::string must(std::vector<std::string> argv) {
    const std::string name = argv.front();
    Program program({.argv = std::move(argv), .env = world_.env(), .cwd = world_.path("work")});
    const auto status = program.wait(kBuildPatience);
    EXPECT_TRUE(status && exit_code_of(*status) == 0) << name << " failed:\n"
                                                      << program.out() << program.err();
    return program.out();
  }
  std::string shell(const std::string& text) { return must({"/bin/sh", "-c", text}); }

  void install(const std::string& prefix) {
    must({TALARIA_CMAKE, "--install", TALARIA_BUILD, "--prefix", prefix});
  }

  void expect_embed_works(const std::string& program) {
    const std::string out = must({program});
    EXPECT_THAT(out, StartsWith("hello me from /usr\ninterrupted, exit code 130\n"));
    EXPECT_THAT(out, HasSubstr(R"({"output":"the password is ***","exit_code":0,"error":null,)"));
  }

  std::string prefix_ = world_.path("prefix");
};

const std::string kExample = std::string(TALARIA_SOURCE) + "/examples/embed";

TEST_F(Embed, InstallsEverythingThatBelongsThere) {
  install(prefix_);
  for (const char* file :
       {"bin/talaria", "lib/libtalaria.a", "include/talaria/talaria.h", "include/talaria/asio.h",
        "lib/pkgconfig/talaria.pc", "share/man/man1/talaria.1",
        "share/bash-completion/completions/talaria", "lib/cmake/talaria/talaria-config.cmake",
        "lib/cmake/talaria/talaria-config-version.cmake", "share/doc/talaria/LICENSE",
        "lib/sysusers.d/talaria.conf", "lib/tmpfiles.d/talaria.conf"}) {
    EXPECT_TRUE(std::filesystem::exists(prefix_ + "/" + file)) << file;
  }
  EXPECT_THAT(must({prefix_ + "/bin/talaria", "--version"}), StartsWith("talaria "));
}

// It named /usr/bin whatever the prefix was.
TEST_F(Embed, TheUnitOfTheGatewayNamesTheInstalledProgram) {
  install(prefix_);
  const std::string unit = "/lib/systemd/system/talaria-gateway.service";
  const std::string there = text_of(prefix_ + unit);
  EXPECT_THAT(there, HasSubstr("\nExecStart=" + prefix_ + "/bin/talaria serve "));
  EXPECT_THAT(there, HasSubstr("\nExecReload=/bin/kill -HUP $MAINPID\n"));
  const std::string staged = world_.path("staged");
  shell("DESTDIR=" + staged + " " + TALARIA_CMAKE + " --install " + TALARIA_BUILD +
        " --prefix /opt/talaria");
  EXPECT_THAT(text_of(staged + "/opt/talaria" + unit),
              HasSubstr("\nExecStart=/opt/talaria/bin/talaria serve "));
}

TEST_F(Embed, IsRemovedAgainAndNothingElse) {
  install(prefix_);
  const std::string own = prefix_ + "/lib/own.txt";
  std::ofstream(own) << "of the user\n";
  must({std::string(TALARIA_SOURCE) + "/scripts/uninstall", prefix_, TALARIA_BUILD});
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(prefix_)) {
    if (!entry.is_directory()) left.push_back(entry.path());
  }
  EXPECT_EQ(left, std::vector{own});
  EXPECT_FALSE(std::filesystem::exists(prefix_ + "/include/talaria"));
}

TEST_F(Embed, BuildsWithCMakeFromATreeThatWasMoved) {
  install(prefix_);
  const std::string moved = world_.path("moved");
  std::filesystem::rename(prefix_, moved);
  const std::string build = world_.path("example");
  must({TALARIA_CMAKE, "-S", kExample, "-B", build, "-G", "Ninja", "-DCMAKE_PREFIX_PATH=" + moved,
        std::string("-DCMAKE_CXX_COMPILER=") + TALARIA_COMPILER,
        std::string("-DCMAKE_CXX_FLAGS=") + TALARIA_EXAMPLE_FLAGS});
  must({TALARIA_CMAKE, "--build", build});
  expect_embed_works(build + "/embed");
  const std::string said = must({build + "/embed_asio"});
  EXPECT_THAT(said, HasSubstr("first\n"));
  EXPECT_THAT(said, HasSubstr("second\n"));
}

TEST_F(Embed, BuildsWithPkgConfig) {
  install(prefix_);
  const std::string program = world_.path("embed");
  shell("PKG_CONFIG_PATH=" + prefix_ + "/lib/pkgconfig; export PKG_CONFIG_PATH; " +
        TALARIA_COMPILER + " -std=c++23 " + TALARIA_EXAMPLE_FLAGS + " " + kExample +
        "/embed.cc -o " + program + " $(pkg-config --cflags --libs talaria)");
  expect_embed_works(program);
}

// The first block of C++ in a document, without its fences.
std::string first_cpp_block(const std::string& document) {
  const std::string open = "```cpp\n";
  const std::size_t begin = document.find(open);
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + open.size();
  return document.substr(from, document.find("```", from) - from);
}

// Without comments, includes and empty lines, in which a document may differ.
std::string code_of(const std::string& text) {
  std::istringstream lines(text);
  std::string code;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    const std::string_view shown = std::string_view(line).substr(begin);
    if (shown.starts_with("//") || shown.starts_with("#include") || shown == "namespace {")
      continue;
    code += line + "\n";
  }
  return code;
}

// What a document shows must be what is compiled and run here.
TEST(Documents, ShowTheExample) {
  const std::string root = TALARIA_SOURCE;
  const std::string block = first_cpp_block(text_of(root + "/docs/reference/cpp-api.md"));
  ASSERT_THAT(block, HasSubstr("Runtime::make"));
  EXPECT_THAT(code_of(text_of(kExample + "/embed.cc")), HasSubstr(code_of(block)));
}

}  // namespace
}  // namespace talaria::test
