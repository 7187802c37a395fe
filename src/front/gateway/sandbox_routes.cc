// The routes about sandboxes.
#include <algorithm>

#include <boost/json/array.hpp>

#include "front/gateway/gateway_json.h"
#include "front/gateway/limits.h"
#include "front/gateway/request_fields.h"
#include "front/gateway/routes.h"

namespace talaria::front::gateway {

namespace json = boost::json;

Task<ServedResponse> create_sandbox(Gateway& gateway, GatewayCall& call) {
  RequestFields fields(call.request.body);
  SandboxSpec spec{.image = fields.text("image"),
                   .cwd = fields.text("cwd"),
                   .cpu = fields.number("cpu"),
                   .memory_mib = fields.number("memoryMiB"),
                   .disk_mib = fields.number("diskMiB"),
                   .lifetime = fields.milliseconds("timeoutMs"),
                   .idle = fields.milliseconds("idleTimeoutMs"),
                   .persistent = fields.flag("persistentFilesystem"),
                   .logical_key = fields.text("logicalKey")};
  for (const std::string* text : {&spec.image, &spec.cwd, &spec.logical_key}) {
    if (text->size() > kMaxSandboxText || text->contains('\0')) {
      fields.flawed("image, cwd and logicalKey must have at most 4096 bytes and no NUL");
    }
  }
  if (std::max({spec.cpu, spec.memory_mib, spec.disk_mib}) > kMaxResource) {
    fields.flawed("cpu, memoryMiB and diskMiB must be at most 1000000000");
  }
  if (!spec.cwd.empty() && !spec.cwd.starts_with('/') && !spec.cwd.starts_with('~')) {
    fields.flawed("cwd must be an absolute path, or begin with ~");
  }
  if (!fields.check()) co_return error_response(fields.check().error());
  const auto within = [](std::chrono::milliseconds asked) {
    return asked.count() == 0 || asked > kLongestSandbox ? kLongestSandbox : asked;
  };
  spec.lifetime = within(spec.lifetime);
  spec.idle = within(spec.idle);
  const std::string key = call.request.header("x-idempotency-key");
  if (key.size() > kMaxIdempotencyKey) {
    co_return error_response(400, "x-idempotency-key must have at most 256 bytes");
  }
  if (!permits_image(call.token.scope.images, spec.image)) {
    co_return error_response(403, "this token is not valid for image '" + spec.image + "'");
  }
  if (gateway.stopping()) co_return error_response(503, "the gateway is stopping");
  const auto made =
      co_await gateway.sandboxes().create(call.owner(), std::move(spec), key, call.token.scope);
  if (!made) co_return error_response(made.error());
  co_return json_response(made->existed ? 200 : 201, sandbox_json(*made));
}

Task<ServedResponse> list_sandboxes(Gateway& gateway, GatewayCall& call) {
  json::array list;
  for (const SandboxInfo& one : gateway.sandboxes().list(call.owner())) {
    list.push_back(sandbox_json(one));
  }
  co_return json_response(200, json::object{{"sandboxes", std::move(list)}});
}

Task<ServedResponse> show_sandbox(Gateway& gateway, GatewayCall& call) {
  const auto found = gateway.sandboxes().find(call.owner(), call.sandbox);
  if (!found) co_return error_response(found.error());
  co_return json_response(200, sandbox_json(*found));
}

Task<ServedResponse> terminate_sandbox(Gateway& gateway, GatewayCall& call) {
  RequestFields fields(call.request.body);
  const bool snapshot = fields.flag("snapshotBeforeTerminate");
  if (!fields.check()) co_return error_response(fields.check().error());
  const auto left = co_await gateway.sandboxes().terminate(call.owner(), call.sandbox, snapshot);
  if (!left) co_return error_response(left.error());
  json::object answer{{"id", call.sandbox}, {"status", "terminated"}};
  if (!left->snapshot_error.empty()) answer["snapshotError"] = left->snapshot_error;
  co_return json_response(200, answer);
}

}  // namespace talaria::front::gateway
