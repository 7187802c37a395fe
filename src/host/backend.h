// Backend: a kind of target this program can serve, and how environments are made there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/gate.h"
#include "base/result.h"
#include "base/task.h"
#include "environment/environment.h"
#include "environment/session_record.h"
#include "environment/swept.h"
#include "environment/target_config.h"
#include "environment/warm_pool.h"
#include "host/config.h"

namespace talaria::host {

// An environment that is wanted.
struct EnvironmentRequest {
  Config config;
  std::string id;                     // the task it is for, or "default": what it is found again by
  std::string runner = "local";       // of target local: which (runner_choice.h)
  bool existing = false;              // fails with not_found if it would have to be made
  std::string place = {};             // of an existing one: which, if the task has several
  bool has_credential_files = false;  // there are some that commands are to have
  std::vector<environment::BoundPath> mounts =
      {};  // what of the home a container shows (SharedBy::mounts)
  std::function<void(const std::string&)> progress = {};  // called about work that takes long
  std::shared_ptr<Gate> gate = {};  // lets so many ask an engine at the same time
  std::shared_ptr<environment::SessionRecord> sessions = {};  // of it, which outlives the program
};

// What is to be removed of what was made at a target.
struct SweepRequest {
  Config config;
  bool running = false;  // also what runs and is meant to be found again, if it is not in use
  bool dry_run = false;  // only look
};

// How a target gets what of the home is shared with it (shared/shared_files.h).
enum class SharedBy {
  none,    // it has the home itself, or nothing of it
  mounts,  // EnvironmentRequest::mounts: it shows them
  copies,  // copied there before commands; changes are brought back at the end
};

struct Backend {
  using Made = Result<std::unique_ptr<environment::Environment>>;
  using Make = std::function<Task<Made>(EnvironmentRequest)>;
  // For a backend whose environments exist at once: what takes time is done for the first command.
  using MakeAtOnce = std::function<Made(const EnvironmentRequest&)>;
  // Whether it is available, as far as can be determined without doing anything.
  using Check = std::function<Result<void>(const Config&)>;

  // Whether it answers now.
  using Reach = std::function<Task<Result<void>>(Config)>;

  Backend(std::string its_name, Make its_make);
  Backend(std::string its_name, MakeAtOnce its_make);

  // Removes what was made there and is no longer needed. An error: the target does not answer.
  using Sweep = std::function<Task<Result<std::vector<environment::Swept>>>(SweepRequest)>;

  // Whether the task's environment runs already, where making or starting one costs.
  using IsUp = std::function<Task<Result<bool>>(EnvironmentRequest)>;

  // Fills the pool of environments that wait, if the configuration has one.
  using FillPool = std::function<void(const EnvironmentRequest&)>;

  std::string name;  // as in TERMINAL_ENV
  Make make;
  FillPool fill_pool = nullptr;                           // may be null: it has none
  std::shared_ptr<environment::WarmPool> pool = nullptr;  // may be null: it has none
  IsUp is_up = nullptr;   // may be null: it costs nothing to have one
  Sweep sweep = nullptr;  // may be null: nothing is made there
  Check check = [](const Config&) { return Result<void>(); };
  Reach reach = nullptr;  // may be null: check() says all there is to say
  SharedBy shared_by = SharedBy::none;
  std::string shared_base = "~/.hermes";  // where copies go
  // Which account they are in; null: there is only one.
  std::function<std::string(const Config&)> shared_account = nullptr;
  bool shared_by_tasks = false;  // all tasks have the same copies, which outlive environments
};

}  // namespace talaria::host
