// One of each message with every field set, so that none is forgotten on its way.
#pragma once

#include "link/edit_messages.h"
#include "link/file_messages.h"
#include "link/messages.h"
#include "link/runner_event.h"
#include "link/script_messages.h"
#include "link/search_messages.h"

namespace talaria::link {

template <class Message>
Message sample();

template <>
inline Start sample() {
  return {.start_id = "start-1",
          .sequence = 3,
          .session = "default",
          .command = std::string("printf 'a\0b'", 12),
          .cwd = "",  // said, though empty
          .env = {"A=1", "EMPTY=", "B=two words"},
          .timeout_ms = 180000,
          .stdin_mode = StdinMode::stream,
          .pty = TerminalSize{50, 132},
          .lifetime = ProcessLifetime::keep,
          .detached = true,
          .head_limit = 20000,
          .tail_limit = 30000,
          .stream_output = true,
          .output_from = 1ULL << 40,
          .spill_quota = 64 << 20,
          .grace_ms = 2000,
          .max_age_ms = 86400000,
          .first_cwd = "/home/agent",
          .umask = 022,
          .login = "abcd",
          .move_to = "/elsewhere",
          .owner = "chat-1",
          .limits = {.running = 1, .terminals = 2, .finished = 3, .retention_ms = 4},
          .hand_over = true,
          .notify = true,
          .watch = {"ready", "error"},
          .env_added = true,
          .sudo_password = "open sesame",
          .shown_command = "echo hi",
          .words = {"ls", "x"},
          .definitions = "0a1b",
          .script = Script{.source = "print(1)", .module = "def f(): pass", .error_limit = 10},
          .variables = {"HOME", "A"},
          .uses_directory = true,
          .facts = "2c3d",
          .spares_session = true};
}

template <>
inline Started sample() {
  return {.process = "proc_1", .pid = 4711, .known = true, .cwd = "/work", .unjudged = Unjudged{}};
}

template <>
inline ExitReport sample() {
  return {.process = "proc_1",
          .ended = Ended::lost,
          .code = -1,
          .signal = 15,
          .total = 123456789,
          .head = "begin",
          .tail = "end",
          .tail_from = 123456786,
          .duration_us = 1500,
          .cwd = "/work",
          .spill_path = "/run/spill",
          .spill_from = 1,
          .spill_to = 2,
          .survivors = {{7, "sleep", "EPERM"}, {8, "", ""}},
          .background_children = 2,
          .output_held = true,
          .notices = {"one", "", "three"},
          .source = "process.kill",
          .sudo_rejected = true,
          .errors = "Traceback",
          .errors_total = 20,
          .oom_killed = true,
          .unjudged = Unjudged{.aliases = {{"x", "rm"}, {"e", ""}},
                               .functions = {{"f", "f () {"}},
                               .variables = {{"A", "1"}},
                               .directory = "/work"}};
}

template <>
inline Wait sample() {
  return {.process = "proc_1",
          .head_limit = 1,
          .tail_limit = 2,
          .stream_output = true,
          .output_from = 3};
}

template <>
inline Kill sample() {
  return {.process = "proc_1",
          .signal = 2,
          .grace_ms = 500,
          .reason = KillReason::timeout,
          .source = "kill_all"};
}

template <>
inline KillReport sample() {
  return {.survivors = {{9, "sshd", "another user's"}}, .already_ended = true};
}

template <>
inline Read sample() {
  return {.process = "proc_1", .from = 10, .max = 20, .follow = true};
}

template <>
inline ReadReport sample() {
  return {.next = 30, .total = 40, .eof = true, .lost = 5};
}

template <>
inline Write sample() {
  return {
      .process = "proc_1", .from = 6, .data = "yes\n", .stream = true, .end = true, .writer = "w1"};
}

template <>
inline WriteReport sample() {
  return {.next = 10, .closed = true};
}

template <>
inline ScriptCalls sample() {
  return {.process = "proc_1", .from = 9};
}

template <>
inline ScriptAnswer sample() {
  return {.process = "proc_1",
          .connection = 3,
          .number = 7,
          .from = 2,
          .data = "{}",
          .last = true,
          .close = true};
}

template <>
inline Resize sample() {
  return {.process = "proc_1", .size = {24, 80}};
}

template <>
inline List sample() {
  return {.process = "proc_1", .tail_limit = 200, .background = true};
}

template <>
inline ListReport sample() {
  return {.processes = {{.process = "proc_1",
                         .start_id = "start-1",
                         .session = "default",
                         .command = "sleep 9",
                         .pid = 12,
                         .running = true,
                         .ended = Ended::killed,
                         .code = 3,
                         .signal = 9,
                         .age_ms = 1000,
                         .total = 11,
                         .input_next = 12,
                         .lifetime = ProcessLifetime::call,
                         .pty = true,
                         .cwd = "/work",
                         .started_ms = 13,
                         .ended_ms = 14,
                         .source = "max_age",
                         .notify = true,
                         .owner = "chat-1",
                         .waiting_for_input = true,
                         .tail = "end",
                         .tail_from = 8,
                         .sizes = {{0, {30, 120}}, {5, {24, 80}}},
                         .max_age_ms = 15,
                         .takes_input = true,
                         .watch = {"ready"},
                         .background_children = 16},
                        {.process = "proc_2"}}};
}

template <>
inline Status sample() {
  return {};
}

template <>
inline StatusReport sample() {
  return {.instance = "abc",
          .pid = 1,
          .version = "0.1.0",
          .uptime_ms = 2,
          .links = 3,
          .processes = 4,
          .sessions = 5,
          .warm_shells = 6};
}

template <>
inline Stop sample() {
  return {.kill = true};
}

template <>
inline EndSession sample() {
  return {.session = "default"};
}

template <>
inline Login sample() {
  return {.env = {"A=1", "PATH=/bin"},
          .files = {"~/.env", "$X/rc"},
          .bashrc = true,
          .withheld = {"OPENAI_API_KEY"},
          .timeout_ms = 30000,
          .session = "default",
          .env_added = true};
}

template <>
inline LoginReport sample() {
  return {.id = "abcd", .known = true, .notices = {"one", "two"}};
}

template <>
inline Events sample() {
  return {.after = 7, .follow = true};
}

template <>
inline EventsReport sample() {
  return {.last = 9};
}

template <>
inline Acknowledge sample() {
  return {.up_to = 9, .instance = "abc"};
}

inline FileEntry sample_entry() {
  return {.path = "a/b",
          .kind = EntryKind::link,
          .size = 1ULL << 40,
          .mtime_ns = -1,
          .mode = 0640,
          .sha256 = "abcd",
          .link_to = "../c",
          .uid = 1000,
          .gid = 1001};
}

template <>
inline StatFile sample() {
  return {.path = "b", .below = "~/a", .follow = true, .digest = true};
}

template <>
inline StatFileReport sample() {
  return {.found = true, .entry = sample_entry(), .foreign = true};
}

template <>
inline ReadFile sample() {
  return {.path = "b", .below = "~/a", .from = 1, .max = 2};
}

template <>
inline ReadFileReport sample() {
  return {.next = 3, .eof = true, .entry = sample_entry()};
}

template <>
inline WriteFile sample() {
  return {.path = "b",
          .below = "~/a",
          .upload = "u1",
          .from = 4,
          .data = std::string("a\0b", 3),
          .last = true,
          .size = 7,
          .mode = 0600,
          .mtime_ns = 5,
          .parents = 0700,
          .expected = "",  // said, though empty
          .durable = true};
}

template <>
inline WriteFileReport sample() {
  return {.next = 7, .done = true, .entry = sample_entry(), .ahead = 9};
}

template <>
inline RemoveFiles sample() {
  return {.paths = {"b", "c"}, .below = "~/a"};
}

template <>
inline RemoveFilesReport sample() {
  return {.removed = 1, .failed = {{"c", "why"}}};
}

template <>
inline ListFiles sample() {
  return {.path = "b", .below = "~/a", .deep = true, .digests = true, .after = "c", .max = 9};
}

template <>
inline ListFilesReport sample() {
  return {.entries = {sample_entry(), {.path = "d"}}, .more = true, .passed_over = 2};
}

template <>
inline ReadLines sample() {
  return {.path = "b", .below = "~/a", .first_line = 5, .max_lines = 6, .max_bytes = 7};
}

template <>
inline ReadLinesReport sample() {
  return {.data = std::string("a\0b\nc", 5),
          .lines = 2,
          .offset = 8,
          .cut = true,
          .total_lines = 9,
          .ends_with_newline = true,
          .entry = sample_entry(),
          .device = 10,
          .inode = 11,
          .head = "a"};
}

template <>
inline SearchFiles sample() {
  return {.path = "~/a",
          .pattern = "-e",
          .mode = SearchMode::names,
          .globs = {"*.h", "!x"},
          .offset = 1,
          .limit = 2,
          .context = 3,
          .max_line = 4,
          .time_limit_ms = 5,
          .engine = SearchEngine::runner};
}

template <>
inline SearchReport sample() {
  const FoundLine line{.number = 7, .text = "text", .context = true, .cut = true};
  return {.root = "/a",
          .engine = SearchEngine::ripgrep,
          .engine_version = "13.0.0",
          .engine_path = "/usr/bin/rg",
          .files = {{.path = "b", .matches = 1, .mtime_ns = -2, .lines = {line, {.number = 8}}}},
          .total_lines = 9,
          .total_files = 3,
          .more = true,
          .timed_out = true,
          .failed = {{"c", "why"}},
          .total_failed = 4};
}

template <>
inline RunnerEvent sample() {
  return {.number = 9,
          .kind = RunnerEvent::Kind::watch_unmuted,
          .process = "proc_1",
          .session = "default",
          .owner = "chat-1",
          .command = "make",
          .time_ms = 10,
          .announced = true,
          .ended = Ended::killed,
          .code = 3,
          .signal = 9,
          .source = "kill_all",
          .output = "the end",
          .pattern = "error",
          .suppressed = 4,
          .message = "reported",
          .dropped = 5};
}

template <>
inline LocateFile sample() {
  return {.path = "~x/a", .session = "s", .first_cwd = "/w", .home = "/h", .neighbours = 5};
}

template <>
inline LocateFileReport sample() {
  return {.path = "/w/a",
          .real = "/v/a",
          .directory = "/w",
          .home = "/root",
          .found = true,
          .entry = sample_entry(),
          .device = 1,
          .inode = 2,
          .has_parent = true,
          .umask = 022,
          .neighbours = {"b", "c"}};
}

template <>
inline ChangeFiles sample() {
  return {.id = "c1",
          .files = {{.kind = ChangeKind::move,
                     .path = "/b",
                     .from = "/a",
                     .upload = "u",
                     .size = 3,
                     .expected = "d",
                     .mode = 0600},
                    {.path = "/c"}}};
}

template <>
inline ChangeFilesReport sample() {
  return {.entries = {sample_entry()}};
}

}  // namespace talaria::link
