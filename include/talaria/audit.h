// The log of every decision and every command of a home.
#pragma once

#include <talaria/error.h>
#include <talaria/export.h>

#include <functional>
#include <string>
#include <string_view>

namespace talaria {

struct AuditQuery {
  // a time as the log has it ("2026-11-15T14:00:00.000Z"), or its beginning
  std::string since = {};
  std::string task = {};  // empty: all
  bool decisions_only = false;
};

// Passes each line, a JSON object, to `take`, oldest first, until that returns false. Damaged lines
// (a disk was full) are skipped.
TALARIA_API Result<void> read_audit(const std::string& home, const AuditQuery& query,
                                    const std::function<bool(std::string_view line)>& take);

}  // namespace talaria
