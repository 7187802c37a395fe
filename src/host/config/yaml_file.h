// <home>/config.yaml: the values of our settings in it, by dotted key ("terminal.timeout"). Other
// programs keep theirs in the same file; what is not ours is only listed. A key that stands twice
// means what it says last. Anchors work, merge keys (<<) do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "host/config/value.h"

namespace talaria::host {

struct YamlEntry {
  std::string key;
  WrittenValue value;
  int line = 0;
};

struct YamlFile {
  std::vector<YamlEntry> entries;
  std::vector<YamlEntry> others;  // keys that are not settings, without their values

  // Nothing if the file does not say, or says null.
  const YamlEntry* find(std::string_view key) const;
};

// `path` is for the message of an error, which says the line, too.
Result<YamlFile> parse_yaml_file(std::string_view text, const std::string& path);

}  // namespace talaria::host
