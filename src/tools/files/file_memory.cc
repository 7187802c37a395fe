#include "tools/files/file_memory.h"

#include "base/wall_time.h"

namespace talaria::tool {
namespace {

constexpr const char* kClockTime = "%H:%M:%S";

constexpr int kWarnAt = 3;  // the same thing in a row

std::string part_key(const std::string& file, const std::string& part) {
  return file + '\0' + part;
}

}  // namespace

FileMemory::Verdict FileMemory::again(OneTask& one, const std::string& what) {
  one.in_a_row = one.last == what ? one.in_a_row + 1 : 1;
  one.last = what;
  return {one.in_a_row >= kWarnAt ? Repetition::warn : Repetition::none, one.in_a_row};
}

FileMemory::Verdict FileMemory::read(const std::string& task, const std::string& file,
                                     const std::string& part, const FileStamp& stamp,
                                     const std::string& digest, bool refresh) {
  OneTask& one = tasks_[task];
  const std::string key = part_key(file, part);
  Repeated* const known = one.repeated.find(key);
  if (known != nullptr && known->stamp == stamp && known->digest == digest) {
    ++known->reads;
    known->stub = !known->stub && !refresh;  // a model that asks once more has lost it
    if (refresh) return {};
    return {known->stub ? Repetition::unchanged : Repetition::warn, known->reads};
  }
  one.repeated[key] = {stamp, digest};
  return again(one, "read " + key);
}

FileMemory::Verdict FileMemory::search(const std::string& task, const std::string& query) {
  return again(tasks_[task], "search " + query);
}

// What is stale by now stays known.
void FileMemory::forget_reads(const std::string& task) {
  OneTask* const one = tasks_.find(task);
  if (one == nullptr) return;
  one->last.clear();
  one->in_a_row = 0;
  one->repeated.clear();
}

void FileMemory::other_tool(const std::string& task) {
  OneTask* const one = tasks_.find(task);
  if (one == nullptr) return;
  one->last.clear();
  one->in_a_row = 0;
  one->repeated.for_each([](Repeated& repeated) { repeated.stub = false; });
}

void FileMemory::saw(const std::string& task, const std::string& file, const FileStamp& stamp,
                     bool partial) {
  tasks_[task].views[file] = {stamp, Clock::now(), partial};
}

void FileMemory::wrote(const std::string& task, const std::string& file, const FileStamp& stamp) {
  removed(task, file);
  saw(task, file, stamp, false);
}

void FileMemory::removed(const std::string& task, const std::string& file) {
  OneTask& one = tasks_[task];
  one.repeated.erase_if([&](const std::string& key, const Repeated&) {
    return key.starts_with(file) && key.size() > file.size() && key[file.size()] == '\0';
  });
  one.views.erase(file);
  writes_[file] = {task, Clock::now()};
}

void FileMemory::changed_by_script(const std::string& task, const std::string& file) {
  writes_[file] = {task, Clock::now()};
}

std::string FileMemory::staleness(const std::string& task, const std::string& file,
                                  const std::string& shown, const FileStamp& now) {
  const View* const view = tasks_[task].views.find(file);
  const Write* const last = writes_.find(file);
  if (last != nullptr && last->task != task) {
    if (view == nullptr) {
      return "'" + shown + "' was written by another agent (task '" + last->task + "') at " +
             local_time(last->at, kClockTime) +
             ", and you have not read it. Read it before you write.";
    }
    if (last->at > view->at) {
      return "'" + shown + "' was written by another agent (task '" + last->task + "') at " +
             local_time(last->at, kClockTime) + ", after you read it at " +
             local_time(view->at, kClockTime) + ". Read it again before you write.";
    }
  }
  if (view == nullptr) return {};
  if (view->stamp != now) {
    return "'" + shown + "' was modified since you last read it (at " +
           local_time(view->at, kClockTime) +
           "), by a command or somebody else. What you know of it may be stale; read it again.";
  }
  if (view->partial) {
    return "You have seen only a part of '" + shown +
           "' (a partial view: your last read used offset or limit, or was truncated). Read all of "
           "it before you write over it.";
  }
  return {};
}

int FileMemory::edit_failed(const std::string& task, const std::string& file) {
  return ++tasks_[task].failures[file];
}

void FileMemory::edit_succeeded(const std::string& task, const std::string& file) {
  tasks_[task].failures.erase(file);
}

}  // namespace talaria::tool
