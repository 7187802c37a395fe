// The guard as a Judge: what it needs to know of a call is taken from the configuration.
#pragma once

#include "policy/approval/judge.h"

namespace talaria {

Judge guard_judge();

}  // namespace talaria
