// What commands print that list files: find, grep -l, ls, git ls-files. Each path is one that is
// known in part: an unknown name below a known directory; if it is not hidden, two unknown pieces.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

// What stands between these options of `find` and `fd` and a `;` is run for each.
inline constexpr std::string_view kFindRuns = "-exec -execdir -ok -okdir -x -X --exec --exec-batch";

// Adds each once. Where they are too many to follow, one that may be any file stands for the rest.
void add_paths(std::vector<std::string>& paths, const std::vector<std::string>& more);

// The paths that it prints, or passes on from its input; none: it is not known to list any. A
// list of other things (processes, jobs of a scheduler) is one path of which nothing is known.
std::vector<std::string> listed_paths(const SeenCommand& command);

// A port on which a program under development listens: none of the system's, nor of a database.
bool is_own_port(std::string_view text);

// lsof -ti :3000 asks for the process that listens on such a port.
bool finds_port_owner(const SeenCommand& command);
// What stands for it among the programs that write something.
inline constexpr std::string_view kPortOwner = "lsof of a port";

// What grep, rg and their like look for, and where: below directories only if they descend.
struct TextSearch {
  std::vector<std::string> patterns;  // none: they are in a file
  std::vector<std::string> places;    // as listed_paths has them; empty: it does not descend
};
// Nothing: it is no search.
std::optional<TextSearch> text_search(const SeenCommand& command);

}  // namespace talaria::guard
