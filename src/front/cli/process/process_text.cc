#include "front/cli/process/process_text.h"

#include <boost/json/array.hpp>

#include "base/signal_name.h"
#include "base/text.h"
#include "front/cli/command_line.h"
#include "front/cli/report.h"
#include "front/cli/table.h"
#include "front/unix_seconds.h"

namespace talaria::front::cli {
namespace {

Look look_of(const ProcessInfo& info) {
  if (info.running) return info.waiting_for_input ? Look::doubtful : Look::plain;
  return info.ended == ProcessEnd::exited && info.exit_code == 0 ? Look::faint : Look::bad;
}

}  // namespace

std::string state_text(const ProcessInfo& info) {
  if (info.running) return info.waiting_for_input ? "waiting for input" : "running";
  switch (info.ended) {
    case ProcessEnd::killed:
      return "killed";
    case ProcessEnd::lost:
      return "lost";
    case ProcessEnd::exited:
      break;
  }
  if (info.exit_code < 0) return signal_name(-info.exit_code);
  return "exited " + std::to_string(info.exit_code);
}

std::string end_text(const ProcessInfo& info) {
  switch (info.ended) {
    case ProcessEnd::killed:
      return "was killed" + (info.source.empty() ? "" : " (" + one_line(info.source) + ")");
    case ProcessEnd::lost:
      return "was lost with its runner; its exit code is unknown";
    case ProcessEnd::exited:
      break;
  }
  if (info.exit_code < 0) return "was killed by " + signal_name(-info.exit_code);
  return "exited with code " + std::to_string(info.exit_code);
}

Error with_advice(const Error& error) {
  constexpr std::string_view kUnknown = "No process with ID ";
  if (!error.message().starts_with(kUnknown)) return error;
  return Error(error.kind(), "unknown process '" + error.message().substr(kUnknown.size()) +
                                 "'. `talaria ps --all` lists the running and recent ones.");
}

std::string already_ended(const ProcessInfo& info) {
  if (info.ended == ProcessEnd::lost) return info.id + " " + end_text(info);
  return info.id + " had already ended: it " + end_text(info);
}

int exit_code_for(const ProcessInfo& info) {
  if (info.ended == ProcessEnd::lost) return kExecFailed;
  return info.exit_code < 0 ? 128 - info.exit_code : info.exit_code;
}

boost::json::object process_json(const ProcessInfo& info) {
  boost::json::object object{{"id", info.id},
                             {"status", info.running ? "running" : "exited"},
                             {"command", sanitize_utf8(info.command)},
                             {"cwd", sanitize_utf8(info.cwd)},
                             {"task", sanitize_utf8(info.task)},
                             {"target", info.target},
                             {"pid", info.pid},
                             {"started", unix_seconds(info.started)},
                             {"lifetime", lifespan_name(info.lifespan)},
                             {"pty", !info.terminal.empty()},
                             {"takes_input", info.takes_input},
                             {"output_bytes", info.output_bytes}};
  if (info.running) {
    object["waiting_for_input"] = info.waiting_for_input;
  } else {
    object["finished"] = unix_seconds(info.finished);
    object["exit_code"] = info.exit_code;
    object["completion_reason"] = end_name(info.ended);
    object["termination_source"] = sanitize_utf8(info.source);
    object["background_children"] = info.background_children;
  }
  return object;
}

std::string process_table(const std::vector<ProcessInfo>& processes, const TextStyle& style) {
  Table table({"ID", "STATUS", "AGE", "TASK", "TARGET", "COMMAND"});
  for (const ProcessInfo& info : processes) {
    const std::string age =
        info.running ? age_text(info.started) : age_text(info.finished) + " ago";
    table.add({info.id, state_text(info), age, info.task.empty() ? "-" : info.task, info.target,
               info.command},
              look_of(info));
  }
  return table.drawn(style);
}

}  // namespace talaria::front::cli
