// SessionRecord: which sessions have run in an environment. If the runner there knows nothing of
// one of them, its state was lost with the target, and its next command says so.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>

#include "base/task.h"

namespace talaria::environment {

class SessionRecord {
 public:
  SessionRecord() = default;
  SessionRecord(const SessionRecord&) = delete;
  SessionRecord& operator=(const SessionRecord&) = delete;
  virtual ~SessionRecord() = default;

  // Asked only about a session that is new to its runner.
  virtual bool contains(const std::string& session) = 0;
  // It has run, for the first time since this program reached its runner. `is_new`: the runner had
  // no state of it.
  virtual Task<void> add(std::string session, bool is_new) = 0;
  // Removed on purpose, one or all.
  virtual Task<void> remove(std::string session) = 0;
  virtual Task<void> clear() = 0;
};

// Of one program. Enough where sessions outlive the target, or end with the program.
class SessionsInMemory final : public SessionRecord {
 public:
  bool contains(const std::string& session) override { return sessions_.contains(session); }
  Task<void> add(std::string session, bool) override {
    if (sessions_.size() < kMost) sessions_.insert(std::move(session));
    co_return;
  }
  Task<void> remove(std::string session) override {
    sessions_.erase(session);
    co_return;
  }
  Task<void> clear() override {
    sessions_.clear();
    co_return;
  }

 private:
  static constexpr std::size_t kMost = 4096;

  std::set<std::string> sessions_;
};

}  // namespace talaria::environment
