// The tables of the store, and how those of older versions become these.
#pragma once

#include "base/result.h"
#include "host/store/database.h"

namespace talaria::host {

// Brings the database up to date. One that a newer version made is an error.
Result<void> migrate(Database& database);

// The version the tables have now.
int schema_version();

}  // namespace talaria::host
