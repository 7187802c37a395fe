// What the commands about processes were asked for.
#pragma once

#include <talaria/options.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace talaria::front::cli {

struct StartOptions {
  std::vector<std::string> words;
  std::string task;  // empty: the default one
  std::optional<std::string> workdir;
  bool terminal = false;
  bool takes_input = false;
  std::string lifetime;                 // empty: as the tool has it
  std::optional<std::int64_t> max_age;  // seconds; 0: any
  bool notify = false;
  std::vector<std::string> watch_patterns;
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct PsOptions {
  bool all = false;  // also those that have ended
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct LogsOptions {
  std::string id;
  bool follow = false;
  std::optional<std::uint64_t> from;  // a byte
  std::string since;                  // a mark; empty: none
  std::optional<std::uint64_t> tail;  // lines
  bool raw = false;                   // escape sequences also to a terminal
  std::vector<GivenSetting> settings;
};

struct AttachOptions {
  std::string id;
  std::string detach_keys;
  bool read_only = false;
  std::vector<GivenSetting> settings;
};

struct KillOptions {
  std::vector<std::string> ids;
  bool all = false;  // instead of ids: all that run
  std::string task;  // of `all`: only this one's; empty: everybody's
  int signal = 0;    // only send this one; 0: end it
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct WaitOptions {
  std::vector<std::string> ids;
  std::chrono::milliseconds timeout{0};  // 0: none
  bool json = false;
  std::vector<GivenSetting> settings;
};

struct EventsOptions {
  bool follow = false;
  bool all = false;
  std::string consumer;  // empty: nobody's, the history
  std::uint64_t since = 0;
  bool json = false;
  std::vector<GivenSetting> settings;
};

}  // namespace talaria::front::cli
