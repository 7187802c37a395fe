#include "front/gateway/user_places.h"

#include <algorithm>
#include <utility>

#include "front/gateway/limits.h"
#include "front/lines/line_params.h"

namespace talaria::front::gateway {

namespace json = boost::json;
using lines::LineParams;
using lines::LinePlace;
using lines::param_error;

namespace {

HomeSandbox shown(SandboxInfo info) {
  if (info.directory.empty()) info.directory = info.spec.cwd;
  return {.info = std::move(info)};
}

Result<void> check_wish(const LineParams& params, const GatewayCall& call,
                        const std::string& target) {
  for (const char* name : {"env", "name"}) {
    if (!params.has(name)) continue;
    return fail(param_error(name, "not at a gateway; give variables with each command"));
  }
  if (const std::string wanted = params.text("target", target); wanted != target) {
    return fail(param_error("target", "this gateway has the target '" + target + "' only"));
  }
  if (const std::string image = params.text("image");
      !permits_image(call.token.scope.images, image)) {
    return fail(ErrorKind::denied, "this token is not valid for image '" + image + "'");
  }
  for (const char* name : {"image", "cwd"}) {
    const std::string text = params.text(name);
    if (text.size() <= kMaxSandboxText && !text.contains('\0')) continue;
    return fail(param_error(name, "at most 4096 bytes, and no NUL"));
  }
  for (const char* name : {"cpu", "memory_mb", "disk_mb"}) {
    if (params.number(name).value_or(0) <= kMaxResource) continue;
    return fail(param_error(name, "at most 1000000000"));
  }
  if (params.text("key").size() > kMaxIdempotencyKey) {
    return fail(param_error("key", "at most 256 bytes"));
  }
  return {};
}

}  // namespace

Task<Result<LinePlace>> UserPlaces::find(std::string task, std::string sandbox) {
  if (!task.empty()) {
    co_return fail(ErrorKind::bad_request,
                   "a task cannot be named at a gateway; name a sandbox (sandboxes.create)");
  }
  if (sandbox.empty()) {
    co_return fail(ErrorKind::bad_request, "a sandbox is required (sandboxes.create makes one)");
  }
  auto use = gateway_.sandboxes().use(call_->owner(), sandbox, call_->token.scope);
  if (!use) co_return fail(use.error());
  LinePlace place{.task = sandbox,
                  .session_key = sandbox,
                  .first_directory = std::move(use->directory),
                  .use = std::move(use->held)};
  if (!use->home.empty()) place.variables.push_back("HOME=" + use->home);
  co_return place;
}

Task<Result<HomeSandbox>> UserPlaces::create(const LineParams& params) {
  if (const auto fine = check_wish(params, *call_, gateway_.options().target); !fine) {
    co_return fail(fine.error());
  }
  if (gateway_.stopping()) co_return fail(ErrorKind::unavailable, "the gateway is stopping");
  auto spec = lines::sandbox_spec(params);
  if (!spec) co_return fail(spec.error());
  const auto within = [](std::chrono::milliseconds asked) {
    return asked.count() == 0 || asked > kLongestSandbox ? kLongestSandbox : asked;
  };
  spec->lifetime = within(spec->lifetime);
  spec->idle = within(spec->idle);
  spec->persistent = params.flag("persistent");
  auto made = co_await gateway_.sandboxes().create(call_->owner(), std::move(*spec),
                                                   params.text("key"), call_->token.scope);
  if (!made) co_return fail(made.error());
  co_return shown(std::move(*made));
}

Result<HomeSandbox> UserPlaces::sandbox(const std::string& id) {
  auto found = gateway_.sandboxes().find(call_->owner(), id);
  if (!found) return fail(found.error());
  return shown(std::move(*found));
}

std::vector<HomeSandbox> UserPlaces::sandboxes() {
  std::vector<HomeSandbox> all;
  for (SandboxInfo& one : gateway_.sandboxes().list(call_->owner())) {
    all.push_back(shown(std::move(one)));
  }
  return all;
}

Task<Result<bool>> UserPlaces::remove(std::string id, bool snapshot) {
  const bool there = gateway_.sandboxes().find(call_->owner(), id).has_value();
  const auto ended =
      co_await gateway_.sandboxes().terminate(call_->owner(), std::move(id), snapshot);
  if (!ended && ended.error().kind() == ErrorKind::not_found) co_return false;
  if (!ended) co_return fail(ended.error());
  if (!ended->snapshot_error.empty()) {
    co_return fail(ErrorKind::unavailable,
                   "it was removed, but its snapshot could not be saved: " + ended->snapshot_error);
  }
  co_return there;
}

Result<void> UserPlaces::may_approve() const {
  if (call_->from_command) {
    return fail(ErrorKind::denied,
                "a command cannot answer questions about commands: this client is a process that a "
                "command of Talaria has started");
  }
  if (call_->token.scope.approve) return {};
  return fail(ErrorKind::denied,
              "this token cannot approve commands (talaria token add --approve)");
}

bool UserPlaces::may_see(const std::string& task) const {
  return gateway_.sandboxes().find(call_->owner(), task).has_value();
}

}  // namespace talaria::front::gateway
