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

  // Compiles a program of tests/embed/programs against what was installed.
  std::string build(const std::string& compiler, const std::string& name, const std::string& flags,
                    const std::string& libraries) {
    const std::string program = world_.path(name + "-" + std::to_string(++built_));
    shell(compiler + " -std=c++23 -Wall -Wextra -Werror " + TALARIA_EXAMPLE_FLAGS + " " + flags +
          " -I" + prefix_ + "/include " + TALARIA_SOURCE + "/tests/embed/programs/" + name +
          ".cc -o " + program + " " + libraries);
    return program;
  }
  // What to link with: the archive, or the shared library.
  std::string archive() const { return prefix_ + "/lib/libtalaria.a " + kNeeds; }
  std::string shared() const {
    return "-L" + prefix_ + "/lib -ltalaria -Wl,-rpath," + prefix_ + "/lib";
  }

  static constexpr const char* kNeeds =
      "-lfyaml -lsqlite3 -lre2 -lvterm -lgumbo -lutf8proc -lz -lbrotlidec "
      "-lbrotlicommon -pthread";
  std::string prefix_ = world_.path("prefix");
  int built_ = 0;
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
  EXPECT_THAT(said, testing::EndsWith("interrupted\n"));
  const std::string answers = must({build + "/embed_c"});
  EXPECT_THAT(answers, HasSubstr(R"({"id":1,"result":{"output":"me in )"));
  EXPECT_THAT(answers, HasSubstr(R"({"id":2,"result":{)"));
}

TEST_F(Embed, BuildsWithPkgConfig) {
  install(prefix_);
  const std::string program = world_.path("embed");
  shell("PKG_CONFIG_PATH=" + prefix_ + "/lib/pkgconfig; export PKG_CONFIG_PATH; " +
        TALARIA_COMPILER + " -std=c++23 " + TALARIA_EXAMPLE_FLAGS + " " + kExample +
        "/embed.cc -o " + program + " $(pkg-config " + (TALARIA_PLAIN_BUILD ? "" : "--static ") +
        "--cflags --libs talaria) -Wl,-rpath," + prefix_ + "/lib");
  expect_embed_works(program);
}

// Sanitizers need the library as it was compiled.
#if TALARIA_PLAIN_BUILD

// 33,589 symbols were visible, 669 of them strong ones of Boost.Asio.
TEST_F(Embed, TheLibraryShowsNothingButItsInterface) {
  install(prefix_);
  for (const std::string& symbols :
       {shell("nm -g --defined-only " + prefix_ + "/lib/libtalaria.a"),
        shell("nm -D --defined-only " + prefix_ + "/lib/libtalaria.so")}) {
    std::istringstream lines(symbols);
    int shown = 0;
    for (std::string address, kind, name; lines >> address;) {
      if (address.ends_with(':')) continue;  // the name of a member
      lines >> kind >> name;
      const std::string plain = name.substr(0, name.find('@'));
      if (plain == "TALARIA_0.1") continue;  // the version itself
      EXPECT_TRUE(plain.starts_with("_ZN7talaria") || plain.starts_with("_ZNK7talaria") ||
                  plain.starts_with("talaria_"))
          << name;
      ++shown;
    }
    EXPECT_GT(shown, 100);
    EXPECT_LT(shown, 600);
    EXPECT_THAT(symbols, testing::Not(HasSubstr("7talaria6policy")));
  }
  EXPECT_THAT(
      shell("readelf -d " + prefix_ + "/lib/libtalaria.so"),
      testing::AllOf(HasSubstr("Library soname: [libtalaria.so.0.1]"), HasSubstr("NODELETE"),
                     testing::Not(HasSubstr("TEXTREL")), testing::Not(HasSubstr("boost"))));
}

// It crashed at -O0: the symbols of the two Asios were one, their layouts were not.
TEST_F(Embed, AProgramMayHaveABoostOfItsOwn) {
  install(prefix_);
  const std::string expected = "called back\n{\"output\":\"in the future\",\"exit_code\":0,";
  EXPECT_THAT(must({build(TALARIA_COMPILER, "own_boost", "-O0", archive())}), StartsWith(expected));
  EXPECT_THAT(must({build("g++", "own_boost", "-O0 -D_GLIBCXX_ASSERTIONS", archive())}),
              StartsWith(expected));
  EXPECT_THAT(must({build("g++", "own_boost", "-O2", shared())}), StartsWith(expected));
}

// A static Runtime crashed at exit, and std::exit() with one on the stack: statics of the library
// were destroyed under its thread. A child that was forked hung in run().
TEST_F(Embed, ARuntimeMayEndAtAnyTimeAndAForkedChildFailsAtOnce) {
  install(prefix_);
  for (const std::string& program : {build(TALARIA_COMPILER, "exits", "-O2", shared()),
                                     build("g++", "exits", "-O0", archive())}) {
    for (int round = 0; round < 6; ++round) {
      must({"/usr/bin/env", "MALLOC_PERTURB_=165", program, "static"});
      must({"/usr/bin/env", "MALLOC_PERTURB_=165", program, "stack"});
    }
    must({program, "fork"});
  }
}

// The archive was not position-independent.
TEST_F(Embed, APluginMayHaveTheArchiveInIt) {
  install(prefix_);
  const std::string plugin = build("g++", "plugin", "-O2 -shared -fPIC", archive());
  const std::string host = world_.path("host");
  shell("gcc -Wall -Wextra " + std::string(TALARIA_SOURCE) + "/tests/embed/programs/host.c -o " +
        host + " -ldl");
  must({host, plugin});
}

#endif

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
