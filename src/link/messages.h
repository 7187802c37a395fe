// What can be asked of a runner: one struct per request, note and report. On the wire each is a
// protobuf message (docs/reference/link.proto); here each is a plain value.
//
// All defaults are zero, as on the wire. Every request is idempotent by the ids and cursors in it:
// sending it again over a new connection has no second effect and continues where `from` points.
// decode() checks form and bounds, not meaning: whether a process exists is the runner's to say.
// Unknown fields are skipped, an unknown enumerator is an error, so a newer peer is either
// understood or refused with an error message.
//
// Output and input are streams of bytes with absolute offsets ("cursors"): byte 0 is the first one
// the process ever printed or was ever given.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/shared_texts.h"

namespace talaria::link {

// The numbers 18 to 31 (events), 41 to 63 (files) and 66 to 95 (scripts) are reserved; see
// docs/reference/link.md.
enum class Method : std::uint32_t {
  status = 1,
  start = 2,
  wait = 3,
  kill = 4,
  read = 5,
  write = 6,
  resize = 7,
  list = 8,
  stop = 9,
  login = 10,
  end_session = 11,
  events = 16,
  acknowledge = 17,
  stat_file = 32,
  read_file = 33,
  write_file = 34,
  remove_files = 35,
  list_files = 36,
  read_lines = 37,
  search_files = 38,
  locate_file = 39,
  change_files = 40,
  script_calls = 64,
  script_answer = 65,
};

// "start", "wait", ...; "method 77" for a number without a name.
std::string method_name(Method method);

template <class Message>
std::string encode(const Message& message);
template <class Message>
Result<Message> decode(std::string_view bytes);

struct TerminalSize {
  std::uint32_t rows = 0;
  std::uint32_t cols = 0;
  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};

// From the output's byte `cursor` on the terminal had this size.
struct SizeChange {
  std::uint64_t cursor = 0;
  TerminalSize size;
  friend bool operator==(const SizeChange&, const SizeChange&) = default;
};

enum class StdinMode : std::uint32_t { none = 0, stream = 1 };

// When the runner ends a process on its own.
enum class ProcessLifetime : std::uint32_t {
  foreground = 0,  // 30 s after nobody watches it any more
  call = 1,        // 30 s after the link that started it is gone
  session = 2,     // by max_age_ms alone; controllers kill it with the others of its session
  keep = 3,        // likewise, but controllers spare it then
};

// What the caller allows a runner to have; 0: the runner's own. Counted are the processes that are
// not in the foreground.
struct ProcessLimits {
  std::uint64_t running = 0;
  std::uint64_t terminals = 0;     // of those, with a terminal
  std::uint64_t finished = 0;      // that have ended and can still be asked about
  std::uint64_t retention_ms = 0;  // how long after its end
  friend bool operator==(const ProcessLimits&, const ProcessLimits&) = default;
};

// What a script that calls tools has beside its shell (docs/reference/link.md, section 11): a
// directory of its own with these two files, a socket for its calls, a pipe for its standard error.
struct Script {
  std::string source;             // script.py
  std::string module;             // hermes_tools.py
  std::uint64_t error_limit = 0;  // bytes of standard error the report may carry
  friend bool operator==(const Script&, const Script&) = default;
};

// Run a command. Answered by ExitReport when it has ended; a detached start by Started, as soon as
// its shell is there. If output is streamed or the command is long, Started comes as a note before,
// so that a client can continue with Wait over a new connection instead of sending the command
// again.
struct Start {
  static constexpr Method kMethod = Method::start;

