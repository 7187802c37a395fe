// What an environment without a runner has instead: files that cannot be read or written, no
// background processes, and notices about that. `why`: the reason that there is no runner.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/event.h"
#include "environment/files.h"
#include "environment/plain/plain_script.h"
#include "environment/processes.h"

namespace talaria::environment::plain {

class PlainFiles final : public Files {
 public:
  explicit PlainFiles(std::string why) : why_(std::move(why)) {}

  Task<Result<std::optional<FileInfo>>> stat(TargetPath, bool, bool) override { co_return none(); }
  Task<Result<FileContent>> read(TargetPath, std::uint64_t, std::uint64_t,
                                 std::function<void(std::string_view)>, CancelToken) override {
    co_return none();
  }
  Task<Result<link::ReadLinesReport>> read_lines(link::ReadLines, CancelToken) override {
    co_return none();
  }
  Task<Result<link::SearchReport>> search(link::SearchFiles, CancelToken) override {
    co_return none();
  }
  Task<std::vector<Result<FileInfo>>> write(std::vector<FileToWrite> files, CancelToken) override {
    co_return std::vector<Result<FileInfo>>(files.size(), none());
  }
  Task<Result<link::LocateFileReport>> locate(link::LocateFile) override { co_return none(); }
  Task<Result<std::vector<FileInfo>>> change(std::vector<FileEdit>, CancelToken) override {
    co_return none();
  }
  Task<Result<void>> remove(std::vector<std::string>, std::string) override { co_return none(); }
  Task<Result<std::vector<FileInfo>>> list(FilesQuery, CancelToken) override { co_return none(); }

 private:
  std::unexpected<Error> none() const {
    return fail(ErrorKind::unavailable,
                "files cannot be read or written over the plain transport, which is used because "
                "no runner can be at this target (" +
                    why_ + "); use commands");
  }

  std::string why_;
};

class PlainProcesses final : public Processes {
 public:
  explicit PlainProcesses(std::string why) : why_(std::move(why)) {}

  void set_prepare(Prepare) override {}
  Task<Result<StartedProcess>> start(CommandSpec, ProcessSpec, CancelToken) override {
    co_return none();
  }
  Task<Result<StartedProcess>> start_as(std::string, CommandSpec, ProcessSpec,
                                        CancelToken) override {
    co_return fail(ErrorKind::unavailable,
                   "this target has no runner, which is required to run a command exactly once (" +
                       why_ + ")");
  }
  Task<Result<std::vector<ProcessInfo>>> list(ProcessQuery) override {
    co_return std::vector<ProcessInfo>();
  }
  Task<Result<ProcessInfo>> wait(ProcessQuery, CancelToken) override { co_return none(); }
  Task<Result<KilledProcess>> kill(std::string, std::string) override { co_return none(); }
  Task<Result<void>> signal(std::string, int) override { co_return none(); }
  Task<Result<OutputRead>> read(OutputQuery, OutputSink, CancelToken) override { co_return none(); }
  Task<Result<bool>> write(std::string, std::string, bool, CancelToken) override {
    co_return none();
  }
  Task<Result<void>> resize(std::string, ScreenSize) override { co_return none(); }
  // There are no events: a caller that follows them waits until it cancels.
  Task<Result<std::uint64_t>> events(EventQuery query, std::function<void(const NumberedEvent&)>,
                                     CancelToken cancel) override {
    if (!query.follow) co_return std::uint64_t{0};
    AsyncEvent cancelled;
    cancel.on_cancel([&cancelled] { cancelled.set(); });
    co_await cancelled.wait();
    cancel.on_cancel(nullptr);
    co_return fail(ErrorKind::interrupted, "the wait was cancelled");
  }
  Task<Result<void>> acknowledge(std::string, std::uint64_t) override { co_return Result<void>(); }
  std::string instance() const override { return {}; }

 private:
  std::unexpected<Error> none() const {
    return fail(ErrorKind::unavailable,
                "there are no background processes over the plain transport, which is used because "
                "no runner can be at this target (" +
                    why_ +
                    "); run the command in the foreground, or end it with & and redirect its input "
                    "and output: `COMMAND </dev/null >FILE 2>&1 &`");
  }

  std::string why_;
};

// What the first results say about it.
class PlainNotices {
 public:
  explicit PlainNotices(std::string why) : why_(std::move(why)) {}

  void add(const PlainTrailer& trailer, const CommandSpec& spec,
           std::vector<std::string>& notices) {
    if (!trailer.notice.empty()) notices.push_back(trailer.notice);
    if (spec.on_errors) {
      notices.emplace_back(
          "standard error came with standard output: the plain transport does not keep them apart");
    }
    if (!std::exchange(has_reason_, true)) {
      notices.push_back("this target is used without a runner (transport \"plain\"): " + why_ +
                        ". There are no background processes, terminals or files");
    }
    if (trailer.shell == "sh" && !std::exchange(has_shell_, true)) {
      notices.emplace_back(
          "this target has no bash (4.0 or newer), so commands run in sh. A session keeps its "
          "directory, exported variables, aliases, umask and the options -a, -f and -C, but not "
          "its functions");
    }
  }

 private:
  std::string why_;
  bool has_reason_ = false;  // it was reported, as was the shell
  bool has_shell_ = false;
};

}  // namespace talaria::environment::plain
