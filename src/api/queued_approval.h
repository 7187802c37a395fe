// A stored question in the form of the public interface.
#pragma once

#include <talaria/approval.h>

#include <string>

#include "host/store/stored_approval.h"

namespace talaria {

QueuedApproval to_queued(const host::StoredApproval& stored);

// "pid 123": who answered, for programs that answer later.
std::string answerer_here();

}  // namespace talaria
