#include "host/config.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/text.h"

namespace talaria {
namespace {

// A variable that counts: set and not empty.
std::optional<std::string_view> setting(const Caller& caller, std::string_view name) {
  const auto value = caller.variable(name);
  return value && !value->empty() ? value : std::nullopt;
}

Error invalid(std::string_view name, std::string_view value, std::string_view expected) {
  return Error(ErrorKind::bad_request, "Invalid value for " + std::string(name) + ": '" +
                                           sanitize_utf8(value) + "' (expected " +
                                           std::string(expected) +
                                           "). Check ~/.hermes/.env or environment variables.");
}

Result<std::chrono::seconds> seconds(const Caller& caller, std::string_view name,
                                     std::chrono::seconds otherwise) {
  const auto written = setting(caller, name);
  if (!written) return otherwise;
  const std::string_view digits = trim(*written);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
    return fail(invalid(name, *written, "integer"));
  }
  if (error != std::errc() || number < 1 || number > kMaxDuration.count()) {
    return fail(
        invalid(name, *written, "integer from 1 to " + std::to_string(kMaxDuration.count())));
  }
  return std::chrono::seconds(number);
}

std::string home(const Caller& caller) {
  for (const std::string_view name : {"TALARIA_HOME", "HERMES_HOME"}) {
    if (const auto path = setting(caller, name)) return caller.absolute(*path);
  }
  return caller.absolute("~/.hermes");
}

std::string first_cwd(const Caller& caller) {
  if (const auto path = setting(caller, "TERMINAL_CWD")) return caller.absolute(*path);
  return caller.cwd.value_or(caller.home_directory());
}

Result<void> read_carrier(const Caller& caller, Config& config) {
  config.carrier = setting(caller, "TERMINAL_CARRIER").value_or("");
  const std::string_view command = trim(config.carrier);
  const std::string_view program = command.substr(0, command.find(' '));
  config.carrier_joins_words = program == "ssh" || program.ends_with("/ssh");
  const std::string_view mode = setting(caller, "TERMINAL_CARRIER_MODE").value_or("stream");
  if (mode != "stream" && mode != "batch") {
    return fail(invalid("TERMINAL_CARRIER_MODE", mode, "'stream' or 'batch'"));
  }
  config.carrier_batches = mode == "batch";
  return {};
}

Result<HomeMode> home_mode(const Caller& caller) {
  const auto word = setting(caller, "TERMINAL_HOME_MODE");
  if (!word) return HomeMode::automatic;
  if (const auto mode = parse_home_mode(*word)) return *mode;
  return fail(invalid("TERMINAL_HOME_MODE", *word, "'auto', 'real' or 'profile'"));
}

}  // namespace

std::string configured_target(const Caller& caller) {
  return std::string(caller.variable("TERMINAL_ENV").value_or("local"));
}

Result<Config> read_config(const Caller& caller, std::chrono::seconds default_lifetime) {
  Config config{.home = home(caller),
                .target = configured_target(caller),
                .cwd = first_cwd(caller),
                .lifetime = default_lifetime};

  const struct {
    std::string_view name;
    std::chrono::seconds& value;
  } durations[] = {
      {"TERMINAL_TIMEOUT", config.timeout},
      {"TERMINAL_MAX_FOREGROUND_TIMEOUT", config.max_foreground_timeout},
      {"TERMINAL_LIFETIME_SECONDS", config.lifetime},
  };
  for (const auto& duration : durations) {
    const Result<std::chrono::seconds> read = seconds(caller, duration.name, duration.value);
    if (!read) return fail(read.error());
    duration.value = *read;
  }
  const Result<HomeMode> mode = home_mode(caller);
  if (!mode) return fail(mode.error());
  config.home_mode = *mode;
  if (const Result<void> read = read_carrier(caller, config); !read) return fail(read.error());
  return config;
}

}  // namespace talaria
