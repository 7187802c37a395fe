// The log of every decision and every command of a home.
#pragma once

#include <talaria/error.h>

#include <functional>
#include <string>
#include <string_view>

namespace talaria {

struct AuditQuery {
  std::string since;  // a time as the log has it ("2026-11-15T14:00:00.000Z"), or its beginning
  std::string task;   // empty: all
  bool decisions_only = false;
};

// Passes each line, a JSON object, to `take`, oldest first, until that returns false. Damaged lines
// (a disk was full) are skipped.
Result<void> read_audit(const std::string& home, const AuditQuery& query,
                        const std::function<bool(std::string_view line)>& take);

}  // namespace talaria
