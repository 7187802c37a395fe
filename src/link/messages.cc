#include "link/messages.h"

#include <array>
#include <utility>

#include "link/codec.h"
#include "link/limits.h"

// The numbers below are the protocol: they are the field numbers of docs/reference/link.proto.

namespace talaria::link {

TALARIA_FIELDS(TerminalSize) {
  field(1, "rows", message.rows);
  field(2, "cols", message.cols);
}

TALARIA_FIELDS(SizeChange) {
  field(1, "cursor", message.cursor);
  field(2, "size", message.size);
}

TALARIA_FIELDS(ProcessLimits) {
  field(1, "running", message.running);
  field(2, "terminals", message.terminals);
  field(3, "finished", message.finished);
  field(4, "retention_ms", message.retention_ms);
}

TALARIA_FIELDS(Script) {
  field(1, "source", message.source, kMaxMessage);
  field(2, "module", message.module, kMaxMessage);
  field(3, "error_limit", message.error_limit);
}

TALARIA_MESSAGE(Start) {
  field(1, "start_id", message.start_id, kMaxId);
  field(2, "sequence", message.sequence);
  field(3, "session", message.session, kMaxId);
  field(4, "command", message.command, kMaxMessage);
  field(5, "cwd", message.cwd, kMaxPath);
  field(6, "env", message.env, kMaxEnvEntry);
  field(7, "timeout_ms", message.timeout_ms);
  field(8, "stdin_mode", message.stdin_mode, StdinMode::stream);
  field(9, "pty", message.pty);
  field(10, "lifetime", message.lifetime, ProcessLifetime::keep);
  field(11, "detached", message.detached);
  field(12, "head_limit", message.head_limit);
  field(13, "tail_limit", message.tail_limit);
  field(14, "stream_output", message.stream_output);
  field(15, "output_from", message.output_from);
  field(16, "spill_quota", message.spill_quota);
  field(17, "grace_ms", message.grace_ms);
  field(18, "max_age_ms", message.max_age_ms);
  field(19, "first_cwd", message.first_cwd, kMaxPath);
  field(20, "umask", message.umask);
  field(21, "login", message.login, kMaxId);
  field(22, "move_to", message.move_to, kMaxPath);
  field(23, "owner", message.owner, kMaxId);
  field(24, "limits", message.limits);
  field(25, "errors_apart", message.errors_apart);
  field(64, "hand_over", message.hand_over);
  field(65, "notify", message.notify);
  field(66, "watch", message.watch, kMaxId);
  field(67, "env_added", message.env_added);
  field(68, "sudo_password", message.sudo_password, kMaxPassword);
  field(69, "shown_command", message.shown_command, kMaxMessage);
  field(70, "words", message.words, kMaxPath);
  field(71, "definitions", message.definitions, kMaxId);
  field(72, "script", message.script);
  field(73, "variables", message.variables, kMaxPath);
  field(74, "uses_directory", message.uses_directory);
  field(75, "facts", message.facts, kMaxId);
  field(76, "changes_session", message.changes_session);
  field(77, "spares_session", message.spares_session);
}

TALARIA_FIELDS(Definition) {
  field(1, "name", message.name, kMaxMessage);
  field(2, "text", message.text, kMaxMessage);
}

TALARIA_FIELDS(Unjudged) {
  field(1, "aliases", message.aliases);
  field(2, "functions", message.functions);
  field(3, "variables", message.variables);
  field(4, "directory", message.directory, kMaxPath);
}

TALARIA_MESSAGE(Started) {
  field(1, "process", message.process, kMaxId);
  field(2, "pid", message.pid);
  field(3, "known", message.known);
  field(4, "cwd", message.cwd, kMaxPath);
  field(64, "unjudged", message.unjudged);
}

TALARIA_FIELDS(Survivor) {
  field(1, "pid", message.pid);
  field(2, "name", message.name, kMaxPath);
  field(3, "reason", message.reason, kMaxText);
}

TALARIA_MESSAGE(ExitReport) {
  field(1, "process", message.process, kMaxId);
  field(2, "ended", message.ended, Ended::handed_over);
  field(3, "code", message.code);
  field(4, "signal", message.signal);
  field(5, "total", message.total);
  field(6, "head", message.head, kMaxMessage);
  field(7, "tail", message.tail, kMaxMessage);
  field(8, "tail_from", message.tail_from);
  field(9, "duration_us", message.duration_us);
  field(10, "cwd", message.cwd, kMaxPath);
  field(11, "spill_path", message.spill_path, kMaxPath);
  field(12, "spill_from", message.spill_from);
  field(13, "spill_to", message.spill_to);
  field(14, "survivors", message.survivors);
  field(15, "background_children", message.background_children);
  field(16, "output_held", message.output_held);
  field(17, "notices", message.notices, kMaxText);
  field(18, "source", message.source, kMaxId);
  field(19, "sudo_rejected", message.sudo_rejected);
  field(20, "errors", message.errors, kMaxMessage);
  field(21, "errors_total", message.errors_total);
  field(22, "oom_killed", message.oom_killed);
  field(64, "unjudged", message.unjudged);
}

TALARIA_MESSAGE(Wait) {
  field(1, "process", message.process, kMaxId);
  field(2, "head_limit", message.head_limit);
  field(3, "tail_limit", message.tail_limit);
  field(4, "stream_output", message.stream_output);
  field(5, "output_from", message.output_from);
}

TALARIA_MESSAGE(Kill) {
  field(1, "process", message.process, kMaxId);
  field(2, "signal", message.signal);
  field(3, "grace_ms", message.grace_ms);
  field(4, "reason", message.reason, KillReason::timeout);
  field(5, "source", message.source, kMaxId);
}

TALARIA_MESSAGE(KillReport) {
  field(1, "survivors", message.survivors);
  field(2, "already_ended", message.already_ended);
}

TALARIA_MESSAGE(Read) {
  field(1, "process", message.process, kMaxId);
  field(2, "from", message.from);
  field(3, "max", message.max);
  field(4, "follow", message.follow);
}

TALARIA_MESSAGE(ReadReport) {
  field(1, "next", message.next);
  field(2, "total", message.total);
  field(3, "eof", message.eof);
  field(4, "lost", message.lost);
}

TALARIA_MESSAGE(Write) {
  field(1, "process", message.process, kMaxId);
  field(2, "from", message.from);
  field(3, "data", message.data, kMaxMessage);
  field(4, "stream", message.stream);
  field(5, "end", message.end);
  field(64, "writer", message.writer, kMaxId);
}

TALARIA_MESSAGE(WriteReport) {
  field(1, "next", message.next);
  field(2, "closed", message.closed);
}

TALARIA_MESSAGE(Resize) {
  field(1, "process", message.process, kMaxId);
  field(2, "size", message.size);
}

TALARIA_MESSAGE(List) {
  field(1, "process", message.process, kMaxId);
  field(2, "tail_limit", message.tail_limit);
  field(3, "background", message.background);
}

TALARIA_FIELDS(ProcessEntry) {
  field(1, "process", message.process, kMaxId);
  field(2, "start_id", message.start_id, kMaxId);
  field(3, "session", message.session, kMaxId);
  field(4, "command", message.command, kMaxText);
  field(5, "pid", message.pid);
  field(6, "running", message.running);
  field(7, "ended", message.ended, Ended::lost);
  field(8, "code", message.code);
  field(9, "signal", message.signal);
  field(10, "age_ms", message.age_ms);
  field(11, "total", message.total);
  field(12, "input_next", message.input_next);
  field(13, "lifetime", message.lifetime, ProcessLifetime::keep);
  field(14, "pty", message.pty);
  field(15, "cwd", message.cwd, kMaxPath);
  field(16, "started_ms", message.started_ms);
  field(17, "ended_ms", message.ended_ms);
  field(18, "source", message.source, kMaxId);
  field(19, "notify", message.notify);
  field(20, "owner", message.owner, kMaxId);
  field(21, "waiting_for_input", message.waiting_for_input);
  field(22, "tail", message.tail, kMaxMessage);
  field(23, "tail_from", message.tail_from);
  field(24, "sizes", message.sizes);
  field(25, "max_age_ms", message.max_age_ms);
  field(26, "takes_input", message.takes_input);
  field(27, "watch", message.watch, kMaxId);
  field(28, "background_children", message.background_children);
  field(29, "unfinished_input", message.unfinished_input, kMaxText);
}

TALARIA_MESSAGE(ListReport) { field(1, "processes", message.processes); }

TALARIA_MESSAGE(Status) {}

TALARIA_MESSAGE(StatusReport) {
  field(1, "instance", message.instance, kMaxId);
  field(2, "pid", message.pid);
  field(3, "version", message.version, kMaxId);
  field(4, "uptime_ms", message.uptime_ms);
  field(5, "links", message.links);
  field(6, "processes", message.processes);
  field(7, "sessions", message.sessions);
  field(8, "warm_shells", message.warm_shells);
}

TALARIA_MESSAGE(Stop) { field(1, "kill", message.kill); }

TALARIA_MESSAGE(EndSession) { field(1, "session", message.session, kMaxId); }

TALARIA_MESSAGE(Login) {
  field(1, "env", message.env, kMaxEnvEntry);
  field(2, "files", message.files, kMaxPath);
  field(3, "bashrc", message.bashrc);
  field(4, "withheld", message.withheld, kMaxId);
  field(5, "timeout_ms", message.timeout_ms);
  field(6, "session", message.session, kMaxId);
  field(64, "env_added", message.env_added);
}

TALARIA_MESSAGE(LoginReport) {
  field(1, "id", message.id, kMaxId);
  field(2, "known", message.known);
  field(3, "notices", message.notices, kMaxText);
}

std::string method_name(Method method) {
  constexpr std::array<std::string_view, 18> kNames{
      "",     "status", "start",       "wait", "kill", "read", "write", "resize", "list",
      "stop", "login",  "end_session", "",     "",     "",     "",      "events", "acknowledge"};
  constexpr std::array<std::string_view, 9> kFileNames{
      "stat_file",  "read_file",    "write_file",  "remove_files", "list_files",
      "read_lines", "search_files", "locate_file", "change_files"};
  const std::uint32_t number = std::to_underlying(method);
  constexpr std::uint32_t kFirstFile = std::to_underlying(Method::stat_file);
  if (number >= kFirstFile && number < kFirstFile + kFileNames.size()) {
    return std::string(kFileNames[number - kFirstFile]);
  }
  if (method == Method::script_calls) return "script_calls";
  if (method == Method::script_answer) return "script_answer";
  if (number >= kNames.size() || kNames[number].empty()) return "method " + std::to_string(number);
  return std::string(kNames[number]);
}

}  // namespace talaria::link
