// A question of the store as programs see it.
#pragma once

#include <talaria/approval.h>

#include <string>

#include "host/store/stored_approval.h"

namespace talaria {

QueuedApproval to_queued(const host::StoredApproval& stored);

// "pid 123", for whoever comes second.
std::string answerer_here();

}  // namespace talaria
