// LinePlaces: where the calls of a client go: which tasks and sandboxes it may name, and what that
// means for a command there.
#pragma once

#include <talaria/sandbox.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "base/result.h"
#include "base/task.h"
#include "front/lines/line_params.h"

namespace talaria::front::lines {

struct LinePlace {
  std::string task;
  std::vector<std::string> variables;  // NAME=value: of every command there
  std::string session_key;             // of calls that name none; empty: as configured
  std::string first_directory;         // where a session that is new begins; empty: as configured
  std::shared_ptr<void> use;           // it is in use for as long as this lives
};

// What parameters of sandboxes.create say of the sandbox itself.
Result<SandboxSpec> sandbox_spec(const LineParams& params);

class LinePlaces {
 public:
  virtual ~LinePlaces() = default;

  // "stdio" or "websocket".
  virtual std::string_view transport() const = 0;
  // Further members of the greeting.
  virtual json::object describe() const = 0;

  // Both may be empty: the client's own task. An Error (bad_request): it may not name that;
  // (not_found): there is no such sandbox.
  virtual Task<Result<LinePlace>> find(std::string task, std::string sandbox) = 0;

  // Sandboxes. `params`: of sandboxes.create, as the table of methods declares them.
  virtual Task<Result<HomeSandbox>> create(const LineParams& params) = 0;
  virtual Result<HomeSandbox> sandbox(const std::string& id) = 0;
  virtual std::vector<HomeSandbox> sandboxes() = 0;
  // False: it did not exist.
  virtual Task<Result<bool>> remove(std::string id, bool snapshot) = 0;

  // Why a request may not be made now (a rate is exceeded); nothing: it may.
  virtual std::optional<Error> refusal() { return std::nullopt; }
  // Whether the client may answer questions about commands. An Error says why not.
  virtual Result<void> may_approve() const { return {}; }

  // Whether the client may know of what belongs to a task; and of whatever there is.
  virtual bool may_see(const std::string& task) const = 0;
  virtual bool sees_all() const = 0;
};

}  // namespace talaria::front::lines
