// Processes: commands in the background. They belong to the runner at their target, which stores
// their output. They keep running when the program that started them ends.
#pragma once

#include <talaria/command.h>
#include <talaria/error.h>
#include <talaria/export.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace talaria {

// When a process that does not end by itself is ended. Each kind also ends by a kill, by its
// maximum age, and with its runner or machine.
enum class Lifespan {
  call,     // 30 seconds after the program that started it has ended
  session,  // by Processes::kill_all
  keep,     // never; by kill_all only with `include_keep`
};

// "call", "session", "keep".
TALARIA_API std::string_view lifespan_name(Lifespan lifespan);
TALARIA_API std::optional<Lifespan> lifespan_of(std::string_view name);

struct ScreenSize {
  std::uint32_t rows = 30;
  std::uint32_t cols = 120;
  friend bool operator==(const ScreenSize&, const ScreenSize&) = default;
};

// The terminal had this size from byte `from` of the output on.
struct ScreenChange {
  std::uint64_t from = 0;
  ScreenSize size = {};
};

// How a process is started.
struct ProcessStart {
  std::string command = {};              // shell text, as for bash -c
  std::optional<std::string> task = {};  // whose session it continues; absent: a session of its own
  std::string session_key = {};
  std::optional<std::string> workdir = {};
  std::string first_directory = {};         // as in Command
  std::vector<std::string> variables = {};  // NAME=value
  bool takes_input = false;                 // by write(); else it reads /dev/null
  std::optional<ScreenSize> terminal = {};  // it gets a terminal of this size
  Lifespan lifespan = Lifespan::session;
  bool notify = false;                               // an event announces its end
  std::vector<std::string> watch_patterns = {};      // an event announces a line that matches
  bool force = false;                                // as in Command
  std::optional<std::chrono::seconds> max_age = {};  // 0: any; absent: as configured
  bool waits_for_approval = true;                    // as in Command
};

enum class ProcessEnd {
  exited,  // by itself, or by a signal that was not ours
  killed,  // by us; `source` says on whose behalf
  lost,    // unknown: its runner was killed
};

// `exit_code` and `source` of a process that is lost; `source` of those that were killed.
inline constexpr int kLostCode = -1;
inline constexpr std::string_view kLostSource = "backend_lost";
inline constexpr std::string_view kKillSource = "process.kill";
inline constexpr std::string_view kKillAllSource = "kill_all";

// "exited", "killed", "lost".
TALARIA_API std::string_view end_name(ProcessEnd ended);

struct ProcessInfo {
  std::string id = {};  // proc_ and 12 hexadecimal digits
  std::string task = {};
  std::string session_key = {};  // who started it
  std::string target = {};       // as in TERMINAL_ENV; set by Processes
  std::string command = {};
  std::string cwd = {};  // where it was started
  std::uint64_t pid = 0;
  std::chrono::system_clock::time_point started = {};  // by the target's clock, as the next one
  std::chrono::system_clock::time_point finished = {};
  bool running = false;
  ProcessEnd ended = ProcessEnd::exited;  // this and the next two: only if it does not run
  int exit_code = 0;  // its own, -N for death by signal N; -15 if it was killed, -1 if it is lost
  std::string source = {};  // process.kill, kill_all, max_age, ...
  Lifespan lifespan = Lifespan::session;
  std::chrono::milliseconds max_age{0};  // 0: any
  bool takes_input = false;
  bool waiting_for_input = false;           // it has been blocked reading its input for a while
  std::vector<ScreenChange> terminal = {};  // sizes of its terminal, the last is now; empty: none
  bool notify = false;                      // an event announces its end
  std::vector<std::string> watch_patterns = {};
  std::uint64_t output_bytes = 0;         // printed so far
  std::string tail = {};                  // the last bytes, as many as were asked for
  std::uint64_t tail_from = 0;            // the number of its first byte
  std::uint32_t background_children = 0;  // that still run, if it has ended
  std::vector<std::string> notices = {};  // what is to be known of its end; only after a wait
  std::string unfinished_input = {};      // what was written to it since the last end of a line
};

struct ProcessList {
  std::vector<ProcessInfo> processes = {};
  std::vector<Error> away = {};  // one for each target that cannot be reached; it names the target
};

struct KilledProcess {
  bool already_ended = false;
  std::vector<Leftover> survivors = {};
};

// Which processes are to be ended.
struct KillAll {
  std::optional<std::string> task = {};  // only processes of this task
  bool include_keep = false;             // also those of lifespan keep
};

// What happened to one of them.
struct KilledOne {
  std::string id = {};
  bool was_running = true;          // false: only children that it had left were ended
  std::optional<Error> error = {};  // why it was not ended
  std::vector<Leftover> survivors = {};
};

struct KilledAll {
  std::vector<KilledOne> processes = {};
  std::vector<Error> away = {};  // as in ProcessList
};

struct OutputQuery {
  std::string id = {};
  std::uint64_t from = 0;
  std::uint64_t max = 0;  // 0: to the end
  bool follow = false;    // wait for more output until it ends
};

struct OutputRead {
  std::uint64_t next = 0;   // the position behind the last byte that was returned
  std::uint64_t total = 0;  // printed so far
  bool eof = false;         // it has ended: there is no more output
  std::uint64_t lost = 0;   // bytes between `from` and `next` that are no longer stored
};

// What a terminal shows.
struct ScreenView {
  std::vector<std::string> lines = {};  // every row, without the blanks at its end
  ScreenSize size = {};
  std::uint32_t cursor_row = 0;  // from 0
  std::uint32_t cursor_col = 0;
  bool cursor_visible = true;
  std::string title = {};
  bool alternate = false;  // the screen of a program that draws on all of it
};

}  // namespace talaria