  std::string start_id;            // chosen by the caller; the same id never runs twice
  std::uint64_t sequence = 0;      // LinkClient::next_start_sequence(); see ledger.h
  std::string session;             // whose shell state to resume; empty: none
  std::string command;             // bytes, as bash reads them
  std::optional<std::string> cwd;  // absent: the session's
  SharedTexts env;                 // NAME=value
  std::uint64_t timeout_ms = 0;    // 0: none
  StdinMode stdin_mode = StdinMode::none;
  std::optional<TerminalSize> pty;
  ProcessLifetime lifetime = ProcessLifetime::foreground;
  bool detached = false;         // answer as soon as it runs
  std::uint64_t head_limit = 0;  // bytes of output the report may carry from the beginning ...
  std::uint64_t tail_limit = 0;  // ... and from the end
  bool stream_output = false;    // output as DATA, from output_from, under the exchange's credit
  std::uint64_t output_from = 0;
  std::uint64_t spill_quota = 0;       // bytes of output to keep in a file; 0: no file
  std::uint64_t grace_ms = 0;          // between TERM and KILL; 0: the runner's own
  std::uint64_t max_age_ms = 0;        // 0: no limit on how long it may live
  std::string first_cwd;               // where a session that is new starts; no cwd of its own yet
  std::optional<std::uint32_t> umask;  // likewise; absent: the runner's
  std::string login;                   // likewise: LoginReport::id; empty: with nothing
  std::string move_to;                 // the session goes there first; empty: it stays
  std::string owner;                   // who asks; part of the events of the process
  ProcessLimits limits;
  bool hand_over = false;          // at its timeout it is not killed: it continues with lifetime
                                   //   session, and the report says handed_over
  bool notify = false;             // its end is announced (runner_event.h)
  std::vector<std::string> watch;  // so are lines of output that contain one of these
  bool env_added = false;          // `env` is added to the target's own and does not replace it
  // For sudo, when it asks; never shown, never on disk. Not of a process in the background.
  std::optional<std::string> sudo_password;
  std::string shown_command;       // what lists show in place of the command; empty: the command
  std::vector<std::string> words;  // that name commands in it, if it was judged by them
  std::string definitions;         // digest of what the session makes of them; empty: of nothing
  std::optional<Script> script;    // not of a process in the background
  std::vector<std::string> variables;  // whose values it was judged by
  bool uses_directory = false;         // it was judged by where it starts
  std::string facts;                   // digest of these values and of the directory
  bool changes_session = false;        // although in the background, it changes the session's state
  bool errors_apart = false;    // its standard error is a stream of its own; not on a terminal
  bool spares_session = false;  // in the foreground, and yet it changes nothing of its session
  friend bool operator==(const Start&, const Start&) = default;
};

struct Definition {
  std::string name;
  std::string text;
  friend bool operator==(const Definition&, const Definition&) = default;
};

// What the session makes of a Start that was judged by something else: it has not been started.
struct Unjudged {
  std::vector<Definition> aliases;
  std::vector<Definition> functions;
  std::vector<Definition> variables;
  std::string directory;
  friend bool operator==(const Unjudged&, const Unjudged&) = default;
};

struct Started {
  std::string process;
  std::uint64_t pid = 0;
  bool known = false;  // the start id had been seen: this is the process it started then
  std::string cwd;     // where it was started
  std::optional<Unjudged> unjudged;
  friend bool operator==(const Started&, const Started&) = default;
};

enum class Ended : std::uint32_t {
  exited = 0,
  signaled = 1,
  timed_out = 2,
  killed = 3,
  lost = 4,
  handed_over = 5,  // it has not: it keeps running in the background
};

struct Survivor {
  std::uint64_t pid = 0;
  std::string name;
  std::string reason;  // why it could not be ended
  friend bool operator==(const Survivor&, const Survivor&) = default;
};

struct ExitReport {
  std::string process;
  Ended ended = Ended::exited;
  std::int32_t code = 0;     // of exited
  std::uint32_t signal = 0;  // of signaled, timed_out, killed
  std::uint64_t total = 0;   // bytes of output in all
  std::string head;
  std::string tail;             // never repeats bytes of head
  std::uint64_t tail_from = 0;  // cursor of tail's first byte
  std::uint64_t duration_us = 0;
  std::string cwd;         // where the command ended
  std::string spill_path;  // at the target; empty: nothing was spilled
  std::uint64_t spill_from = 0;
  std::uint64_t spill_to = 0;
  std::vector<Survivor> survivors;
  std::uint32_t background_children = 0;  // left running on purpose
  bool output_held = false;               // one of them still holds the output open
  std::vector<std::string> notices;       // for the agent to read
  std::string source;                     // of killed: Kill::source, or the limit it ran into
  bool sudo_rejected = false;             // sudo asked again after it had the password
  std::string errors;                     // of a script: the first bytes of its standard error
  std::uint64_t errors_total = 0;
  bool oom_killed = false;  // it was killed because the memory of the target was used up
  std::optional<Unjudged> unjudged;
  friend bool operator==(const ExitReport&, const ExitReport&) = default;
};

// Answered by ExitReport, when the process has ended.
struct Wait {
  static constexpr Method kMethod = Method::wait;

