#include "environment/ask_program.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "environment/child_end.h"
#include "os/file.h"
#include "os/own_process.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kMostWritten = 1u << 20;

// A file instead of a pipe: what the program leaves running may keep it open for ever.
std::string written_to(int file) {
  auto text = os::read_whole(file, kMostWritten);
  if (!text) return {};
  text->resize(std::min(text->find('\0'), text->size()));
  return std::move(*text);
}

int code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Task<Result<ProgramAnswer>> ask_program(ProgramCall call) {
  auto output = os::make_bounded_memory_file("talaria-answer", kMostWritten);
  if (!output) co_return fail(output.error());
  auto complaint = os::make_bounded_memory_file("talaria-complaint", kMostWritten);
  if (!complaint) co_return fail(complaint.error());

  os::UniqueFd input;
  if (!call.input.empty()) {
    auto made = os::make_memory_file("talaria-question", call.input);
    if (!made) co_return fail(made.error());
    ::lseek(made->get(), 0, SEEK_SET);
    input = std::move(*made);
  }

  os::SpawnSpec spec{.path = call.argv.front().c_str(),
                     .env = os::own_environment_with(call.added),
                     .fds = {input.get(), output->get(), complaint->get()}};
  for (const std::string& word : call.argv) spec.argv.push_back(word.c_str());
  const auto pid = os::spawn_process(spec);
  if (!pid) co_return fail(pid.error());
  os::ChildProcess process(*pid);  // an error below kills it
  Dismissal dismissal(call.cleans_up ? &process : nullptr, SIGTERM);
  const auto ended = co_await ends_within(process, call.patience);
  if (!ended && ended.error().kind() == ErrorKind::interrupted) {
    co_return fail(ErrorKind::interrupted, call.argv.front() + " was cancelled");
  }
  if (!ended) co_return fail(ended.error());
  if (!*ended) {
    co_return fail(ErrorKind::timed_out,
                   call.argv.front() + " did not finish in " + in_seconds(call.patience) + " s");
  }
  dismissal.cancel();
  ProgramAnswer answer{.code = code_of(process.wait()),
                       .output = written_to(output->get()),
                       .complaint = written_to(complaint->get())};
  while (answer.complaint.ends_with('\n')) answer.complaint.pop_back();
  co_return answer;
}

}  // namespace talaria::environment
