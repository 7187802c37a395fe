// The one database of a home, <home>/talaria/talaria.db.
#pragma once

#include <string>

#include "base/result.h"
#include "host/store/database.h"

namespace talaria::host {

std::string home_database_path(const std::string& home);

// Made if it is not there, with the tables of this version.
Result<Database> open_home_database(const std::string& home);

}  // namespace talaria::host