  std::string process;
  std::uint64_t head_limit = 0;
  std::uint64_t tail_limit = 0;
  bool stream_output = false;
  std::uint64_t output_from = 0;
  friend bool operator==(const Wait&, const Wait&) = default;
};

enum class KillReason : std::uint32_t { interrupt = 0, terminate = 1, timeout = 2 };

// Answered by KillReport, when the tree is empty or what is left of it cannot be ended.
struct Kill {
  static constexpr Method kMethod = Method::kill;

  std::string process;
  std::uint32_t signal = 0;  // 0: TERM, then KILL after grace_ms; otherwise only this signal
  std::uint64_t grace_ms = 0;
  KillReason reason = KillReason::interrupt;
  std::string source;  // on whose behalf, for ExitReport::source
  friend bool operator==(const Kill&, const Kill&) = default;
};

struct KillReport {
  std::vector<Survivor> survivors;
  bool already_ended = false;
  friend bool operator==(const KillReport&, const KillReport&) = default;
};

// Output as DATA from `from`, then ReadReport.
struct Read {
  static constexpr Method kMethod = Method::read;

  std::string process;
  std::uint64_t from = 0;
  std::uint64_t max = 0;  // bytes; 0: no limit
  bool follow = false;    // continue until the process closes its output
  friend bool operator==(const Read&, const Read&) = default;
};

struct ReadReport {
  std::uint64_t next = 0;   // cursor behind the last byte sent
  std::uint64_t total = 0;  // bytes printed so far
  bool eof = false;         // no byte will ever follow `total`
  std::uint64_t lost = 0;   // bytes between `from` and `next` that are no longer stored
  friend bool operator==(const ReadReport&, const ReadReport&) = default;
};

// Give input to a process: first `data`, which saves a round trip for little, then the DATA of the
// exchange, which continues at from + data.size(). The runner drops what it has applied before, so
// bytes sent again are harmless; it answers WriteReport when all is applied.
struct Write {
  static constexpr Method kMethod = Method::write;

  std::string process;
  std::uint64_t from = 0;  // cursor of data's first byte
  std::string data;
  bool stream = false;  // DATA follows; otherwise `data` is all
  bool end = false;     // close the input behind the last byte; at a terminal: its EOF character
  // Whose stream the cursors count. Each writer has cursors of its own, so that several can give
  // input without knowing of each other; empty: the one that started the process.
  std::string writer;
  friend bool operator==(const Write&, const Write&) = default;
};

struct WriteReport {
  std::uint64_t next = 0;  // cursor behind the last byte applied
  bool closed = false;     // the process takes no more input
  friend bool operator==(const WriteReport&, const WriteReport&) = default;
};

// Answered by an empty body.
struct Resize {
  static constexpr Method kMethod = Method::resize;

  std::string process;
  TerminalSize size;
  friend bool operator==(const Resize&, const Resize&) = default;
};

// Find out what the login files of the target bring, for new sessions to start with. Answered by
// LoginReport: at once if that is known and nothing it came from has changed, else when they have
// been read.
struct Login {
  static constexpr Method kMethod = Method::login;

