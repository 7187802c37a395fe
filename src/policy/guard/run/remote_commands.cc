#include "policy/guard/run/remote_commands.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "policy/guard/run/wrapper.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

struct RemoteRunner {
  std::string_view programs;
  std::string_view verbs = "";    // one of its sub-commands has to come first
  std::string_view letters = "";  // of the options that take a value
  std::string_view names = "";    // and their long names
  std::size_t operands = 0;       // of its own before the command
  bool as_words = false;          // no shell reads them there
  bool behind_dashes = false;     // the command stands behind "--"
};
constexpr RemoteRunner kRemoteRunners[] = {
    {.programs = "pdsh dsh", .letters = "wxgXftulSRPoFMm", .names = "machine group file"},
    {.programs = "clush nodeset",
     .letters = "wgxXlfotuOm",
     .names = "hostfile group worker user fanout timeout options mode"},
    {.programs = "pssh parallel-ssh pslurp prsync",
     .letters = "hHlptoeOxg",
     .names = "hosts host user par timeout outdir errdir options extra-args"},
    {.programs = "mosh et autossh",
     .letters = "pM",
     .names = "ssh port client server predict family",
     .operands = 1,
     .as_words = true},
    {.programs = "rsh remsh rexec krsh", .letters = "lpk", .operands = 1},
    {.programs = "fab", .letters = "Hif", .behind_dashes = true},
    {.programs = "knife", .verbs = "ssh", .letters = "xipPaGNACs", .operands = 1},
    {.programs = "multipass limactl colima incus machinectl sbx devcontainer distrobox",
     .verbs = "exec shell ssh",
     .letters = "unEc",
     .names = "workdir working-directory user uid env workspace-folder",
     .operands = 1,
     .as_words = true},
    {.programs = "heroku railway scalingo", .verbs = "run", .letters = "arse", .names = "app"},
    {.programs = "adb", .verbs = "shell", .letters = "stHP"},
    {.programs = "wsl wsl.exe", .letters = "du", .names = "distribution user cd exec"},
    {.programs = "juju", .verbs = "exec run ssh", .letters = "m", .names = "unit application"},
    {.programs = "eb cf", .verbs = "ssh", .letters = "c", .behind_dashes = true},
};

const RemoteRunner* find_runner(std::string_view program) {
  const auto* const found = std::ranges::find_if(
      kRemoteRunners, [&](const RemoteRunner& one) { return among(program, one.programs); });
  return found == std::end(kRemoteRunners) ? nullptr : found;
}

// salt '*' cmd.run 'text'
void add_salt(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const bool raw = among(command.word(i), "-r --raw --raw-shell");
    if (!command.word(i).starts_with("cmd.") && !raw) continue;
    std::string text;
    for (const SeenWord& word : words_from(command, i + 1)) text += word.text + " ";
    inner.push_back(run_text({std::move(text)}, true));
    return;
  }
}

}  // namespace

bool runs_remotely(std::string_view program) {
  return program.starts_with("salt") || find_runner(program) != nullptr;
}

void add_remote_commands(const SeenCommand& command, std::vector<InnerCommand>& inner) {
  if (command.program.starts_with("salt")) return add_salt(command, inner);
  const RemoteRunner* const runner = find_runner(command.program);
  if (runner == nullptr) return;
  std::vector<std::string_view> views;
  for (const SeenWord& word : command.words) views.emplace_back(word.text);
  const OptionValues values{runner->letters, runner->names};
  std::size_t at = behind_options(views, 1, values);
  if (!runner->verbs.empty()) {
    if (!among(command.word(at), runner->verbs)) return;
    at = behind_options(views, at + 1, values);
  }
  for (std::size_t i = 0; i < runner->operands; ++i) at = behind_options(views, at + 1, values);
  if (runner->behind_dashes) {
    at = static_cast<std::size_t>(std::ranges::find(views, "--") - views.begin()) + 1;
  }
  if (command.word(at) == "--") ++at;
  if (runner->as_words && at < command.words.size()) {
    inner.push_back({.words = words_from(command, at), .elsewhere = true});
    return;
  }
  std::string text;
  for (const SeenWord& word : words_from(command, at)) text += word.text + " ";
  if (!text.empty()) {
    inner.push_back(run_text({std::move(text)}, true));
  } else if (command.input.text) {
    inner.push_back(run_text({*command.input.text}, true));
  }
}

}  // namespace talaria::guard
