// patch with mode patch: many files, all or nothing.
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/off_loop.h"
#include "base/sha256.h"
#include "base/text.h"
#include "edit/v4a.h"
#include "edit/v4a_plan.h"
#include "tools/arguments.h"
#include "tools/files/content_bytes.h"
#include "tools/files/file_approval.h"
#include "tools/files/lint.h"
#include "tools/files/patch_call.h"

namespace talaria::tool {
namespace {

// The files a patch names, by the names it has for them.
using Located = std::map<std::string, LocatedFile>;
using Contents = std::map<std::string, Result<std::optional<std::string>>>;

policy::FileAct act_of(const edit::PatchOperation& operation) {
  switch (operation.action) {
    case edit::PatchAction::remove:
      return policy::FileAct::remove;
    case edit::PatchAction::move:
      return policy::FileAct::move;
    case edit::PatchAction::add:
    case edit::PatchAction::update:
      break;
  }
  return operation.move_to.empty() ? policy::FileAct::write : policy::FileAct::move;
}

std::optional<std::string> denied_of(const FileCall& files, const Located& located,
                                     const std::vector<edit::PatchOperation>& operations) {
  for (const edit::PatchOperation& operation : operations) {
    for (const std::string& path : {operation.path, operation.move_to}) {
      if (path.empty()) continue;
      if (auto denied = files.change_denied(located.at(path), act_of(operation))) return denied;
    }
  }
  return std::nullopt;
}

// Each file gets the name the patch has for it first. By two names, as "f" and "/srv/f", it would
// be planned as two files, and the change of one would undo that of the other.
void use_one_name(std::vector<edit::PatchOperation>& operations, Located& located) {
  std::map<std::string, std::string> names;  // by where they lead
  const std::vector<std::string> as_written = edit::patch_paths(operations);
  for (const std::string& name : as_written) names.emplace(located.at(name).paths.path, name);
  for (edit::PatchOperation& operation : operations) {
    for (std::string* name : {&operation.path, &operation.move_to}) {
      if (!name->empty()) *name = names.at(located.at(*name).paths.path);
    }
  }
  std::erase_if(
      located, [&](const auto& entry) { return names.at(entry.second.paths.path) != entry.first; });
}

// Links that lead to one file would be planned as two files.
std::optional<std::string> alias_in(const Located& located) {
  std::map<std::string, const LocatedFile*> known;
  for (const auto& [name, file] : located) {
    const auto [at, is_new] = known.emplace(file.real(), &file);
    if (is_new) continue;
    return "'" + at->second->paths.asked + "' and '" + name +
           "' are the same file; use one name for it";
  }
  return std::nullopt;
}

Task<std::expected<Located, std::string>> locate_all(
    const FileCall& files, std::vector<edit::PatchOperation>& operations) {
  Located located;
  for (const std::string& path : edit::patch_paths(operations)) {
    auto file = co_await files.locate(path);
    if (!file) co_return std::unexpected(file.error().message());
    located.emplace(path, std::move(*file));
  }
  use_one_name(operations, located);
  for (auto& [path, file] : located) {
    const bool takes_away = std::ranges::any_of(operations, [&](const edit::PatchOperation& one) {
      return one.path == path && act_of(one) != policy::FileAct::write;
    });
    if (!takes_away) continue;
    const auto found = co_await files.find_own_place(file);
    if (!found) co_return std::unexpected(found.error().message());
  }
  co_return located;
}

Task<Contents> read_all(const FileCall& files, const Located& located) {
  Contents contents;
  for (const auto& [path, file] : located) {
    if (!file.found) {
      contents.emplace(path, std::optional<std::string>());
      continue;
    }
    auto bytes = co_await read_bytes(files, file, kMaxEditBytes);
    if (bytes) {
      contents.emplace(path, std::optional(std::move(*bytes)));
    } else {
      contents.emplace(path, fail(bytes.error()));
    }
  }
  co_return contents;
}

environment::FileEdit edit_of(const Located& located, const edit::FileChange& change) {
  using Kind = edit::FileChange::Kind;
  const LocatedFile& file = located.at(change.path);
  environment::FileEdit edit{.path = file.paths.path, .expected = sha256_hex(change.before)};
  switch (change.kind) {
    case Kind::create:
      edit.kind = link::ChangeKind::create;
      edit.expected.clear();
      edit.content = change.after;
      break;
    case Kind::modify:
      edit.kind = link::ChangeKind::modify;
      edit.content = change.after;
      break;
    case Kind::remove:
      edit.kind = link::ChangeKind::remove;
      break;
    case Kind::move:
      edit.kind = link::ChangeKind::move;
      edit.from = located.at(change.from).paths.path;
      if (change.after != change.before) edit.content = change.after;
      break;
  }
  return edit;
}

// The path of the first that does not hold what was meant, or nothing.
Task<std::optional<std::string>> first_wrong(const FileCall& files, const Located& located,
                                             const edit::PatchPlan& plan) {
  for (const edit::FileChange& change : plan.changes) {
    if (change.kind == edit::FileChange::Kind::remove) continue;
    if (change.kind == edit::FileChange::Kind::move && change.after == change.before) continue;
    if (co_await is_there(files, located.at(change.path).paths.path, change.after)) continue;
    co_return change.path;
  }
  co_return std::nullopt;
}

Task<void> remember(const FileCall& files, const Located& located, const edit::PatchPlan& plan) {
  if (files.call().files == nullptr) co_return;
  for (const edit::FileChange& change : plan.changes) {
    if (!change.from.empty()) files.note_removed(located.at(change.from));
    if (change.kind == edit::FileChange::Kind::remove) files.note_removed(located.at(change.path));
  }
  for (const edit::FileChange& change : plan.changes) {
    if (change.kind == edit::FileChange::Kind::remove) continue;
    const LocatedFile& file = located.at(change.path);
    const FileStamp stamp = co_await files.stamp(file.real());
    files.note_written(file, stamp);
    if (files.memory() != nullptr) files.memory()->edit_succeeded(files.call().task(), file.key);
  }
}

Task<json::object> lint_all(const FileCall& files, const Located& located,
                            const edit::PatchPlan& plan) {
  json::object all;
  for (const edit::FileChange& change : plan.changes) {
    if (change.kind == edit::FileChange::Kind::remove) continue;
    if (change.kind == edit::FileChange::Kind::move && change.after == change.before) continue;
    const std::string& path = located.at(change.path).real();
    all[sanitize_utf8(path)] = co_await lint(files, path, change.after, nullptr);
  }
  co_return all;
}

void add_lists(json::object& result, const Located& located, const edit::PatchPlan& plan) {
  json::array modified;
  json::array created;
  json::array deleted;
  for (const edit::FileChange& change : plan.changes) {
    const std::string path = sanitize_utf8(located.at(change.path).real());
    switch (change.kind) {
      case edit::FileChange::Kind::create:
        created.emplace_back(path);
        break;
      case edit::FileChange::Kind::modify:
        modified.emplace_back(path);
        break;
      case edit::FileChange::Kind::remove:
        deleted.emplace_back(sanitize_utf8(located.at(change.path).paths.path));
        break;
      case edit::FileChange::Kind::move:
        modified.emplace_back(sanitize_utf8(located.at(change.from).paths.path) + " -> " + path);
        break;
    }
  }
  if (!modified.empty()) result["files_modified"] = std::move(modified);
  if (!created.empty()) result["files_created"] = std::move(created);
  if (!deleted.empty()) result["files_deleted"] = std::move(deleted);
}

std::string warnings_of(const FileCall& files, const Located& located) {
  std::string all;
  for (const auto& [path, file] : located) {
    const std::string one = files.warning(file);
    if (!one.empty()) all += (all.empty() ? "" : " | ") + one;
  }
  return all;
}

bool has_secret_file(const FileCall& files, const Located& located) {
  for (const auto& [path, file] : located) {
    if (files.read_denied(file)) return true;
  }
  return false;
}

// The files, and the patch itself.
std::size_t bytes_of(const Contents& contents, const FileCall& files) {
  std::size_t bytes = text_argument(files.call().arguments, "patch").size();
  for (const auto& [path, content] : contents) {
    if (content && *content) bytes += (*content)->size();
  }
  return bytes;
}

std::size_t bytes_of(const edit::PatchPlan& plan) {
  std::size_t bytes = 0;
  for (const edit::FileChange& change : plan.changes) {
    bytes += change.before.size() + change.after.size();
  }
  return bytes;
}

bool changed_since(const Contents& before, const Contents& now) {
  for (const auto& [path, content] : before) {
    if (!content || !now.at(path)) continue;
    if (*content != *now.at(path)) return true;
  }
  return false;
}

std::string not_applied(const Error& error) {
  const bool taken_back =
      error.kind() != ErrorKind::runner_lost && !error.message().contains(link::kNotTakenBack);
  return std::string("Apply phase failed (") +
         (taken_back ? "everything was taken back; no files were modified"
                     : "state may be inconsistent — run `git diff` to assess") +
         "):\n  • " + error.message();
}

// What was changed, or the answer that says why nothing was. An empty answer: somebody else changed
// a file meanwhile.
Task<std::expected<edit::PatchPlan, json::object>> try_once(
    const FileCall& files, const Located& located,
    const std::vector<edit::PatchOperation>& operations, bool is_secret) {
  const Contents contents = co_await read_all(files, located);
  std::vector<environment::FileEdit> edits;
  auto plan = co_await off_loop_if_large(bytes_of(contents, files), [&] {
    auto made =
        edit::plan_patch(operations, [&](const std::string& path) { return contents.at(path); });
    if (!made) return made;
    for (const edit::FileChange& change : made->changes) edits.push_back(edit_of(located, change));
    return made;
  });
  if (!plan) {
    co_return std::unexpected(not_patched(shown_change(files, plan.error(), is_secret)));
  }
  if (edits.empty()) co_return std::move(*plan);
  for (std::size_t i = 0; i < edits.size(); ++i) {
    if (edits[i].kind != link::ChangeKind::create) continue;
    edits[i].mode = new_file_mode(files, located.at(plan->changes[i].path));
  }
  const auto changed = co_await files.files().change(std::move(edits), files.call().cancel);
  if (changed) co_return std::move(*plan);
  const Contents now = co_await read_all(files, located);
  if (changed_since(contents, now)) co_return std::unexpected(json::object());
  co_return std::unexpected(not_patched(not_applied(changed.error())));
}

std::vector<AskedChange> changes_of(const Located& located,
                                    const std::vector<edit::PatchOperation>& operations) {
  std::vector<AskedChange> changes;
  for (const edit::PatchOperation& operation : operations) {
    AskedChange change{.act = act_of(operation), .file = &located.at(operation.path)};
    if (!operation.move_to.empty()) change.to = &located.at(operation.move_to);
    changes.push_back(change);
  }
  return changes;
}

Task<json::object> apply_patch(const FileCall& files, const Located& located,
                               const std::vector<edit::PatchOperation>& operations) {
  const bool is_secret = has_secret_file(files, located);
  const std::string warning = warnings_of(files, located);
  std::expected<edit::PatchPlan, json::object> plan;
  for (int tries = 0; tries < kMostTries; ++tries) {
    plan = co_await try_once(files, located, operations, is_secret);
    if (plan || !plan.error().empty()) break;
  }
  if (!plan && plan.error().empty()) {
    co_return not_patched("The files were changed again and again meanwhile; nothing was applied");
  }
  if (!plan) co_return std::move(plan.error());
  if (const auto wrong = co_await first_wrong(files, located, *plan)) {
    co_return not_patched(not_verified(*wrong));
  }
  co_await remember(files, located, *plan);
  json::object result{{"success", true}};
  result["diff"] = co_await off_loop_if_large(
      bytes_of(*plan), [&] { return shown_change(files, edit::plan_diff(*plan), is_secret); });
  add_lists(result, located, *plan);
  json::object checks = co_await lint_all(files, located, *plan);
  if (!checks.empty()) result["lint"] = std::move(checks);
  if (!warning.empty()) result["_warning"] = warning;
  if (located.size() == 1) {
    const policy::RuledPath& paths = located.begin()->second.paths;
    const bool removed = !plan->changes.empty() &&  // which a link is itself
                         plan->changes.front().kind == edit::FileChange::Kind::remove;
    result["resolved_path"] = sanitize_utf8(removed ? paths.path : paths.real);
  }
  co_return result;
}

}  // namespace

Task<json::object> patch_v4a(const FileCall& files) {
  const std::string patch = text_argument(files.call().arguments, "patch");
  auto operations =
      co_await off_loop_if_large(patch.size(), [&] { return edit::parse_patch(patch); });
  if (!operations) co_return not_patched(operations.error());
  if (const auto traversal = edit::find_traversal(*operations)) {
    co_return json::object{{"error", *traversal}};
  }
  const auto located = co_await locate_all(files, *operations);
  if (!located) co_return not_patched(located.error());
  if (const auto denied = denied_of(files, *located, *operations)) co_return not_patched(*denied);
  if (const auto alias = alias_in(*located)) co_return not_patched(*alias);
  if (operations->empty()) co_return co_await apply_patch(files, *located, *operations);

  FileApproval approval(files, "patch", changes_of(*located, *operations),
                        {.name = "patch", .text = patch});
  if (const auto refused = co_await approval.refusal()) co_return not_allowed(*refused);
  json::object result = co_await apply_patch(files, *located, *operations);
  approval.ended(result);
  co_return result;
}

}  // namespace talaria::tool
