// A row about a target that has a file of its own.
#pragma once

#include "bench/home.h"
#include "bench/row.h"
#include "bench/target.h"

namespace talaria::bench {

Row measure_streamed(const Home& home, const BenchTarget& target);  // streamed.cc

}  // namespace talaria::bench
