#include "host/store/home_database.h"

#include "host/store/schema.h"
#include "os/file.h"

namespace talaria::host {
namespace {

std::string directory_in(const std::string& home) { return home + "/talaria"; }

}  // namespace

std::string home_database_path(const std::string& home) {
  return directory_in(home) + "/talaria.db";
}

Result<Database> open_home_database(const std::string& home) {
  const auto made = os::make_private_directory(directory_in(home));
  if (!made) return fail(made.error());
  auto database = Database::open(home_database_path(home));
  if (!database) return fail(database.error());
  if (const auto migrated = migrate(*database); !migrated) return fail(migrated.error());
  return std::move(*database);
}

}  // namespace talaria::host
