// The pools of singularity: instances that wait for a task. Each has an overlay of its own, which
// becomes that of the task.
#pragma once

#include <optional>
#include <string>

#include "environment/singularity/instance_maker.h"
#include "environment/warm_pool.h"

namespace talaria::environment::singularity {

// The pool for instances like those of `maker`. Nothing: they keep no files, so none can wait.
std::optional<PoolSpec> instance_pool(const asio::any_io_executor& executor,
                                      const InstanceMaker& maker);

// Stops one and removes what was made for it. False: it may still run.
Task<bool> remove_pool_instance(SingularityEngine engine, std::string overlay, std::string name);

}  // namespace talaria::environment::singularity
