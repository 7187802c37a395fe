#include "policy/guard/run/written_files.h"

#include <utility>

#include "policy/guard/run/parameter.h"
#include "policy/guard/run/seen_command.h"

namespace talaria::guard {

WrittenFile* WrittenFiles::find_exact(std::string_view path) const {
  const auto [begin, end] = files_.equal_range(base_name(path));
  for (auto at = begin; at != end; ++at) {
    if (at->second->path == path) return at->second.get();
  }
  return nullptr;
}

bool WrittenFiles::write(const std::string& path, FileContent content, bool instead) {
  ++changes_;
  WrittenFile* file = find_exact(path);
  if (file == nullptr) {
    if (files_.size() >= kMaxFiles) return false;
    file = files_.emplace(base_name(path), std::make_unique<WrittenFile>(path))->second.get();
  }
  if (instead) file->contents.clear();
  if (file->contents.size() < kMaxContents) file->contents.push_back(std::move(content));
  return true;
}

bool WrittenFiles::append(const std::string& path, const FileContent& content) {
  WrittenFile* const file = find_exact(path);
  if (file == nullptr || file->contents.empty()) return write(path, content, false);
  ++changes_;
  for (FileContent& one : file->contents) {
    if (one.part) continue;
    one.unseen = one.unseen || content.unseen;
    const bool known = one.text && content.text;
    one.text = known ? std::make_shared<const std::string>(*one.text + *content.text) : nullptr;
  }
  return true;
}

std::vector<const WrittenFile*> WrittenFiles::find(std::string_view path) const {
  std::vector<const WrittenFile*> found;
  if (files_.empty()) return found;
  if (const WrittenFile* const exact = find_exact(path)) return {exact};
  const std::string_view name = base_name(path);
  for (const auto& [one, file] : files_) {
    if (one == name || matches_pattern(name, one)) found.push_back(file.get());
  }
  return found;
}

}  // namespace talaria::guard
