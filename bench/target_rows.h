// A row about a target that has a file of its own.
#pragma once

#include "bench/home.h"
#include "bench/rows.h"
#include "bench/target.h"

namespace talaria::bench {

Row measure_streamed(const Options& options, const Home& home,
                     const BenchTarget& target);  // streamed.cc

}  // namespace talaria::bench
