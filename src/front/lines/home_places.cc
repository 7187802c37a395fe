#include "front/lines/home_places.h"

#include <utility>

#include "api/asio_sessions.h"

namespace talaria::front::lines {

json::object HomePlaces::describe() const { return {{"home", runtime_.facts().home}}; }

// Sessions begin where those of tools do.
Task<Result<LinePlace>> HomePlaces::find(std::string task, std::string sandbox) {
  LinePlace place{.task = task.empty() ? own_task_ : std::move(task)};
  if (!sandbox.empty()) {
    auto found = sandboxes_.find(sandbox);
    if (!found) co_return fail(found.error());
    auto use = sandboxes_.use(sandbox);
    if (!use) co_return fail(use.error());
    place = {.task = std::move(sandbox),
             .variables = std::move(found->variables),
             .use = std::move(*use)};
  }
  place.first_directory = AsioSessions(runtime_).first_directory(place.task);
  co_return place;
}

Task<Result<HomeSandbox>> HomePlaces::create(const LineParams& params) {
  if (params.flag("persistent")) {
    co_return fail(param_error(
        "persistent", "only at a gateway; here the setting TERMINAL_CONTAINER_PERSISTENT decides"));
  }
  auto spec = sandbox_spec(params);
  if (!spec) co_return fail(spec.error());
  HomeSandboxWish wish{.spec = std::move(*spec),
                       .target = params.text("target"),
                       .name = params.text("name"),
                       .variables = params.variables("env"),
                       .key = params.text("key")};
  co_return co_await sandboxes_.create(std::move(wish));
}

Task<Result<bool>> HomePlaces::remove(std::string id, bool snapshot) {
  if (snapshot) co_return fail(param_error("snapshot", "only at a gateway"));
  co_return co_await sandboxes_.remove(std::move(id));
}

}  // namespace talaria::front::lines
