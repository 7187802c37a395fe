#include "front/gateway/gateway_json.h"

#include <boost/json/array.hpp>

#include "base/wall_time.h"

namespace talaria::front::gateway {

namespace json = boost::json;

namespace {

std::string_view status_of(SandboxState state) {
  switch (state) {
    case SandboxState::creating:
      return "creating";
    case SandboxState::running:
      return "running";
    case SandboxState::terminating:
    case SandboxState::terminated:
      break;
  }
  return "terminated";
}

json::value limit_json(double limit) {
  return limit > 0 ? json::value(limit) : json::value(nullptr);
}

}  // namespace

json::object sandbox_json(const SandboxInfo& sandbox) {
  return {{"id", sandbox.id},
          {"status", status_of(sandbox.state)},
          {"target", sandbox.target},
          {"isolated", sandbox.isolated},
          {"limits",
           {{"cpu", limit_json(sandbox.limits.cpu)},
            {"memoryMiB", limit_json(sandbox.limits.memory_mib)},
            {"diskMiB", limit_json(sandbox.limits.disk_mib)}}},
          {"cwd", sandbox.directory.empty() ? sandbox.spec.cwd : sandbox.directory},
          {"persistentFilesystem", sandbox.spec.persistent},
          {"logicalKey", sandbox.spec.logical_key},
          {"restored", sandbox.restored},
          {"execs", sandbox.live_execs},
          {"createdAt", utc_time_ms(sandbox.created)},
          {"lastUsedAt", utc_time_ms(sandbox.last_use)},
          {"features", json::array{"wait", "stream", "stdin", "signal", "snapshot"}}};
}

json::object exec_json(const ExecInfo& exec, bool with_output) {
  json::object object{{"execId", exec.id}, {"status", exec_state_name(exec.state)}};
  const bool ended = has_ended(exec.state);
  if (with_output) object["output"] = ended ? std::string_view(exec.output) : std::string_view();
  object["returncode"] = ended ? json::value(exec.returncode) : json::value(nullptr);
  object["outputBytes"] = exec.output_bytes;
  object["truncated"] = exec.truncated;
  if (!exec.reason.empty()) object["reason"] = exec.reason;
  if (!exec.approval.empty()) object["approvalId"] = exec.approval;
  object["createdAt"] = utc_time_ms(exec.created);
  if (exec.started) object["startedAt"] = utc_time_ms(*exec.started);
  if (exec.ended) object["endedAt"] = utc_time_ms(*exec.ended);
  return object;
}

}  // namespace talaria::front::gateway
