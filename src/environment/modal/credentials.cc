#include "environment/modal/credentials.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <optional>

#include "base/sha256.h"
#include "os/file.h"

namespace talaria::environment::modal {
namespace {

constexpr std::size_t kMaxProfiles = 1u << 20;
constexpr const char* kServer = "https://api.modal.com";
constexpr const char* kHowTo =
    "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET (in the environment or in <home>/.env), or let "
    "Modal's own program write a profile: `modal token set`.";

std::unexpected<Error> missing(const std::string& what) {
  return fail(ErrorKind::bad_request, "Modal: " + what + ". " + kHowTo);
}

Result<toml::table> read_profiles(const std::string& path) {
  const auto text = path.empty() ? Result<std::string>() : os::read_file(path, kMaxProfiles);
  if (!text && text.error().code() != ENOENT && text.error().code() != ENOTDIR) {
    return missing("the profiles cannot be read: " + text.error().message());
  }
  if (!text || text->empty()) return toml::table();
  toml::parse_result parsed = toml::parse(*text, path);
  if (parsed) return std::move(parsed).table();
  return fail(ErrorKind::bad_request,
              "Modal: " + path + ", line " + std::to_string(parsed.error().source().begin.line) +
                  ", is no TOML: " + std::string(parsed.error().description()));
}

std::string text_in(const toml::table& profile, const char* key) {
  return profile[key].value_or(std::string());
}

// The one that is meant: by its name, else the one that says that it is active, else the only one.
Result<const toml::table*> choose(const toml::table& profiles, const ModalWish& wish) {
  if (!wish.profile.empty()) {
    if (const toml::table* const named = profiles[wish.profile].as_table()) return named;
    return missing("MODAL_PROFILE is '" + wish.profile + "', and " + wish.config_path +
                   " has no such profile");
  }
  const toml::table* only = nullptr;
  for (const auto& [name, node] : profiles) {
    const toml::table* const profile = node.as_table();
    if (!profile) continue;
    if ((*profile)["active"].value_or(false)) return profile;
    only = profile;
  }
  return profiles.size() == 1 ? only : nullptr;
}

std::string first_of(const std::string& said, const std::string& otherwise) {
  return said.empty() ? otherwise : said;
}

}  // namespace

std::string ModalAccount::identity() const {
  return server_url + " " + environment + " " + sha256_hex(token_id.view()).substr(0, 16);
}

Result<ModalAccount> find_modal_account(const ModalWish& wish) {
  const bool has_tokens = !wish.token_id.empty() && !wish.token_secret.empty();
  const auto profiles = read_profiles(wish.config_path);
  if (!profiles && !has_tokens) return fail(profiles.error());
  const toml::table none;
  const toml::table* profile = &none;
  if (profiles) {
    const auto chosen = choose(*profiles, wish);
    if (!chosen && !has_tokens) return fail(chosen.error());
    if (chosen && *chosen) profile = *chosen;
  }
  ModalAccount account{
      .token_id = has_tokens ? wish.token_id : Secret(text_in(*profile, "token_id")),
      .token_secret = has_tokens ? wish.token_secret : Secret(text_in(*profile, "token_secret")),
      .server_url = first_of(wish.server_url, text_in(*profile, "server_url")),
      .environment = first_of(wish.environment, text_in(*profile, "environment")),
      .image_builder_version =
          first_of(wish.image_builder_version, text_in(*profile, "image_builder_version"))};
  if (account.server_url.empty()) account.server_url = kServer;
  if (!account.token_id.empty() && !account.token_secret.empty()) return account;

  if (!wish.token_id.empty()) return missing("MODAL_TOKEN_ID is set, MODAL_TOKEN_SECRET is not");
  if (!wish.token_secret.empty()) {
    return missing("MODAL_TOKEN_SECRET is set, MODAL_TOKEN_ID is not");
  }
  if (profile != &none) {
    return missing("the profile of " + wish.config_path + " has no token_id and token_secret");
  }
  if (profiles && !profiles->empty()) {
    return missing("no profile of " + wish.config_path + " is active (MODAL_PROFILE names one)");
  }
  return missing("there are no credentials");
}

}  // namespace talaria::environment::modal
