// Both engines are asked the same about generated trees, and must say the same: what
// docs/reference/search.md declares is what is generated here.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runner/search/search_main.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

namespace fs = std::filesystem;

// A tree, rules and a query, all from one number.
class Generated {
 public:
  explicit Generated(unsigned seed) : with_newlines_(seed % 4 == 0), random_(seed) { fill("", 0); }

  const std::string& root() const { return tree_.path(); }

  link::SearchFiles query() {
    link::SearchFiles query{.path = root(), .pattern = pick(kPatterns)};
    query.mode = static_cast<link::SearchMode>(below(4));
    query.limit = below(3) == 0 ? 1 + below(12) : 0;
    query.offset = below(3) == 0 ? below(6) : 0;
    query.context = below(2) == 0 ? below(4) : 0;
    query.max_line = below(3) == 0 ? 1 + below(40) : 0;
    for (unsigned i = below(3); i > 0 && !with_newlines_; --i) query.globs.push_back(pick(kGlobs));
    if (below(6) == 0) query.path = some_file();
    return query;
  }

 private:
  static inline const std::vector<std::string> kNames{
      "a",     "b.txt",  "c.h",         "build",  "x.log", "näm€.txt", "two words", "new\nline",
      "-e",    "--",     ".hidden",     "#x",     "!y",    "d[1]",     "e{f}",      "star*",
      "q?.md", "trail ", "back\\slash", "UP.TXT", "src",   "deep",     "keep.log",  "a.b.c"};
  static inline const std::vector<std::string> kRules{
      "*.log",      "!keep.log", "build/",      "/a",       "src/x.log", "**/deep", "deep/**",
      "# note",     "",          "\\#x",        "\\!y",     "*.txt",     "!b.txt",  "/src/*.h",
      "a/**/b.txt", "q\\?.md",   "d\\[1\\]",    "trail\\ ", "*",         "!*/",     "!.hidden",
      "[ab]",       "[!a-c]*.h", "x.log  ",     "**",       "**/",       "/**/c.h", "{a,src}",
      "[",          "*.{h,md}",  "!/a",         "b.txt\r",  "deep",      "?",       "star\\*",
      ".hidden",    "a/",        "/build/x.log"};
  static inline const std::vector<std::string> kGlobs{
      "*.txt",     "*.h",   "!*.log",   "src/**", "**/deep/*", "/a",    "{*.h,*.md}",
      "!build",    "-e",    "[a-d]*",   "!.*",    "*",         "a.b.?", "*.TXT",
      "new\nline", "!src/", "**/*.log", "two*",   "näm*"};
  static inline const std::vector<std::string> kPatterns{"needle",
                                                         "",
                                                         "^needle$",
                                                         "^$",
                                                         "need.e",
                                                         "-needle",
                                                         "--",
                                                         "(?i)NEEDLE",
                                                         "a|b",
                                                         "x+y*z?",
                                                         "[0-9]{2,3}",
                                                         "é",
                                                         "[äöü]",
                                                         "\\.",
                                                         "needle\r?$",
                                                         "^\\s*x",
                                                         "foo\\(bar",
                                                         "(ab)+",
                                                         "(?:ne|no)edle",
                                                         "[^a-z\\s]",
                                                         ".{20,}",
                                                         "e$",
                                                         "[[:digit:]]x",
                                                         "\\d[a-z]",
                                                         "\\d+",
                                                         "\\t",
                                                         "a*"};

  unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
  const std::string& pick(const std::vector<std::string>& from) {
    return from[below(static_cast<unsigned>(from.size()))];
  }

