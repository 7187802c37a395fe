#include "edit/v4a_plan.h"

#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/limits.h"
#include "edit/diff.h"
#include "edit/file_text.h"
#include "edit/hunks.h"

namespace talaria::edit {
namespace {

// Two ways to write one path are one file; links are beyond what can be known here.
std::string key_of(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

// A file as the operations so far leave it.
struct SimulatedFile {
  std::string content;
  std::string origin;  // the key of the file on disk it was; empty if it was added
};

class Planner {
 public:
  explicit Planner(const ReadPatchedFile& read) : read_(read) {}

  void run(const PatchOperation& operation) {
    // What depends on an operation that failed has nothing to say.
    if (broken_.contains(key_of(operation.path))) return;
    if (broken_.contains(key_of(operation.move_to))) return;
    std::optional<std::string> problem = apply(operation);
    if (!problem) return;
    problems_ += "\n  • " + operation.path + ": " + *problem;
    broken_.insert(key_of(operation.path));
    if (!operation.move_to.empty()) broken_.insert(key_of(operation.move_to));
  }

  std::expected<PatchPlan, std::string> finish() {
    if (!problems_.empty()) {
      return std::unexpected("Patch validation failed (no files were modified):" + problems_);
    }
    for (const auto& [key, file] : files_) {
      if (file.origin != key) moved_.insert(file.origin);
    }
    PatchPlan plan;
    for (const std::string& key : order_) {
      if (is_removed_for_another(key)) {
        plan.changes.push_back({FileChange::Kind::remove, names_.at(key), "", *disk_.at(key), ""});
      }
      if (auto change = change_at(key)) plan.changes.push_back(std::move(*change));
    }
    return plan;
  }

 private:
  std::optional<std::string> apply(const PatchOperation& operation) {
    if (auto problem = look(operation.path)) return problem;
    const bool exists = files_.contains(key_of(operation.path));
    switch (operation.action) {
      case PatchAction::add:
        if (exists) return "file already exists — add would overwrite";
        if (operation.content.size() > kMaxEditBytes) return "the new file is too large";
        files_[key_of(operation.path)] = {operation.content, ""};
        return std::nullopt;
      case PatchAction::update:
        if (!exists) return "file not found for update";
        return update(operation);
      case PatchAction::remove:
        if (!exists) return "file not found for deletion";
        files_.erase(key_of(operation.path));
        return std::nullopt;
      case PatchAction::move:
        if (!exists) return "source file not found for move";
        return move(operation);
    }
    return std::nullopt;
  }

  std::optional<std::string> update(const PatchOperation& operation) {
    SimulatedFile& file = files_[key_of(operation.path)];
    if (too_large_to_edit(file.content)) return "the file is too large to edit";
    HunkEditor editor(file.content);
    std::string problems;
    std::size_t failed = 0;
    for (const Hunk& hunk : operation.hunks) {
      const auto problem = editor.apply(hunk);
      if (!problem) continue;
      problems += (failed == 0 ? "" : "\n  • " + operation.path + ": ") + *problem;
      if (++failed < kMaxFailedHunks) continue;
      problems += "\n  • " + operation.path + ": hunks behind these were not tried";
      break;
    }
    if (!problems.empty()) return problems;
    file.content = editor.bytes();
    if (!operation.move_to.empty()) return move(operation);
    return std::nullopt;
  }

  std::optional<std::string> move(const PatchOperation& operation) {
    if (auto problem = look(operation.move_to)) return problem;
    if (files_.contains(key_of(operation.move_to))) {
      return "destination already exists — move would overwrite";
    }
    auto node = files_.extract(key_of(operation.path));
    node.key() = key_of(operation.move_to);
    files_.insert(std::move(node));
    return std::nullopt;
  }

  // Reads a file from disk when it is first spoken of.
  std::optional<std::string> look(const std::string& path) {
    const std::string key = key_of(path);
    if (!disk_.emplace(key, std::nullopt).second) return std::nullopt;
    order_.push_back(key);
    names_[key] = path;
    Result<std::optional<std::string>> content = read_(path);
    if (!content) return content.error().message();
    if (*content) files_[key] = {**content, key};
    disk_[key] = std::move(*content);
    return std::nullopt;
  }

  // It is gone, and what was elsewhere is in its place.
  bool is_removed_for_another(const std::string& key) const {
    if (!disk_.at(key) || moved_.contains(key)) return false;
    const auto now = files_.find(key);
    return now != files_.end() && !now->second.origin.empty() && now->second.origin != key;
  }

  std::optional<FileChange> change_at(const std::string& key) const {
    using Kind = FileChange::Kind;
    const std::optional<std::string>& before = disk_.at(key);
    const auto now = files_.find(key);
    const std::string& name = names_.at(key);
    if (now == files_.end()) {
      if (!before || moved_.contains(key)) return std::nullopt;
      return FileChange{Kind::remove, name, "", *before, ""};
    }
    const auto& [content, origin] = now->second;
    if (!origin.empty() && origin != key) {
      return FileChange{Kind::move, name, names_.at(origin), *disk_.at(origin), content};
    }
    // What was here before may have moved away, to make room for a new file.
    if (!before || moved_.contains(key)) return FileChange{Kind::create, name, "", "", content};
    if (*before == content) return std::nullopt;
    return FileChange{Kind::modify, name, "", *before, content};
  }

  const ReadPatchedFile& read_;
  std::map<std::string, SimulatedFile> files_;              // what there is now, by key
  std::map<std::string, std::optional<std::string>> disk_;  // what there was, by key
  std::map<std::string, std::string> names_;                // keys as the patch first wrote them
  std::vector<std::string> order_;                          // of keys, as they were first spoken of
  std::set<std::string> broken_;                            // keys of what could not be changed
  std::set<std::string> moved_;                             // keys of what is elsewhere in the end
  std::string problems_;
};

std::string diff_of(const FileChange& change) {
  using Kind = FileChange::Kind;
  switch (change.kind) {
    case Kind::create: {
      const std::string diff = unified_diff("", change.after, "/dev/null", "b/" + change.path);
      return diff.empty() ? "# Created: " + change.path + "\n" : diff;
    }
    case Kind::modify:
      return unified_diff(change.before, change.after, "a/" + change.path, "b/" + change.path);
    case Kind::remove: {
      const std::string diff = unified_diff(change.before, "", "a/" + change.path, "/dev/null");
      return diff.empty() ? "# Deleted: " + change.path + "\n" : diff;
    }
    case Kind::move:
      return "# Moved: " + change.from + " -> " + change.path + "\n" +
             unified_diff(change.before, change.after, "a/" + change.from, "b/" + change.path);
  }
  return "";
}

}  // namespace

std::expected<PatchPlan, std::string> plan_patch(const std::vector<PatchOperation>& operations,
                                                 const ReadPatchedFile& read) {
  Planner planner(read);
  for (const PatchOperation& operation : operations) planner.run(operation);
  return planner.finish();
}

std::string plan_diff(const PatchPlan& plan) {
  std::string diff;
  for (const FileChange& change : plan.changes) diff += diff_of(change);
  return diff;
}

}  // namespace talaria::edit
