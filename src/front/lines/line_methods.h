// What a client of JSON lines may ask beside tool calls:
//   env.list                                        {"environments":[{"id",...}]}
//   env.remove    {"id"|"all":true,"force"?}        {"removed":1}
//   env.override  {"task","overrides":{...}|null}   {}     null: none any more
//   env.pass_through  {"names":[...]}               {"refused":[{"name","reason"}]}
//   files.share   {"files":[...]}                   {"missing":[{"path","reason"}]}
//   processes.kill_all  {["task"][,"all":true]}     {"killed","survivors"[,"errors"]}   all: also
//   those of
//                                                   lifetime keep
#pragma once

#include <talaria/asio.h>

#include <optional>

#include "base/result.h"
#include "base/task.h"
#include "front/lines/line_protocol.h"

namespace talaria {

// Nothing if it takes time: answer_later() has it then.
std::optional<Result<json::object>> answer_method(AsioRuntime& runtime, const AskMethod& ask);

Task<Result<json::object>> answer_later(AsioRuntime& runtime, AskMethod ask);

}  // namespace talaria
