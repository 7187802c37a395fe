// A patch in the V4A format, as agents write it: operations on files, read without looking at any
// file. docs/reference/editing.md has the grammar.
//
// Reading is strict where a slip would change what is written, and lenient about what stands around
// a patch: prose, code fences, a marker that is missing.
#pragma once

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria::edit {

struct HunkLine {
  enum class Kind { context, added, removed };

  Kind kind;
  std::string text;  // without its first column and its end
};

struct Hunk {
  std::size_t patch_line = 0;      // where it begins, from 1
  std::vector<std::string> hints;  // of its @@ lines, from the outermost; none is empty
  std::vector<HunkLine> lines;     // at least one
  bool at_end = false;             // *** End of File
};

enum class PatchAction { add, update, remove, move };

struct PatchOperation {
  PatchAction action = PatchAction::update;
  std::size_t patch_line = 0;
  std::string path;
  std::string move_to;      // of move, and of update with *** Move to:
  std::vector<Hunk> hunks;  // of update; none only if it moves
  std::string content;      // of add
};

// The error is complete: every problem, each with its line.
std::expected<std::vector<PatchOperation>, std::string> parse_patch(std::string_view text);

// Every path a patch names, once each, in its order: what has to be allowed, and read.
std::vector<std::string> patch_paths(const std::vector<PatchOperation>& operations);

// What to say if one of them has a ".." in it: a patch stays below the directory it is used in.
std::optional<std::string> find_traversal(const std::vector<PatchOperation>& operations);

}  // namespace talaria::edit
