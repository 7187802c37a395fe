// patch with mode replace: one text of one file.
#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/off_loop.h"
#include "base/sha256.h"
#include "base/text.h"
#include "edit/diff.h"
#include "edit/replace.h"
#include "edit/shown.h"
#include "tools/arguments.h"
#include "tools/files/content_bytes.h"
#include "tools/files/file_approval.h"
#include "tools/files/lint.h"
#include "tools/files/patch_call.h"

namespace talaria::tool {
namespace {

constexpr int kEscalateAt = 3;  // failures in a row

// What to try next, for a text that was not found.
void add_hint(json::object& result, const FileCall& files, const LocatedFile& file,
              const edit::EditFailure& failure) {
  if (failure.kind != edit::EditFailureKind::not_found) return;
  const int failures =
      files.memory() != nullptr ? files.memory()->edit_failed(files.call().task(), file.key) : 1;
  if (failures >= kEscalateAt) {
    result["_hint"] = "This is failure #" + std::to_string(failures) + " patching '" +
                      file.paths.asked +
                      "'. Stop guessing: read the file again with read_file and copy the lines "
                      "exactly, or write it anew with write_file.";
  } else if (!failure.message.contains("Did you mean")) {
    result["_hint"] =
        "old_string not found. Use read_file to verify the current content, or search_files to "
        "locate the text.";
  }
}

struct Edited {
  std::string before;
  std::string after;
};

// What is to be written, and to be sent for that.
struct Change {
  std::string after;
  std::vector<environment::FileEdit> edits;
};

edit::Edit<Change> change_of(const LocatedFile& file, const std::string& before,
                             const edit::Replacement& replacement) {
  auto replaced = edit::replace_text(before, replacement);
  if (!replaced) return std::unexpected(std::move(replaced.error()));
  Change change{.after = std::move(replaced->content)};
  change.edits.push_back({.kind = link::ChangeKind::modify,
                          .path = file.real(),
                          .content = change.after,
                          .expected = sha256_hex(before)});
  return change;
}

std::size_t bytes_of(const edit::Replacement& replacement) {
  return replacement.old_text.size() + replacement.new_text.size();
}

// One try. An empty error: somebody else changed the file meanwhile.
Task<std::expected<Edited, json::object>> try_once(const FileCall& files, const LocatedFile& file,
                                                   const edit::Replacement& replacement,
                                                   bool is_secret) {
  auto before = co_await read_bytes(files, file, kMaxEditBytes);
  if (!before) {
    const bool missing = before.error().kind() == ErrorKind::not_found;
    co_return std::unexpected(not_patched("Failed to read file: " + file.paths.asked +
                                          (missing ? "" : ": " + before.error().message())));
  }
  auto change = co_await off_loop_if_large(before->size() + bytes_of(replacement),
                                           [&] { return change_of(file, *before, replacement); });
  if (!change) {
    const std::string why = edit::with_places(change.error());
    json::object result = not_patched(shown_change(files, why, is_secret));
    add_hint(result, files, file, change.error());
    co_return std::unexpected(std::move(result));
  }
  const auto changed = co_await files.files().change(std::move(change->edits), files.call().cancel);
  if (changed) co_return Edited{std::move(*before), std::move(change->after)};
  const auto now = co_await read_bytes(files, file, kMaxEditBytes);
  if (now && *now != *before) co_return std::unexpected(json::object());
  co_return std::unexpected(not_patched("Failed to write file: " + changed.error().message()));
}

Task<json::object> describe(const FileCall& files, const LocatedFile& file, Edited edited,
                            std::string warning, bool is_secret) {
  const std::string& name = file.paths.asked;
  json::object result{{"success", true}};
  result["diff"] = co_await off_loop_if_large(edited.before.size() + edited.after.size(), [&] {
    return shown_change(files,
                        edit::unified_diff(edited.before, edited.after, "a/" + name, "b/" + name),
                        is_secret);
  });
  result["files_modified"] = json::array{json::string(sanitize_utf8(file.real()))};
  result["lint"] = co_await lint(files, file.real(), edited.after,
                                 lint_compares(file.real()) ? &edited.before : nullptr);
  if (!warning.empty()) result["_warning"] = warning;
  result["resolved_path"] = sanitize_utf8(file.real());
  co_return result;
}

Task<json::object> replace_in(const FileCall& files, const LocatedFile& file,
                              const edit::Replacement& replacement) {
  const std::string& path = file.paths.asked;
  std::string warning = files.warning(file);
  const bool is_secret = files.read_denied(file).has_value();
  std::expected<Edited, json::object> edited;
  for (int tries = 0; tries < kMostTries; ++tries) {
    edited = co_await try_once(files, file, replacement, is_secret);
    if (edited || !edited.error().empty()) break;
  }
  if (!edited && edited.error().empty()) {
    co_return not_patched("Failed to write file: " + path +
                          ": it was changed again and again meanwhile");
  }
  if (!edited) co_return std::move(edited.error());
  if (!co_await is_there(files, file.real(), edited->after)) {
    co_return not_patched(not_verified(path));
  }
  if (files.call().files != nullptr) {
    const FileStamp stamp = co_await files.stamp(file.real());
    files.note_written(file, stamp);
    if (files.memory() != nullptr) files.memory()->edit_succeeded(files.call().task(), file.key);
  }
  co_return co_await describe(files, file, std::move(*edited), std::move(warning), is_secret);
}

}  // namespace

Task<json::object> patch_replace(const FileCall& files) {
  const json::object& arguments = files.call().arguments;
  const std::string old_text = text_argument(arguments, "old_string");
  const std::string new_text = text_argument(arguments, "new_string");
  const json::value* all = given(arguments, "replace_all");
  const edit::Replacement replacement{old_text, new_text, all != nullptr && is_true(*all)};

  const auto file = co_await files.locate(text_argument(arguments, "path"));
  if (!file) co_return not_patched(file.error().message());
  if (const auto denied = files.change_denied(*file, policy::FileAct::write)) {
    co_return not_patched(*denied);
  }
  const std::string change = co_await off_loop_if_large(bytes_of(replacement), [&] {
    return edit::unified_diff(old_text, new_text, "old_string", "new_string");
  });
  FileApproval approval(
      files, "patch", {{.file = &*file}},
      {.name = replacement.all ? "replaced everywhere" : "replaced", .text = change});
  if (const auto refused = co_await approval.refusal()) co_return not_allowed(*refused);
  json::object result = co_await replace_in(files, *file, replacement);
  approval.ended(result);
  co_return result;
}

}  // namespace talaria::tool
