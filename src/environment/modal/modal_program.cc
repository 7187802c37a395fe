#include "environment/modal/modal_program.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "json/fields.h"
#include "json/json_text.h"
#include "os/find_program.h"
#include "shell/quote.h"

namespace talaria::environment::modal {
namespace {

using std::chrono::seconds;

constexpr const char* kProgram = "talaria-modal";
constexpr auto kPatience = seconds(60);             // with what is answered at once
constexpr auto kMakingPatience = seconds(30 * 60);  // an image may have to be built first
constexpr auto kSnapshotLimit = seconds(60);
constexpr auto kTerminateLimit = seconds(15);
constexpr auto kSlack = seconds(10);  // its own limit comes first
constexpr std::size_t kShownProgress = 2000;

// What it was doing when it failed, as far as it said: the lines of an image's build.
std::string end_of(const std::string& progress) {
  return progress.substr(progress.size() - std::min(progress.size(), kShownProgress));
}

ModalFailure own_failure(Error error) { return {.error = std::move(error)}; }

// An answer that lacks what it has to have.
ModalFailure odd(std::string_view verb) {
  return own_failure(Error(ErrorKind::unavailable, std::string(kProgram) + " " + std::string(verb) +
                                                       ": an unexpected answer"));
}

std::string failure_message(const std::string& call, const std::string& status,
                            const std::string& reason) {
  std::string message = "Modal";
  for (const std::string* part : {&call, &status, &reason}) {
    if (!part->empty()) message += ": " + *part;
  }
  return message;
}

}  // namespace

Result<std::string> find_modal_program() {
  std::error_code unknown;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", unknown);
  const std::filesystem::path here = own.parent_path();
  for (const auto& place : {here / kProgram, here / "../libexec/talaria" / kProgram}) {
    std::string path = place.lexically_normal().string();
    if (!unknown && os::is_program(path)) return path;
  }
  if (auto found = os::find_program(kProgram)) return std::move(*found);
  return fail(
      ErrorKind::unavailable,
      "target modal needs the program " + std::string(kProgram) +
          ", which was not found beside talaria, in ../libexec/talaria or in PATH. Install it, or "
          "build Talaria from its source after `scripts/install-deps modal`");
}

ModalFailure modal_failure(const ProgramAnswer& answer, std::string_view verb) {
  std::string progress;
  for (std::string_view rest = answer.complaint; !rest.empty();) {
    const std::string_view line = next_word(rest, '\n');
    const auto said = parse_object(line, kProgram);
    if (said && said->contains("progress")) progress += text_field(*said, "progress") + "\n";
    const json::value* const error = said ? said->if_contains("error") : nullptr;
    if (!error || !error->is_object()) continue;
    const json::object& facts = error->get_object();
    ModalFailure failure{.error = Error(ErrorKind::unavailable, ""),
                         .call = text_field(facts, "call"),
                         .status = text_field(facts, "status")};
    ErrorKind kind = kind_from_name(text_field(facts, "kind"));
    std::string message =
        failure_message(failure.call, failure.status, text_field(facts, "message"));
    if (kind == ErrorKind::denied) {
      message +=
          ". Are MODAL_TOKEN_ID and MODAL_TOKEN_SECRET, or the profile in ~/.modal.toml, those of "
          "this account?";
      kind = ErrorKind::unavailable;  // no policy of ours has refused anything
    }
    if (failure.call.starts_with("Image") && !trim(progress).empty()) {
      message += "\nThe build said: " + std::string(trim(end_of(progress)));
    }
    failure.error = Error(kind, std::move(message));
    return failure;
  }
  const std::string code = std::to_string(answer.code);
  return own_failure(Error(ErrorKind::unavailable,
                           std::string(kProgram) + " " + std::string(verb) + " ended with code " +
                               code +
                               (answer.complaint.empty() ? "" : ": " + end_of(answer.complaint))));
}

std::vector<std::string> ModalProgram::variables() const {
  std::vector<std::string> entries{
      "MODAL_TOKEN_ID=" + std::string(account_.token_id.view()),
      "MODAL_TOKEN_SECRET=" + std::string(account_.token_secret.view()),
      "MODAL_SERVER_URL=" + account_.server_url, "MODAL_ENVIRONMENT=" + account_.environment};
  if (!account_.image_builder_version.empty()) {
    entries.push_back("MODAL_IMAGE_BUILDER_VERSION=" + account_.image_builder_version);
  }
  return entries;
}

Task<ModalResult<json::object>> ModalProgram::ask(std::vector<std::string> arguments,
                                                  std::string input,
                                                  std::chrono::milliseconds patience) const {
  const std::string verb = arguments.front();
  ProgramCall call{.argv = {path_},
                   .added = variables(),
                   .patience = patience,
                   .input = std::move(input),
                   .cleans_up = verb == "create"};
  std::ranges::move(arguments, std::back_inserter(call.argv));
  const auto answer = co_await ask_program(std::move(call));
  if (!answer) co_return std::unexpected(own_failure(answer.error()));
  if (answer->code != 0) co_return std::unexpected(modal_failure(*answer, verb));
  auto said = parse_object(answer->output, std::string(kProgram) + " " + verb);
  if (!said) co_return std::unexpected(own_failure(said.error()));
  co_return std::move(*said);
}

Task<ModalResult<MadeSandbox>> ModalProgram::create(json::object request) const {
  const auto said = co_await ask({"create"}, to_line(request) + "\n", kMakingPatience);
  if (!said) co_return std::unexpected(said.error());
  MadeSandbox made{.sandbox = text_field(*said, "sandbox"), .image = text_field(*said, "image")};
  if (made.sandbox.empty()) co_return std::unexpected(odd("create"));
  co_return made;
}

Task<ModalResult<std::optional<std::string>>> ModalProgram::find(std::string app,
                                                                 std::string name) const {
  const auto said =
      co_await ask({"find", "--app", std::move(app), "--name", std::move(name)}, "", kPatience);
  if (!said) co_return std::unexpected(said.error());
  std::string sandbox = text_field(*said, "sandbox");
  if (sandbox.empty() || !flag_field(*said, "running")) co_return std::nullopt;
  co_return std::optional(std::move(sandbox));
}

Task<ModalResult<SandboxState>> ModalProgram::look(std::string sandbox) const {
  const auto said = co_await ask({"look", "--sandbox", std::move(sandbox)}, "", kPatience);
  if (!said) co_return std::unexpected(said.error());
  co_return SandboxState{.running = flag_field(*said, "running"),
                         .result = text_field(*said, "result"),
                         .message = text_field(*said, "message")};
}

Task<ModalResult<std::string>> ModalProgram::snapshot(std::string sandbox) const {
  const auto said = co_await ask({"snapshot", "--sandbox", std::move(sandbox), "--limit-s",
                                  std::to_string(kSnapshotLimit.count())},
                                 "", kSnapshotLimit + kSlack);
  if (!said) co_return std::unexpected(said.error());
  std::string image = text_field(*said, "image");
  if (image.empty()) co_return std::unexpected(odd("snapshot"));
  co_return image;
}

Task<ModalResult<void>> ModalProgram::terminate(std::string sandbox) const {
  const auto said = co_await ask({"terminate", "--sandbox", std::move(sandbox), "--limit-s",
                                  std::to_string(kTerminateLimit.count())},
                                 "", kTerminateLimit + kSlack);
  if (!said) co_return std::unexpected(said.error());
  co_return ModalResult<void>();
}

carrier::CarrierCommand ModalProgram::exec_in(const std::string& sandbox) const {
  return {.command = shell::single_quote(path_) + " exec --sandbox " +
                     shell::single_quote(sandbox) + " --",
          .added = variables(),
          .ends_by_itself = true};
}

}  // namespace talaria::environment::modal
