// What a client of JSON lines may ask beside tool calls:
//   env.list                                        {"environments":[{"id",...}]}
//   env.remove    {"id"}                            {}
//   env.override  {"task","overrides":{...}|null}   {}     null: none any more
#pragma once

#include <talaria/asio.h>

#include "base/result.h"
#include "front/lines/line_protocol.h"

namespace talaria {

Result<json::object> answer_method(AsioRuntime& runtime, const AskMethod& ask);

}  // namespace talaria
