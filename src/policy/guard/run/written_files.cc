#include "policy/guard/run/written_files.h"

#include <algorithm>
#include <utility>

#include "policy/guard/run/parameter.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {
namespace {

// Whether a path may be the end of another.
bool may_end(std::string_view path, std::string_view end) {
  if (end.starts_with("..")) return true;
  return path == end || (path.size() > end.size() && path.ends_with(end) &&
                         path[path.size() - end.size() - 1] == '/');
}

}  // namespace

bool WrittenFiles::is_same(const FilePath& one, const FilePath& other) const {
  if (linked_) return true;
  if (one.path.contains(kUnknownPiece) || other.path.contains(kUnknownPiece)) return true;
  const bool first = one.path.starts_with('/');
  const bool second = other.path.starts_with('/');
  if (first && second) return one.path == other.path;
  if (first) return may_end(one.path, other.path);
  if (second) return may_end(other.path, one.path);
  return one.moves != other.moves || one.path == other.path;
}

WrittenFile* WrittenFiles::find_exact(const FilePath& name) {
  const auto [begin, end] = files_.equal_range(base_name(name.path));
  for (auto at = begin; at != end; ++at) {
    const FilePath& here = at->second.name;
    if (here.path == name.path && (here.moves == name.moves || here.path.starts_with('/'))) {
      return &at->second;
    }
  }
  return nullptr;
}

bool WrittenFiles::write(const FilePath& name, FileContent content, bool instead) {
  ++changes_;
  WrittenFile* file = find_exact(name);
  if (file == nullptr) {
    if (files_.size() >= kMaxFiles) return false;
    const auto at = files_.emplace(base_name(name.path), WrittenFile{name, {}});
    file = &at->second;
  }
  if (instead) file->contents.clear();
  if (file->contents.size() < kMaxContents) file->contents.push_back(std::move(content));
  return true;
}

bool WrittenFiles::append(const FilePath& name, const FileContent& content) {
  WrittenFile* const file = find_exact(name);
  if (file == nullptr || file->contents.empty()) return write(name, content, false);
  ++changes_;
  for (FileContent& one : file->contents) {
    if (one.part) continue;
    one.unseen = one.unseen || content.unseen;
    const bool known = one.text && content.text;
    one.text = known ? std::make_shared<const std::string>(*one.text + *content.text) : nullptr;
  }
  return true;
}

std::size_t WrittenFiles::size_of(const FilePath& name) {
  const WrittenFile* const file = find_exact(name);
  std::size_t size = 0;
  if (file == nullptr) return size;
  for (const FileContent& one : file->contents) size += one.text ? one.text->size() : 0;
  return size;
}

std::vector<const WrittenFile*> WrittenFiles::find(const FilePath& name) const {
  std::vector<const WrittenFile*> found;
  const auto [begin, end] = files_.equal_range(base_name(name.path));
  for (auto at = begin; at != end; ++at) {
    if (is_same(at->second.name, name)) found.push_back(&at->second);
  }
  return found;
}

std::vector<const WrittenFile*> WrittenFiles::match(std::string_view pattern) const {
  std::vector<const WrittenFile*> found;
  for (const auto& [name, file] : files_) {
    if (matches_pattern(pattern, name)) found.push_back(&file);
  }
  return found;
}

std::vector<const WrittenFile*> WrittenFiles::all() const { return match("*"); }

}  // namespace talaria::guard
