// ProcessCall: one call of the process tool. Each action is a function: process_look.cc has those
// that show processes, process_read.cc those that return output by byte or as a screen,
// process_act.cc those that change something.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/cancel.h"
#include "base/result.h"
#include "base/task.h"
#include "host/process_ledger.h"
#include "host/settings.h"
#include "tools/process_service.h"

namespace talaria::tool {

namespace json = boost::json;

struct ProcessCall {
  BackgroundProcess process;    // its id is empty for list
  host::ProcessLedger& ledger;  // outlives the call
  host::ConfigPtr config;
  json::object arguments;
  CancelToken cancel;
  std::function<void(std::string_view)> on_progress = {};  // wait: as in CallContext
  std::string file = {};  // read: the path of a file that is read instead of a process
};

Task<json::object> list_processes(ProcessCall call);
Task<json::object> poll_process(ProcessCall call);
Task<json::object> log_process(ProcessCall call);
Task<json::object> wait_process(ProcessCall call);
Task<json::object> read_process(ProcessCall call);
Task<json::object> show_screen(ProcessCall call);

Task<json::object> kill_process(ProcessCall call);
Task<json::object> signal_process(ProcessCall call);
Task<json::object> write_process(ProcessCall call);
Task<json::object> submit_process(ProcessCall call);
Task<json::object> close_process(ProcessCall call);
Task<json::object> resize_process(ProcessCall call);

// {"status":"not_found"|"error","error"}.
json::object describe_error(const ProcessCall& call, const Error& error);
json::object describe_error(std::string_view status, std::string_view error);

}  // namespace talaria::tool
