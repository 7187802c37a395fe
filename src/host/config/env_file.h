// <home>/.env: lines of NAME=value, for the configuration only. `export ` in front, quotes,
// comments and empty lines are as in a shell; nothing is expanded. A line that is none of these is
// left out and noted by its number (its text may be a secret).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace talaria::host {

struct EnvFileEntry {
  std::string name;
  std::string value;
  int line = 0;
};

struct EnvFile {
  std::vector<EnvFileEntry> entries;
  std::vector<int> bad_lines;

  // The last line that sets it counts; nothing if none does.
  const EnvFileEntry* find(std::string_view name) const;
};

EnvFile parse_env_file(std::string_view text);

}  // namespace talaria::host
