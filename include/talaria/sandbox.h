// Sandboxes: places at a target that clients create, run commands ("execs") in, and terminate, as
// the gateway (`talaria serve`) offers them. They are recorded in the home's store, so they outlive
// the program that created them.
#pragma once

#include <talaria/export.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace talaria {

struct SandboxSpec {
  std::string image = {};  // of a container; empty: the configured one
  std::string cwd = {};    // the default directory of execs
  double cpu = 0;          // this and the next two: 0 means as configured
  double memory_mib = 0;
  double disk_mib = 0;
  std::chrono::milliseconds lifetime{0};  // from its creation; 0: unlimited
  std::chrono::milliseconds idle{0};      // from the end of its last exec; 0: unlimited
  bool persistent = false;                // begins with the snapshot of its logical key
  std::string logical_key = {};
  friend bool operator==(const SandboxSpec&, const SandboxSpec&) = default;
};

// What a sandbox may use, as far as its target enforces it; 0: no limit.
struct SandboxResources {
  double cpu = 0;
  double memory_mib = 0;
  double disk_mib = 0;
};

enum class SandboxState { creating, running, terminating, terminated };

struct SandboxInfo {
  std::string id = {};  // "sbx_..."; cannot be guessed
  std::string owner = {};
  SandboxSpec spec = {};
  SandboxState state = SandboxState::creating;
  std::string target = {};
  std::string directory = {};  // of the sandbox; empty: it is a container
  SandboxResources limits = {};
  bool isolated = false;  // its commands cannot damage anything outside
  bool restored = false;  // it began with a snapshot
  bool existed = false;   // create() returned the sandbox of an earlier request with the same key
  std::chrono::system_clock::time_point created = {};
  std::chrono::system_clock::time_point last_use = {};
  std::size_t live_execs = 0;
};

// A sandbox of a home: a task with settings of its own, which every program of the home finds by
// its id while it exists. Nobody owns it.
struct HomeSandbox {
  SandboxInfo info = {};
  std::string name = {};                    // for people and programs; need not be unique
  std::vector<std::string> variables = {};  // NAME=value: of every command in it
};

struct ExecSpec {
  std::string id = {};                         // chosen by the caller; unique in its sandbox
  std::string command = {};                    // bash -c
  std::optional<std::string> cwd = {};         // absent: where the session of the sandbox is
  std::optional<std::string> stdin_data = {};  // absent: /dev/null
  bool takes_input = false;                    // by Sandboxes::write(), after stdin_data
  std::chrono::milliseconds timeout{0};        // 0: none
  std::vector<std::string> variables = {};     // NAME=value
  bool changes_session = true;  // what it changes (directory, variables, ...) is kept
};

enum class ExecState { queued, running, cancelling, completed, failed, cancelled, timeout };

// "queued", "running", ...
TALARIA_API std::string_view exec_state_name(ExecState state);
constexpr bool has_ended(ExecState state) { return state >= ExecState::completed; }

struct ExecInfo {
  std::string id = {};
  ExecState state = ExecState::queued;
  std::string output = {};  // valid UTF-8, once it has ended; without its middle if it is too long
  std::uint64_t output_bytes = 0;  // printed in all
  bool truncated = false;
  int returncode = 0;         // once it has ended
  std::string reason = {};    // why it waits, or failed
  std::string approval = {};  // the id of the question it waits for
  std::string process = {};   // its id for Processes
  std::chrono::system_clock::time_point created = {};
  std::optional<std::chrono::system_clock::time_point> started = {};
  std::optional<std::chrono::system_clock::time_point> ended = {};
};

struct Termination {
  // why the snapshot could not be saved; empty if there is no error
  std::string snapshot_error = {};
};

struct SandboxCounts {
  std::size_t sandboxes = 0;
  std::size_t execs = 0;   // that have not ended
  std::size_t queued = 0;  // that have not started
};

// What a token of the gateway permits.
struct TokenScope {
  std::vector<std::string> targets = {};  // where it is valid; empty: everywhere
  std::vector<std::string> images = {};   // patterns of images; empty: what the gateway allows
  std::size_t max_sandboxes = 0;          // at the same time; 0: as many as the gateway allows
  std::size_t max_execs = 0;  // that run at the same time; 0: as many as the gateway allows
  std::size_t requests_per_minute = 0;
  bool approve = false;  // may answer questions about commands
};

// Whether one of `patterns` ('*' is any text) matches the name of an image. Without patterns every
// image is permitted. The configured image has the empty name and is always permitted.
TALARIA_API bool permits_image(const std::vector<std::string>& patterns, const std::string& image);

// A change of these limits; 0: none of its own any more. Nothing: as it was.
struct TokenLimits {
  std::optional<std::size_t> max_sandboxes = {};
  std::optional<std::size_t> max_execs = {};
  std::optional<std::size_t> requests_per_minute = {};
};

struct TokenInfo {
  std::string id = {};
  std::string name = {};
  std::string user = {};  // whose sandboxes it sees
  TokenScope scope = {};
  std::chrono::system_clock::time_point created = {};
  std::optional<std::chrono::system_clock::time_point> revoked = {};
};

}  // namespace talaria
