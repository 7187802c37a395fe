// FileCall: what the file tools share. The task's environment, where a path leads there, which
// files are left alone, and what the task knows of them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "policy/file_rules.h"
#include "tools/files/file_memory.h"
#include "tools/tool.h"

namespace talaria::tool {

// A path of a call, and what it leads to.
struct LocatedFile {
  policy::RuledPath paths;
  std::string key;        // what FileMemory knows it by
  std::string directory;  // of the session: what relative paths are below
  std::string home;
  bool found = false;
  bool is_directory = false;
  bool is_regular = false;
  bool has_parent = false;
  std::uint64_t size = 0;
  FileStamp stamp;
  std::optional<std::uint32_t> umask;
  std::vector<std::string> neighbours;
  std::optional<link::ReadLinesReport> lines;  // those that were asked for, if they are its own

  const std::string& real() const { return paths.real; }
};

class FileCall {
 public:
  // An error: the environment is unavailable.
  static Task<Result<FileCall>> open(ToolCall& call);

  environment::Files& files() const { return environment_->files(); }
  environment::Environment& environment() const { return *environment_; }
  const host::Config& config() const { return *config_; }
  ToolCall& call() const { return *call_; }

  // `neighbours`: so many names of what is beside it, if it is not there. `window`: which lines of
  // it are wanted as well.
  Task<Result<LocatedFile>> locate(std::string path, std::size_t neighbours = 0,
                                   std::optional<link::ReadLines> window = std::nullopt) const;
  // Finds out where the link itself is that is at the path, for those who remove or move it.
  Task<Result<void>> find_own_place(LocatedFile& file) const;
  // As it is after it was changed, or an empty one.
  Task<FileStamp> stamp(std::string path) const;

  policy::RuledPlace place(const LocatedFile& file) const;
  std::optional<std::string> read_denied(const LocatedFile& file) const;
  std::optional<std::string> change_denied(const LocatedFile& file, policy::FileAct act) const;

  // What to say before the file is written over: that it is not what was read, or elsewhere than a
  // relative path makes one think. Empty: nothing.
  std::string warning(const LocatedFile& file) const;

  // Whose memory is asked and added to; null: nobody's. A model may go round in circles; a script
  // may do so on purpose, and what it sees the model has not seen.
  FileMemory* memory() const { return call_->from_script ? nullptr : call_->files; }
  // The file was changed by this call, and is as `stamp` says; or it was removed. The model has to
  // know what a script changed: it is warned before it writes over that.
  void note_written(const LocatedFile& file, const FileStamp& stamp) const;
  void note_removed(const LocatedFile& file) const;

 private:
  FileCall(ToolCall& call, host::ConfigPtr config, host::EnvironmentPtr environment);

  ToolCall* call_;
  host::ConfigPtr config_;
  host::EnvironmentPtr environment_;
  std::string key_;
};

}  // namespace talaria::tool
