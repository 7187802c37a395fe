// What the name of a variable, a setting, a field or an option says about its value: DB_PASSWORD,
// apiKey, --client-secret. The one reading of names for everything that withholds or masks by them.
//
// The end of a name decides: TOKEN_FILE names a file, MAX_TOKENS a number. A number or a stage
// behind it changes nothing (API_KEY_2, DB_PASSWORD_PROD).
#pragma once

#include <cstdint>
#include <string_view>

namespace talaria {

// From the least to the most certain.
enum class SecretName : std::uint8_t {
  none,
  key,  // X_KEY, X_AUTH, X_CREDENTIALS: often a secret, often a setting
  token,
  secret,  // a secret by its own words: X_SECRET, API_KEY, PRIVATE_KEY
  password,
};

// `name` is in any style: DB_PASSWORD, db-password, dbPassword, db.password.
SecretName secret_name(std::string_view name);

// Whether a value is a path, and so no secret, whatever it is called: /x, ~/x, ./x, ../x.
inline bool is_path_value(std::string_view value) {
  return value.starts_with('/') || value.starts_with("~/") || value.starts_with("./") ||
         value.starts_with("../");
}

}  // namespace talaria
