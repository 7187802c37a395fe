// Processes: commands that go on while nobody waits for them. They belong to the runner at their
// target, which keeps them and what they print when whoever started them ends.
#pragma once

#include <talaria/command.h>
#include <talaria/error.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// When a process is ended that does not end by itself. A kill of it alone, its maximum age, and the
// end of its runner or machine count for all three.
enum class Lifespan {
  call,     // half a minute after the program that started it is gone
  session,  // when the processes of its task, or all, are (AsioProcesses::kill_all)
  keep,     // never; kill_all spares it unless told otherwise
};

// "call", "session", "keep".
std::string_view lifespan_name(Lifespan lifespan);
std::optional<Lifespan> lifespan_of(std::string_view name);

struct ScreenSize {
  std::uint32_t rows = 30;
  std::uint32_t cols = 120;
  friend bool operator==(const ScreenSize&, const ScreenSize&) = default;
};

// From byte `from` of the output on the terminal had this size.
struct ScreenChange {
  std::uint64_t from = 0;
  ScreenSize size;
};

enum class ProcessEnd {
  exited,  // by itself, or by a signal that was not ours
  killed,  // by us; `source` says on whose behalf
  lost,    // nobody knows: its runner was killed
};

// What `exit_code` and `source` of one that is lost say, and the source of those that were killed.
inline constexpr int kLostCode = -1;
inline constexpr std::string_view kLostSource = "backend_lost";
inline constexpr std::string_view kKillSource = "process.kill";
inline constexpr std::string_view kKillAllSource = "kill_all";

// "exited", "killed", "lost".
std::string_view end_name(ProcessEnd ended);

struct ProcessInfo {
  std::string id;  // proc_ and 12 hexadecimal digits
  std::string task;
  std::string session_key;  // who started it
  std::string target;       // where it is, as in TERMINAL_ENV; AsioProcesses says it
  std::string command;
  std::string cwd;  // where it was started
  std::uint64_t pid = 0;
  std::chrono::system_clock::time_point started;  // by the target's clock, as the next one
  std::chrono::system_clock::time_point finished;
  bool running = false;
  ProcessEnd ended = ProcessEnd::exited;  // these three count if it does not run
  int exit_code = 0;   // its own, -N for death by signal N; -15 if it was killed, -1 if it is lost
  std::string source;  // process.kill, kill_all, max_age, ...
  Lifespan lifespan = Lifespan::session;
  std::chrono::milliseconds max_age{0};  // 0: any
  bool takes_input = false;
  bool waiting_for_input = false;  // it has been blocked on reading its input for a while
  std::vector<ScreenChange>
      terminal;         // the sizes of its terminal, the last one now; none: no terminal
  bool notify = false;  // its end is announced
  std::vector<std::string> watch_patterns;
  std::uint64_t output_bytes = 0;         // printed so far
  std::string tail;                       // the last of them, as many as were asked for
  std::uint64_t tail_from = 0;            // the number of its first byte
  std::uint32_t background_children = 0;  // it has ended, these have not
};

struct ProcessList {
  std::vector<ProcessInfo> processes;
  std::vector<Error> away;  // one for each target that cannot be reached; it names the target
};

struct KilledProcess {
  bool already_ended = false;
  std::vector<Leftover> survivors;
};

// Which processes are to be ended.
struct KillAll {
  std::optional<std::string> task;  // only those of this one
  bool kept_too = false;            // also those of lifespan keep
};

// One that was to be ended with others.
struct KilledOne {
  std::string id;
  bool was_running = true;     // else it had ended and left children, which were ended
  std::optional<Error> error;  // it could not be asked to end
  std::vector<Leftover> survivors;
};

struct KilledAll {
  std::vector<KilledOne> processes;
  std::vector<Error> away;  // as in ProcessList
};

struct OutputQuery {
  std::string id;
  std::uint64_t from = 0;
  std::uint64_t max = 0;  // 0: to the end
  bool follow = false;    // go on until there will be no more
};

struct OutputRead {
  std::uint64_t next = 0;   // behind the last byte that was given
  std::uint64_t total = 0;  // printed so far
  bool eof = false;         // there will be no more than `total`
  std::uint64_t lost = 0;   // bytes between `from` and `next` that are no longer kept
};

}  // namespace talaria
