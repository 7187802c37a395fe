// The variables this process was started with, to hand them on.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

namespace talaria::os {

// NAME=value, borrowed: valid as long as nobody changes the environment.
inline std::vector<const char*> own_environment() {
  std::vector<const char*> entries;
  for (char** entry = ::environ; *entry != nullptr; ++entry) entries.push_back(*entry);
  return entries;
}

// With these, NAME=value, in place of those of the same names; they are borrowed, too.
inline std::vector<const char*> own_environment_with(const std::vector<std::string>& added) {
  const auto name_of = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  std::vector<const char*> entries = own_environment();
  for (const std::string& entry : added) {
    std::erase_if(entries, [&](const char* other) { return name_of(other) == name_of(entry); });
    entries.push_back(entry.c_str());
  }
  return entries;
}

}  // namespace talaria::os
