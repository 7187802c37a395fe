#include "front/lines/home_places.h"

#include <utility>

namespace talaria::front::lines {

json::object HomePlaces::describe() const { return {{"home", runtime_.facts().home}}; }

Task<Result<LinePlace>> HomePlaces::find(std::string task, std::string sandbox) {
  if (!sandbox.empty()) {
    co_return fail(ErrorKind::not_found, "unknown sandbox '" + sandbox + "'");
  }
  co_return LinePlace{.task = task.empty() ? own_task_ : std::move(task)};
}

}  // namespace talaria::front::lines
