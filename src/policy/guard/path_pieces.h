// Pieces of paths.
#pragma once

#include <algorithm>
#include <string_view>

#include "policy/guard/word_list.h"

namespace talaria::guard {

// The directory, or something in it.
inline bool starts_path(std::string_view path, std::string_view directory) {
  return path == directory || (path.starts_with(directory) && path[directory.size()] == '/');
}

// The piece of a path up to the next slash, which is taken away.
inline std::string_view next_piece(std::string_view& path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  const std::string_view piece = path.substr(0, path.find('/'));
  path.remove_prefix(piece.size());
  return piece;
}

// One of the names, or below one; a name may have slashes.
inline bool is_in(std::string_view path, std::string_view names) {
  while (!names.empty()) {
    if (starts_path(path, next_word(names))) return true;
  }
  return false;
}

// How much of the path is the home of any user; 0: it is not in a home.
inline std::size_t any_home(std::string_view path) {
  if (starts_path(path, "/root")) return 5;
  for (const std::string_view homes : {"/home/", "/Users/"}) {
    if (path.starts_with(homes)) return std::min(path.find('/', homes.size()), path.size());
  }
  return 0;
}

// The part of the path below any user's home. Empty if it is not below a home.
inline std::string_view below_a_home(std::string_view folded) {
  const std::size_t home = folded.starts_with("~/") ? 1 : any_home(folded);
  return home == 0 || home == folded.size() ? "" : folded.substr(home + 1);
}

}  // namespace talaria::guard
