#include "policy/guard/rules/found_files.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "policy/guard/listings.h"

namespace talaria::guard {

bool is_found_scratch(const Arguments& arguments, std::string_view path) {
  return !path.starts_with(kUnknownPiece) &&
         arguments.paths.is_disposable(arguments.resolved({std::string(path)}).text);
}

bool finds_only_scratch(const Arguments& arguments) {
  const bool empty = arguments.any_word([](std::string_view word) { return word == "-empty"; });
  return std::ranges::all_of(listed_paths(arguments.command), [&](const std::string& path) {
    const bool own = !path.starts_with(kUnknownPiece) &&
                     !arguments.paths.is_foreign(arguments.resolved({path}).text);
    return is_found_scratch(arguments, path) || (empty && own);
  });
}

}  // namespace talaria::guard
