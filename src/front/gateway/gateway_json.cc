#include "front/gateway/gateway_json.h"

#include <array>
#include <cstdio>
#include <random>

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

}  // namespace

namespace {

json::value held(double limit) { return limit > 0 ? json::value(limit) : json::value(nullptr); }

}  // namespace

json::object sandbox_json(const SandboxInfo& sandbox) {
  return {{"id", sandbox.id},
          {"status", status_of(sandbox.state)},
          {"target", sandbox.target},
          {"isolated", sandbox.isolated},
          {"limits",
           {{"cpu", held(sandbox.limits.cpu)},
            {"memoryMiB", held(sandbox.limits.memory_mib)},
            {"diskMiB", held(sandbox.limits.disk_mib)}}},
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
  json::object told{{"execId", exec.id}, {"status", exec_state_name(exec.state)}};
  const bool ended = has_ended(exec.state);
  if (with_output) told["output"] = ended ? std::string_view(exec.output) : std::string_view();
  told["returncode"] = ended ? json::value(exec.returncode) : json::value(nullptr);
  told["outputBytes"] = exec.output_bytes;
  told["truncated"] = exec.truncated;
  if (!exec.reason.empty()) told["reason"] = exec.reason;
  if (!exec.approval.empty()) told["approvalId"] = exec.approval;
  told["createdAt"] = utc_time_ms(exec.created);
  if (exec.started) told["startedAt"] = utc_time_ms(*exec.started);
  if (exec.ended) told["endedAt"] = utc_time_ms(*exec.ended);
  return told;
}

std::string new_request_id() {
  static std::mt19937_64 numbers{std::random_device{}()};
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "req_%016llx",
                static_cast<unsigned long long>(numbers()));
  return text.data();
}

}  // namespace talaria::front::gateway
