// Files that the file tools never touch: devices without an end, the agent's own credentials, files
// that protect the system and its user. A second line of defence:
// the terminal reaches the same files, and has a guard of its own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::policy {

// A path as somebody asked for it, and where it leads at its target.
struct RuledPath {
  std::string asked;
  std::string path;  // absolute, without "." and ".."
  std::string real;  // and without links
  // Where the link itself is that is at `path`, for those who remove or move it; empty: it is none.
  std::string own = {};
};

// What paths mean at a target. All of them absolute and without links.
struct RuledPlace {
  std::string home;                      // the user's there
  std::vector<std::string> agent_homes;  // of Hermes and Talaria: this profile's first
  std::string profiles_root;             // the home that holds the profiles; empty: none there
  std::string write_root;                // nothing is changed but below it; empty: anywhere
  bool is_lasting_container = false;     // whose /root/.hermes is a copy that nobody reads
};

enum class FileAct { write, remove, move, read };

// Why it may not be read, as a message for a model; nothing: it may be. The first needs no target:
// a device is known by its name.
std::optional<std::string> device_denied(std::string_view asked, std::string_view path);
std::optional<std::string> read_denied(const RuledPath& file, const RuledPlace& place);

// The same for changing it. `across_profiles`: the caller means what it says (cross_profile).
std::optional<std::string> change_denied(const RuledPath& file, const RuledPlace& place,
                                         FileAct act, bool across_profiles);

// What a search of `root` must not look into, as globs below it (docs/reference/search.md).
std::vector<std::string> unsearched(const std::string& root, const RuledPlace& place);

}  // namespace talaria::policy