  std::string line() {
    static const std::vector<std::string> kWords{"needle",  "NEEDLE",   "a",  "b",
                                                 "xyz",     "42",       "é",  "ä",
                                                 "foo(bar", "\t",       " ",  "-needle",
                                                 "--",      ".",        "e",  "abab",
                                                 "noedle",  "\xff\x80", "1x", "word needle word"};
    std::string text;
    for (unsigned i = below(5); i > 0; --i) text += pick(kWords);
    if (below(30) == 0) text += std::string(70'000, 'l') + "needle";
    return text;
  }

  std::string content() {
    if (below(10) == 0) return "";
    std::string text = below(20) == 0 ? "\xef\xbb\xbf" : "";
    if (below(12) == 0) text += std::string("needle\n\0needle\n", 15);
    const bool crlf = below(6) == 0;
    for (unsigned i = below(40); i > 0; --i) text += line() + (crlf ? "\r\n" : "\n");
    if (below(2) == 0) text += line();
    return text;
  }

  void fill(const std::string& directory, int depth) {
    if (depth == 0 ? below(3) > 0 : below(12) == 0) {
      if (below(2) == 0 && !with_newlines_) {
        tree_.write(directory + ".git/info/exclude", rules());
      } else {
        fs::create_directories(tree_.path(directory + ".git"));
      }
    }
    for (const char* name : {".gitignore", ".ignore", ".rgignore"}) {
      if (below(4) == 0 && !with_newlines_) tree_.write(directory + name, rules());
    }
    for (unsigned i = 2 + below(9); i > 0; --i) {
      const std::string& name = pick(kNames);
      if (name.contains('\n') && !with_newlines_) continue;
      const std::string path = directory + name;
      if (fs::exists(fs::symlink_status(tree_.path(path)))) continue;
      if (depth < 4 && below(3) == 0) {
        fs::create_directories(tree_.path(path));
        fill(path + "/", depth + 1);
      } else if (below(15) == 0) {
        fs::create_symlink(below(2) == 0 ? ".." : "b.txt", tree_.path(path));
      } else if (below(25) == 0) {
        ::mkfifo(tree_.path(path).c_str(), 0600);
      } else {
        files_.push_back(tree_.write(path, content()));
        const timespec time{static_cast<time_t>(1'000'000 + below(5)), 0};
        const std::array times{time, time};
        ::utimensat(AT_FDCWD, files_.back().c_str(), times.data(), 0);
      }
    }
  }

  std::string rules() {
    std::string text;
    for (unsigned i = 1 + below(5); i > 0; --i) text += pick(kRules) + "\n";
    return text;
  }

  std::string some_file() { return files_.empty() ? root() : pick(files_); }

  // In names: ripgrep is not of one mind on whether "*" and "**" pass over a newline, so there are
  // no rules then.
  bool with_newlines_;
  std::mt19937 random_;
  test::TemporaryDirectory tree_;
  std::vector<std::string> files_;
};

std::string in_words(const Result<link::SearchReport>& report) {
  if (!report) return "error";
  std::string text = "lines " + std::to_string(report->total_lines) + " in " +
                     std::to_string(report->total_files) + (report->more ? ", more\n" : "\n");
  for (const link::FoundFile& file : report->files) {
    text += file.path + " (" + std::to_string(file.matches) + ") " + std::to_string(file.mtime_ns) +
            "\n";
    for (const link::FoundLine& line : file.lines) {
      text += "  " + std::to_string(line.number) + (line.context ? "-" : ":") +
              line.text.substr(0, 80) + " #" + std::to_string(line.text.size()) +
              (line.cut ? " cut\n" : "\n");
    }
  }
  return text;
}

std::string in_words(const link::SearchFiles& query) {
  std::string text = query.path + " pattern '" + query.pattern + "' mode " +
                     std::to_string(static_cast<int>(query.mode)) + " context " +
                     std::to_string(query.context);
  for (const std::string& glob : query.globs) text += " glob '" + glob + "'";
  return text;
}

TEST(SearchEngines, SayTheSameOfGeneratedTrees) {
  const auto ripgrep = find_ripgrep({});
  ASSERT_TRUE(ripgrep) << "scripts/install-deps test installs it";
  const Ripgrep& known = *ripgrep;
  std::size_t found = 0;
  for (unsigned seed = 0; seed < 16; ++seed) {
    Generated generated(seed);
    for (int i = 0; i < 6; ++i) {
      link::SearchFiles query = generated.query();
      query.engine = link::SearchEngine::ripgrep;
      const auto theirs = search_files(query, known);
      query.engine = link::SearchEngine::runner;
      const auto ours = search_files(query, known);
      ASSERT_TRUE(theirs) << theirs.error().message() << in_words(query);
      ASSERT_TRUE(ours) << ours.error().message() << in_words(query);
      ASSERT_EQ(in_words(ours), in_words(theirs)) << "seed " << seed << ": " << in_words(query);
      found += ours->files.size();
    }
  }
  EXPECT_GT(found, 200u) << "the trees have too little in them to tell engines apart";
}

}  // namespace
}  // namespace talaria::runner
