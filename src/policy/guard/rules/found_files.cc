#include "policy/guard/rules/found_files.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/listings.h"

namespace talaria::guard {

bool is_bin_beside_obj(std::string_view path, const std::vector<std::string>& all) {
  constexpr std::string_view kBin = "bin";
  while (path.ends_with('/')) path.remove_suffix(1);
  if (!path.ends_with(kBin)) return false;
  const std::string_view directory = path.substr(0, path.size() - kBin.size());
  if (!directory.empty() && !directory.ends_with('/')) return false;
  return std::ranges::any_of(all, [&](std::string_view other) {
    while (other.ends_with('/')) other.remove_suffix(1);
    return other == std::string(directory) + "obj";
  });
}

bool is_found_scratch(const Arguments& arguments, std::string_view path) {
  return !path.starts_with(kUnknownPiece) &&
         arguments.paths.is_disposable(arguments.resolved({std::string(path)}).text);
}

bool finds_only_scratch(const Arguments& arguments) {
  const bool empty = arguments.any_word([](std::string_view word) { return word == "-empty"; });
  const std::vector<std::string> all = listed_paths(arguments.command);
  return std::ranges::all_of(all, [&](const std::string& path) {
    const bool own = !path.starts_with(kUnknownPiece) &&
                     !arguments.paths.is_foreign(arguments.resolved({path}).text);
    return is_found_scratch(arguments, path) || (own && (empty || is_bin_beside_obj(path, all)));
  });
}

}  // namespace talaria::guard
