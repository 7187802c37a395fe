// Real bash, for a second opinion. It works in a directory of its own that is empty and goes away.
#pragma once

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace talaria {

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

// Runs a script with nothing but bash's builtins in reach.
inline int run_bash(const ThrowAwayDirectory& directory, const std::string& options,
                    const std::string& script) {
  std::ofstream(directory.path() + "/script", std::ios::binary) << script;
  const std::string command = "cd '" + directory.path() +
                              "/empty' && env -i PATH=/nowhere HOME=/home/alice /bin/bash " +
                              options + " ../script </dev/null >/dev/null 2>&1";
  return std::system(command.c_str());
}

inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace talaria
