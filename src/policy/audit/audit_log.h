// AuditLog: one JSON line for every decision and every command of this home, in
// <home>/talaria/audit/audit.jsonl, which all programs append to. A line is one write, so lines
// never mix. A full file is renamed after the time, and the oldest of those are removed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "host/config/policy_config.h"
#include "os/file_facts.h"
#include "os/unique_fd.h"

namespace talaria::policy {

namespace json = boost::json;

// The directory of a home's log, and the file that is written to.
std::string audit_directory(const std::string& home);
std::string audit_file(const std::string& home);

class AuditLog {
 public:
  AuditLog(std::string home, host::AuditConfig config) : home_(std::move(home)), config_(config) {}

  bool enabled() const { return config_.enabled && !home_.empty(); }

  // Adds the time in front of what is there, which is something. An error does not stop the caller:
  // only the first of several in a row is returned.
  Result<void> write(const json::object& line);

 private:
  Result<void> append(std::string_view line);
  Result<void> open();
  void rotate_if_full();
  void prune() const;

  std::string home_;
  host::AuditConfig config_;
  os::UniqueFd file_;
  os::FileId id_;           // of `file_`
  std::uint64_t size_ = 0;  // of `file_`, as it was seen last
  bool has_failed_ = false;
};

// A time as the log has it: "2026-11-15T14:00:00.123Z".
std::string audit_time(std::int64_t milliseconds);

}  // namespace talaria::policy
