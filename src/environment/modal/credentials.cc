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
    "Set MODAL_TOKEN_ID and MODAL_TOKEN_SECRET (in the environment or in <home>/.env), or run "
    "`modal token set`, which stores them in a profile.";

std::unexpected<Error> missing(const std::string& what) {
  return fail(ErrorKind::bad_request, "Modal: " + what + ". " + kHowTo);
}

std::unexpected<Error> half_set(const std::string& set, const std::string& other) {
  return fail(ErrorKind::bad_request, "Modal: " + set + " is set, but " + other + " is not. Set " +
                                          other + ", too, in the environment or in <home>/.env.");
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
                  ", is not valid TOML: " + std::string(parsed.error().description()));
}

std::string text_in(const toml::table& profile, const char* key) {
  return profile[key].value_or(std::string());
}

// The one that is meant: by its name, else the one that says that it is active, else the only one.
Result<const toml::table*> choose(const toml::table& profiles, const ModalConfig& config) {
  if (!config.profile.empty()) {
    if (const toml::table* const named = profiles[config.profile].as_table()) return named;
    return missing("MODAL_PROFILE is '" + config.profile + "', and " + config.config_path +
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

Result<ModalAccount> own_account(const ModalConfig& config) {
  const bool has_tokens = !config.token_id.empty() && !config.token_secret.empty();
  const auto profiles = read_profiles(config.config_path);
  if (!profiles && !has_tokens) return fail(profiles.error());
  const toml::table none;
  const toml::table* profile = &none;
  if (profiles) {
    const auto chosen = choose(*profiles, config);
    if (!chosen && !has_tokens) return fail(chosen.error());
    if (chosen && *chosen) profile = *chosen;
  }
  ModalAccount account{
      .token_id = has_tokens ? config.token_id : Secret(text_in(*profile, "token_id")),
      .token_secret = has_tokens ? config.token_secret : Secret(text_in(*profile, "token_secret")),
      .server_url = first_of(config.server_url, text_in(*profile, "server_url")),
      .environment = first_of(config.environment, text_in(*profile, "environment")),
      .image_builder_version =
          first_of(config.image_builder_version, text_in(*profile, "image_builder_version"))};
  if (account.server_url.empty()) account.server_url = kServer;
  if (!account.token_id.empty() && !account.token_secret.empty()) return account;

  if (!config.token_id.empty()) return half_set("MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET");
  if (!config.token_secret.empty()) return half_set("MODAL_TOKEN_SECRET", "MODAL_TOKEN_ID");
  if (profile != &none) {
    return missing("the profile of " + config.config_path + " has no token_id and token_secret");
  }
  if (profiles && !profiles->empty()) {
    return missing("no profile of " + config.config_path + " is active (MODAL_PROFILE names one)");
  }
  return missing("no credentials were found");
}

}  // namespace

std::string ModalAccount::identity() const {
  return server_url + " " + environment + " " + sha256_hex(token_id.view()).substr(0, 16);
}

// Where a gateway would do as well, the error says what that needs.
Result<ModalAccount> find_modal_account(const ModalConfig& config) {
  auto account = own_account(config);
  if (account || config.mode != "auto") return account;
  return fail(
      account.error().kind(),
      account.error().message() +
          " Or set TOOL_GATEWAY_USER_TOKEN to use a gateway (TERMINAL_MODAL_MODE is 'auto').");
}

}  // namespace talaria::environment::modal
