// `talaria doctor`: whether Talaria can work here.
#pragma once

#include "base/task.h"
#include "front/cli/command_line.h"
#include "front/stdio.h"
#include "host/caller.h"

namespace talaria {

Task<int> doctor_front(const Caller& caller, DoctorOptions options, Stdio stdio);

}  // namespace talaria
