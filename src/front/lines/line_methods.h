// The methods of JSON lines, besides tool calls:
//   env.list                                        {"environments":[{"id",...}]}
//   env.remove    {"id"|"all":true,"force"?}        {"removed":1}
//   env.override  {"task","overrides":{...}|null}   {}     null: removes them
//   env.pass_through  {"names":[...]}               {"refused":[{"name","reason"}]}
//   files.share   {"files":[...]}                   {"missing":[{"path","reason"}]}
//   processes.kill_all  {["task"][,"all":true]}     {"killed","survivors"[,"errors"]}
//                                                   all: also those of lifetime keep
//   approvals.list  {["all"]}                       {"approvals":[{"id","command",...}]}
//   approvals.answer  {"answer","id"}               the approval
//                     {"answer","session_key"[,"all"]}  {"answered":1}   of this program
//   approvals.yolo  {"session_key","on"}            {}     no approvals for this session
//   approvals.clear {"session_key"}                 {}     removes its approvals
// and approvals.subscribe, approvals.unsubscribe (line_approvals.h), events.* (line_events.h).
#pragma once

#include <optional>

#include "api/asio_runtime.h"
#include "base/result.h"
#include "base/task.h"
#include "front/lines/line_protocol.h"

namespace talaria::front::lines {

// Refuses parameters that the method does not have, by name.
Result<void> check_params(const AskMethod& ask);

// Nothing: it takes time; call answer_later().
std::optional<Result<json::object>> answer_method(AsioRuntime& runtime, const AskMethod& ask);

Task<Result<json::object>> answer_later(AsioRuntime& runtime, AskMethod ask);

}  // namespace talaria::front::lines
