#include "tools/files/file_approval.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "shell/quote.h"
#include "tools/command_result.h"

namespace talaria::tool {
namespace {

bool is_inside(std::string_view path, std::string_view directory) {
  return directory.size() > 1 && path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

// As a word of a command: from the home directory of the target, whatever that is.
std::string absolute_word(const std::string& path, const LocatedFile& file) {
  if (path == file.home) return "~";
  if (!is_inside(path, file.home)) return shell::single_quote(path);
  return "~/" + shell::single_quote(std::string_view(path).substr(file.home.size() + 1));
}

// From the directory of the session, if it is below it: there a command may delete.
std::string relative_word(const std::string& path, const LocatedFile& file) {
  if (!is_inside(path, file.directory)) return absolute_word(path, file);
  return shell::single_quote(std::string_view(path).substr(file.directory.size() + 1));
}

// Both what was written and where it leads.
std::set<std::string> places_of(const LocatedFile& file, policy::FileAct act) {
  std::set<std::string> places{file.paths.path};
  const bool opens = act == policy::FileAct::write || act == policy::FileAct::read;
  if (opens) places.insert(file.paths.real);
  if (!file.paths.own.empty()) places.insert(file.paths.own);
  return places;
}

std::string as_commands(const std::vector<AskedChange>& changes) {
  std::string text;
  for (const AskedChange& change : changes) {
    const LocatedFile& file = *change.file;
    if (text.empty() && !file.directory.empty()) {
      text += "cd " + absolute_word(file.directory, file) + "\n";
    }
    for (const std::string& path : places_of(file, change.act)) {
      const std::string word = relative_word(path, file);
      if (change.act == policy::FileAct::remove) {
        text += (change.tree ? "rm -r " : "rm ") + word + "\n";
      } else if (change.act == policy::FileAct::write && change.tree) {
        text += "tar -C " + absolute_word(path, file) + " -xf -\n";
      } else if (change.act == policy::FileAct::read && change.tree) {
        text += "grep -r -e '' " + word + "\n";
      } else if (change.act == policy::FileAct::read && change.searched_for.empty()) {
        text += "cat " + word + "\n";
      } else if (change.act == policy::FileAct::read) {
        text += "grep -r -e " + shell::single_quote(change.searched_for) + " " + word + "\n";
      } else if (change.act == policy::FileAct::move && change.to != nullptr) {
        for (const std::string& to : places_of(*change.to, policy::FileAct::write)) {
          text += "mv " + word + " " + relative_word(to, *change.to) + "\n";
        }
      } else {
        text += "cat > " + absolute_word(path, file) + "\n";
      }
    }
  }
  return text;
}

std::string as_shown(std::string_view tool, const std::vector<AskedChange>& changes) {
  std::string text(tool);
  for (const AskedChange& change : changes) {
    text += &change == changes.data() ? " " : ", ";
    if (change.act == policy::FileAct::remove) text += "delete ";
    if (change.act == policy::FileAct::move) text += "move ";
    text += shell::shell_quote(change.file->paths.asked);
    if (change.file->paths.path != change.file->paths.real) {
      text += " (" + change.file->paths.real + ")";
    }
    if (!change.searched_for.empty()) text += " for " + shell::shell_quote(change.searched_for);
    if (change.to != nullptr) text += " to " + shell::shell_quote(change.to->paths.asked);
  }
  return text;
}

policy::CommandQuestion file_question(const FileCall& files, std::string_view tool,
                                      const std::vector<AskedChange>& changes,
                                      ApprovalDetail content) {
  const ToolCall& call = files.call();
  std::vector<ApprovalDetail> details;
  if (!content.text.empty()) details.push_back(std::move(content));
  return {.command = as_shown(tool, changes),
          .task = call.task(),
          .call = call.context.id,
          .config = call.config_or_defaults(),
          .session_key = call.context.session_key,
          .target = call.services.settings.target_of(call.task()),
          .cwd = changes.front().file->directory,
          .waits = call.context.waits_for_approval,
          .force = call.context.force,
          .session = {.directory = changes.front().file->directory},
          .judged = as_commands(changes),
          .details = std::move(details)};
}

}  // namespace

FileApproval::FileApproval(const FileCall& files, std::string_view tool,
                           const std::vector<AskedChange>& changes, ApprovalDetail content)
    : files_(files), question_(file_question(files, tool, changes, std::move(content))) {
  for (const AskedChange& change : changes) {
    for (const LocatedFile* file : {change.file, change.to}) {
      if (file != nullptr) places_.emplace_back(file->paths.asked, file->paths.real);
    }
  }
}

Task<std::optional<std::string>> FileApproval::decide() {
  ToolCall& call = files_.call();
  decision_ = co_await call.services.policy.decide(question_, call.cancel);
  if (!decision_.approved || !decision_.took_time) co_return std::nullopt;
  co_return co_await moved_meanwhile();
}

Task<Result<void>> FileApproval::allowed() {
  const auto flaw = co_await decide();
  if (decision_.approved && flaw) co_return fail(ErrorKind::unavailable, *flaw);
  if (decision_.approved) co_return Result<void>();
  std::string text = not_started_text(decision_);
  if (decision_.reason == policy::Reason::interrupted) {
    co_return fail(ErrorKind::interrupted, std::move(text));
  }
  co_return fail(policy::refusal(decision_, std::move(text)));
}

Task<std::optional<json::object>> FileApproval::refusal() {
  const auto flaw = co_await decide();
  if (decision_.approved && flaw) co_return json::object{{"error", *flaw}};
  if (decision_.approved) co_return std::nullopt;
  json::object result{{"error", sanitize_utf8(refusal_text(decision_))}};
  add_question(result, decision_);
  co_return result;
}

// What was agreed to is a change of these files, not of where their names lead by now.
Task<std::optional<std::string>> FileApproval::moved_meanwhile() const {
  for (const auto& [asked, real] : places_) {
    const auto now = co_await files_.locate(asked);
    if (now && now->paths.real == real) continue;
    co_return "The path '" + asked +
        "' leads elsewhere than when approval was asked for. Nothing "
        "was changed; call again.";
  }
  co_return std::nullopt;
}

std::vector<std::string> FileApproval::ended(const std::optional<std::string>& flaw) const {
  policy::CommandEnding ending{.exit_code = flaw ? 1 : 0, .cwd = question_.cwd};
  if (flaw) ending.error = *flaw;
  std::vector<std::string> notices =
      files_.call().services.policy.ended(question_, decision_, ending);
  notices.insert(notices.begin(), decision_.notices.begin(), decision_.notices.end());
  return notices;
}

void FileApproval::ended(json::object& result) const {
  const json::value* const error = result.if_contains("error");
  const bool failed = error != nullptr && error->is_string();
  add_notices(result, ended(failed ? std::optional(std::string(error->get_string()))
                                   : std::optional<std::string>()));
  add_approval(result, decision_);
}

}  // namespace talaria::tool
