#include "base/secret_name.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"

namespace talaria {
namespace {

constexpr std::size_t kLongestName = 96;

// Behind a name, they say which one it is, or how its value is written.
constexpr auto kQualifiers = std::to_array<std::string_view>(
    {"b64",         "backup",    "base",     "base64",  "current", "default",    "dev",
     "development", "hex",       "json",     "live",    "main",    "new",        "old",
     "pem",         "prev",      "previous", "primary", "prod",    "production", "raw",
     "sandbox",     "secondary", "stage",    "staging", "test",    "testing",    "value"});

// X_KEY that is a secret without doubt, and X_KEY that is none.
constexpr auto kSecretKeys = std::to_array<std::string_view>(
    {"access", "account", "admin", "api", "auth", "encryption", "hmac", "jwt", "license", "master",
     "private", "role", "secret", "service", "shared", "sign", "signing", "subscription"});
constexpr auto kHarmlessKeys = std::to_array<std::string_view>(
    {"a",        "any",    "arrow",     "cache",   "composite", "data",        "dict",
     "each",     "enter",  "error",     "escape",  "event",     "first",       "foreign",
     "function", "gpg",    "group",     "hash",    "hot",       "idempotency", "index",
     "item",     "last",   "lookup",    "map",     "message",   "natural",     "next",
     "no",       "object", "partition", "primary", "public",    "publishable", "registry",
     "routing",  "row",    "same",      "search",  "shortcut",  "sort",        "surrogate",
     "tab",      "the",    "this",      "unique"});

// X_TOKEN that is a place in a list or a piece of a text.
constexpr auto kHarmlessTokens = std::to_array<std::string_view>(
    {"bos",  "cancel",     "cancellation", "cls",        "continuation", "current",
     "end",  "eos",        "expected",     "first",      "invalid",      "last",
     "mask", "max",        "min",          "next",       "num",          "pad",
     "page", "pagination", "resume",       "sep",        "special",      "start",
     "stop", "sync",       "syntax",       "unexpected", "unk"});
constexpr auto kManyTokens =
    std::to_array<std::string_view>({"access", "api", "auth", "bot", "refresh"});

// X_PASS that is one of several rounds, or a count.
constexpr auto kRounds = std::to_array<std::string_view>(
    {"all", "by", "first", "last", "multi", "next", "num", "one", "render", "second", "single",
     "test", "tests", "third", "total", "two"});

bool has(const auto& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_letter(char c) { return is_upper(c) || is_lower(c); }

// The words of a name in lower case: between separators, and where a capital begins one.
class Words {
 public:
  explicit Words(std::string_view name) {
    for (std::size_t at = 0; at < name.size(); ++at) {
      const char c = name[at];
      if (!is_letter(c) && !is_digit(c)) {
        end_word(at);
        begin_ = at + 1;
        continue;
      }
      if (at > begin_ && begins_word(name, at)) {
        end_word(at);
        begin_ = at;
      }
      letters_[at] = is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
    }
    end_word(name.size());
  }

  // Counted from the end; empty if there are not so many.
  std::string_view from_end(std::size_t number) const {
    return number < count_ ? words_[count_ - 1 - number] : std::string_view();
  }

  void drop_qualifiers() {
    while (count_ > 1 &&
           (has(kQualifiers, from_end(0)) || std::ranges::all_of(from_end(0), is_digit))) {
      --count_;
    }
  }

 private:
  // apiKey: at the K. APIKey: likewise.
  static bool begins_word(std::string_view name, std::size_t at) {
    if (!is_upper(name[at])) return false;
    const bool next_is_lower = at + 1 < name.size() && is_lower(name[at + 1]);
    return !is_upper(name[at - 1]) || next_is_lower;
  }
  void end_word(std::size_t end) {
    if (end > begin_) words_[count_++] = {letters_.data() + begin_, end - begin_};
  }

  std::array<char, kLongestName> letters_{};
  std::array<std::string_view, kLongestName> words_;
  std::size_t count_ = 0;
  std::size_t begin_ = 0;
};

SecretName kind_of_key(std::string_view last, std::string_view before) {
  if (has(kSecretKeys, before)) return SecretName::secret;
  if (last == "keys" || before.empty() || has(kHarmlessKeys, before)) return SecretName::none;
  return SecretName::key;
}

SecretName kind_of_token(std::string_view last, std::string_view before) {
  if (last == "tokens") return has(kManyTokens, before) ? SecretName::token : SecretName::none;
  return last == "token" && has(kHarmlessTokens, before) ? SecretName::none : SecretName::token;
}

bool ends_in(std::string_view word, auto... ends) { return (word.ends_with(ends) || ...); }
bool is_one(std::string_view word, auto... others) { return ((word == others) || ...); }

}  // namespace

SecretName secret_name(std::string_view name) {
  constexpr std::string_view kWorkingDirectory = "PWD";
  if (name.empty() || name.size() > kLongestName || name == kWorkingDirectory) {
    return SecretName::none;
  }
  Words words(name);
  words.drop_qualifiers();
  const std::string_view last = words.from_end(0);
  const std::string_view before = words.from_end(1);
  const bool alone = before.empty();

  if (ends_in(last, "password", "passwords", "passwd", "passphrase")) return SecretName::password;
  if (is_one(last, "pwd", "sshpass")) return SecretName::password;
  if (last == "pass" && !alone && !has(kRounds, before)) return SecretName::password;
  if (ends_in(last, "secret", "secrets", "apikey", "apikeys")) return SecretName::secret;
  if (is_one(last, "accesskey", "authkey", "privatekey", "secretkey")) return SecretName::secret;
  if (is_one(last, "key", "keys")) return kind_of_key(last, before);
  if (ends_in(last, "token", "tokens")) return kind_of_token(last, before);
  if (is_one(last, "auth", "bearer", "credential", "credentials", "jwt")) return SecretName::key;
  if (!alone && is_one(last, "cookie", "dsn", "pat", "webhook")) return SecretName::key;
  if (before == "webhook" && last == "url") return SecretName::key;
  if (before == "connection" && last == "string") return SecretName::key;
  const bool is_id = last == "id" && is_one(before, "key", "secret", "token");
  return is_id && !words.from_end(2).empty() ? SecretName::key : SecretName::none;
}

}  // namespace talaria
