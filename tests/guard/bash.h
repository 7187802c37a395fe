// Real bash, for a second opinion. It works in a directory of its own that is empty and goes away.
#pragma once

#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria::test {

class ThrowAwayDirectory {
 public:
  ThrowAwayDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "talaria-guard-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) != nullptr ? name : "";
    std::filesystem::create_directory(path_ + "/empty");
  }
  ThrowAwayDirectory(const ThrowAwayDirectory&) = delete;
  ThrowAwayDirectory& operator=(const ThrowAwayDirectory&) = delete;
  ~ThrowAwayDirectory() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs a script with nothing but bash's builtins in reach, unless `path` says where more is.
inline int run_bash(const ThrowAwayDirectory& directory, const std::string& options,
                    const std::string& script, const std::string& path = "/nowhere") {
  std::ofstream(directory.path() + "/script", std::ios::binary) << script;
  const std::string command =
      "cd '" + directory.path() + "/empty' && ulimit -t 5 && env -i PATH=" + path +
      " HOME=/home/alice /bin/bash " + options + " ../script </dev/null >/dev/null 2>&1";
  return std::system(command.c_str());
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Every call of `show` writes its words, whatever its output is connected to: at once, as two parts
// of a pipeline may.
inline constexpr std::string_view kShow =
    "exec 9>../ran\n"
    "show() { printf '%s\\0' show \"$@\" $'\\1' >&9; }\n"
    "export -f show\n";

// The calls of `show` in a script.
inline std::vector<std::vector<std::string>> words_bash_ran(const ThrowAwayDirectory& directory,
                                                            const std::string& text,
                                                            const std::string& path = "/nowhere") {
  run_bash(directory, "", std::string(kShow) + text, path);
  std::vector<std::vector<std::string>> all;
  std::vector<std::string> words;
  const std::string ran = read_file(directory.path() + "/ran");
  for (std::size_t at = 0; at < ran.size();) {
    const std::size_t end = std::min(ran.find('\0', at), ran.size());
    const std::string word = ran.substr(at, end - at);
    at = end + 1;
    if (word != "\1") {
      words.push_back(word);
    } else {
      all.push_back(std::exchange(words, {}));
    }
  }
  return all;
}

}  // namespace talaria::test
