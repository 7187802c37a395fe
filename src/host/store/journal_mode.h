// How the database keeps a half-done change from being seen: in a write-ahead log, which several
// programs share through memory, or in a rollback journal where memory cannot be shared because
// other machines may have the file open as well.
#pragma once

#include <string_view>

#include "base/result.h"
#include "host/store/database.h"

namespace talaria::host {

enum class JournalMode { write_ahead, rollback };

// For the type of a filesystem as statfs(2) reports it.
JournalMode journal_on(unsigned long filesystem);

// What it is from now on.
Result<JournalMode> set_journal(Database& database);

}  // namespace talaria::host
