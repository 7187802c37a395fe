// `talaria doctor`: whether Talaria can work here.
#pragma once

#include "front/cli/command_line.h"
#include "front/stdio.h"

namespace talaria::front::cli {

int doctor_front(const DoctorOptions& options, const Stdio& stdio);

}  // namespace talaria::front::cli