  std::vector<std::string> env;    // NAME=value, as in Start
  std::vector<std::string> files;  // read after those of every login; "~" and "$NAME" are expanded
  bool bashrc = false;             // without `files`: ~/.profile, ~/.bash_profile, ~/.bashrc
  std::vector<std::string> withheld;  // names that no session gets from a file; "AB*": all such
  std::uint64_t timeout_ms = 0;       // for all of them; 0: the runner's own
  std::string session;                // which wants to know: one that is not new needs none
  bool env_added = false;             // as in Start
  friend bool operator==(const Login&, const Login&) = default;
};

struct LoginReport {
  std::string id;                    // for Start; empty: the session has a state of its own
  bool known = false;                // nothing was read for this answer
  std::vector<std::string> notices;  // for the agent to read
  friend bool operator==(const LoginReport&, const LoginReport&) = default;
};

struct List {
  static constexpr Method kMethod = Method::list;

  std::string process;           // only this one (not an error if unknown); empty: all
  std::uint64_t tail_limit = 0;  // bytes of the last output for each
  bool background = false;       // only those that are not in the foreground
  friend bool operator==(const List&, const List&) = default;
};

struct ProcessEntry {
  std::string process;
  std::string start_id;
  std::string session;
  std::string command;  // the beginning of it
  std::uint64_t pid = 0;
  bool running = false;
  Ended ended = Ended::exited;  // this and the next two only if not running
  std::int32_t code = 0;
  std::uint32_t signal = 0;
  std::uint64_t age_ms = 0;      // since it started
  std::uint64_t total = 0;       // bytes of output so far
  std::uint64_t input_next = 0;  // cursor where the next Write continues
  ProcessLifetime lifetime = ProcessLifetime::foreground;
  bool pty = false;
  std::string cwd;               // where it was started
  std::uint64_t started_ms = 0;  // since 1970, by the target's clock
  std::uint64_t ended_ms = 0;    // likewise; 0: it runs
  std::string source;            // see ExitReport
  bool notify = false;
  std::string owner;
  bool waiting_for_input = false;  // it has been blocked on reading its input for a while
  std::string tail;
  std::uint64_t tail_from = 0;
  std::vector<SizeChange> sizes;  // of its terminal; the last is the present one
  std::uint64_t max_age_ms = 0;
  bool takes_input = false;  // a Write would reach it
  std::vector<std::string> watch;
  std::uint32_t background_children = 0;  // it has ended, these have not
  std::string unfinished_input;           // what was written to it since the last end of a line
  friend bool operator==(const ProcessEntry&, const ProcessEntry&) = default;
};

struct ListReport {
  std::vector<ProcessEntry> processes;
  friend bool operator==(const ListReport&, const ListReport&) = default;
};

struct Status {
  static constexpr Method kMethod = Method::status;
  friend bool operator==(const Status&, const Status&) = default;
};

struct StatusReport {
  std::string instance;
  std::uint64_t pid = 0;
  std::string version;
  std::uint64_t uptime_ms = 0;
  std::uint32_t links = 0;  // with a live connection
  std::uint32_t processes = 0;
  std::uint32_t sessions = 0;
  std::uint32_t warm_shells = 0;
  friend bool operator==(const StatusReport&, const StatusReport&) = default;
};

// End the runner. Answered by an empty body before it goes; refused while something runs, unless
// `kill` says to end that too.
struct Stop {
  static constexpr Method kMethod = Method::stop;

  bool kill = false;
  friend bool operator==(const Stop&, const Stop&) = default;
};

// Nobody will use this session again: forget its state and its processes that have ended. Answered
// by an empty body; refused while something of it runs.
struct EndSession {
  static constexpr Method kMethod = Method::end_session;

  std::string session;
  friend bool operator==(const EndSession&, const EndSession&) = default;
};

}  // namespace talaria::link
