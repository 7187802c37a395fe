// FileMemory: what each task has read and changed of files while this program runs. A model that
// repeats a read is answered so, and warned when it is about to overwrite something it has not
// read. It never decides whether a file may be changed.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "tools/files/bounded_map.h"

namespace talaria::tool {

// Identifies a file and its state.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

class FileMemory {
 public:
  using Clock = std::chrono::system_clock;

  // What a model that repeats itself is answered. `count`: how often it has asked by now.
  enum class Repetition { none, warn, unchanged };
  struct Verdict {
    Repetition repetition = Repetition::none;
    int count = 1;
  };

  // A model has read this part of a file. `digest` is that of what it would be shown. `refresh`: it
  // is shown in any case.
  Verdict read(const std::string& task, const std::string& file, const std::string& part,
               const FileStamp& stamp, const std::string& digest, bool refresh = false);
  // A model is about to search.
  Verdict search(const std::string& task, const std::string& query);
  // It may have lost what it has read: that is shown again.
  void forget_reads(const std::string& task);
  // It did something else in between.
  void other_tool(const std::string& task);

  // What a task knows of a file from now on.
  void saw(const std::string& task, const std::string& file, const FileStamp& stamp, bool partial);
  void wrote(const std::string& task, const std::string& file, const FileStamp& stamp);
  void removed(const std::string& task, const std::string& file);
  // A script of the task has changed it. What the task knows of it is now stale.
  void changed_by_script(const std::string& task, const std::string& file);

  // What to say before `task` writes over the file, which is as `now` says; empty: nothing.
  std::string staleness(const std::string& task, const std::string& file, const std::string& shown,
                        const FileStamp& now);

  // How often in a row an edit of the file was not found in it.
  int edit_failed(const std::string& task, const std::string& file);
  void edit_succeeded(const std::string& task, const std::string& file);

 private:
  struct Repeated {
    FileStamp stamp;
    std::string digest;
    int reads = 1;
    bool stub = false;  // the last time it was not shown again
  };
  struct View {
    FileStamp stamp;
    Clock::time_point at;
    bool partial = false;
  };
  struct OneTask {
    std::string last;  // what it read or searched last
    int in_a_row = 0;
    BoundedMap<Repeated> repeated{kMaxRepeated};
    BoundedMap<View> views{kMaxViews};
    BoundedMap<int> failures{kMaxFailures};
  };
  struct Write {
    std::string task;
    Clock::time_point at;
  };

  static constexpr std::size_t kMaxTasks = 1000;
  static constexpr std::size_t kMaxRepeated = 1000;
  static constexpr std::size_t kMaxViews = 1000;
  static constexpr std::size_t kMaxFailures = 64;
  static constexpr std::size_t kMaxWrites = 4096;

  static Verdict again(OneTask& one, const std::string& what);

  BoundedMap<OneTask> tasks_{kMaxTasks};
  BoundedMap<Write> writes_{kMaxWrites};  // the last one of each file, by any task
};

}  // namespace talaria::tool
