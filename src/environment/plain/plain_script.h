// The plain path's texts: how a command is run at a target where no runner can run, with nothing
// but a POSIX sh, mkdir, chmod, cat, cmp, dd, wc, grep, sed, mv, rm, rmdir and sleep there; bash,
// setsid and flock are used if they exist, and /proc shows what belongs to a run. No I/O here. The
// scripts for the shell of the command are in plain_bash.h and plain_sh.h.
//
// One run of the carrier is one command. Its script is small and always the same; what differs goes
// to its standard input, so that the carrier has neither a long command nor a secret in an
// argument:
//
//   NONCE ID SESSION input|- BASH-BYTES SH-BYTES KEEPER-BYTES COMMAND-BYTES DATA-BYTES
//   then those bytes: what bash reads first, or sh; what keeps the session; the command, its input
//
// Back come "NONCE started", the output, NONCE, and the trailer; what processes of the command
// print between those two is dropped. The nonce is only ever in a variable of the script, not in
// its arguments, its environment or a file, so that no command can print it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "environment/command.h"

namespace talaria::environment::plain {

struct PlainCall {
  std::string nonce;
  std::string id;  // of this run, a number below 2^53: what its processes are known by
  CommandSpec spec;
};

// A new PlainCall::id: sixteen digits.
std::string random_run_id();

// What is different where something else than a carrier runs the script.
struct PlainStyle {
  // The command is in the script, where an observer can read it, and not in its input.
  std::optional<std::string> command = {};
  // The command gets a session of its own if possible. Off where the caller ends the script by its
  // process group.
  bool own_session = true;
};

// Keeps what the command changes out of its session, if that is what it asks for.
void spare_session(CommandSpec& spec);

// Whether the plain path can run it at all.
Result<void> check_call(const CommandSpec& spec, const CancelToken& cancel);

// The script. It exits as the command does.
std::string plain_script(const std::vector<std::string>& places, const PlainStyle& style = {});

// Its standard input.
std::string plain_input(const PlainCall& call, const PlainStyle& style = {});

// Ends all processes of the run, first by TERM; prints those that are left: "PID NAME", one a line.
std::string plain_kill_script(const std::vector<std::string>& places, const std::string& id);

// Removes the state of sessions at the target.
std::string plain_remove_script(const std::vector<std::string>& places);

// What the script prints when the command has ended.
struct PlainTrailer {
  int status = 0;                 // what the shell that waited saw: 128 + N for death by signal N
  std::optional<int> own_status;  // what the command's shell was about to exit with, if it did
  std::string shell;              // "bash" or "sh"
  std::uint32_t children = 0;     // processes of the command that still run
  std::string cwd;
  std::string notice;

  ExitStatus exit_status() const;
};

// Takes the output apart as it comes: what stands between "NONCE started" and the next NONCE is the
// command's.
class PlainReader {
 public:
  explicit PlainReader(std::string nonce) : nonce_(std::move(nonce)) {}

  // Appends to `output` what of the command's output is now certain.
  void feed(std::string_view bytes, std::string& output);
  // The stream has ended: held bytes are output, too, if there is no trailer.
  void finish(std::string& output);

  bool started() const { return started_; }
  const std::optional<PlainTrailer>& trailer() const { return trailer_; }
  // Bytes that belong to the command though the start was not seen: it was cut off.
  void take_as_started() { started_ = true; }
  // Why it did not start, as the script reports it; else the output before the start.
  std::string refusal() const;

 private:
  void find_start();
  void find_end(std::string& output);
  void find_trailer();

  std::string nonce_;
  std::string held_;
  bool started_ = false;
  bool ended_ = false;
  std::optional<PlainTrailer> trailer_;
};

}  // namespace talaria::environment::plain
