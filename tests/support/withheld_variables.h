// WithheldVariables: every variable that no command may inherit, set in a World, and the question
// which of them a command has. One of everybody's is set as well: a command that does not have that
// one was not asked properly.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "host/withheld_names.h"
#include "support/world.h"

namespace talaria::test {

// Names that nobody has listed, of the shapes that providers use.
inline constexpr auto kUnlistedSecrets = std::to_array<std::string_view>(
    {"ACME_API_KEY", "ACME_APIKEY_2", "CI_JOB_TOKEN", "DB_PASSWORD", "GOOGLE_CREDENTIALS",
     "JWT_SECRET", "MY_ACCESS_KEY_ID", "NPM_TOKEN", "PGPASSWORD", "RESTIC_PASSPHRASE", "SENTRY_DSN",
     "SMTP_PASS", "STRIPE_SECRET_KEY", "TF_VAR_db_password", "VAULT_SECRET_ID", "lower_api_key"});

// A name that goes to commands at every target, and one that goes to scripts.
inline constexpr std::string_view kCarried = "HERMES_SESSION_PLANTED";
inline constexpr std::string_view kForScripts = "LC_PLANTED";

inline void set_withheld_variables(World& world) {
  for (const std::string_view name : host::kNamesOfTheAgent)
    world.set(std::string(name), "planted");
  for (const std::string_view name : kUnlistedSecrets) world.set(std::string(name), "planted");
  world.set("_HERMES_FORCE_OPENAI_API_KEY", "planted");
  world.set(std::string(kCarried), "planted");
  world.set(std::string(kForScripts), "planted");
}

// Prints the names of those that the command has.
inline constexpr const char* kShowPlanted = "env | sed -n 's/=planted$//p' | sort | paste -sd' ' -";
inline constexpr const char* kShowPlantedByPython =
    "import os\nprint(*sorted(n for n, v in os.environ.items() if v == 'planted'))";

}  // namespace talaria::test
