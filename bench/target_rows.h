// Rows about a target that are measured in files of their own.
#pragma once

#include "bench/home.h"
#include "bench/row.h"
#include "bench/target.h"

namespace talaria::bench {

Row measure_streamed(const Home& home, const BenchTarget& target);           // streamed.cc
Row measure_many_environments(const Home& home, const BenchTarget& target);  // many_environments.cc

}  // namespace talaria::bench
