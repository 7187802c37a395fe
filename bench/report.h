// How the rows are shown: one table for people, or one JSON object.
#pragma once

#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/row.h"

namespace talaria::bench {

std::string as_table(const Machine& machine, const std::vector<Row>& rows);
std::string as_json(const Machine& machine, const std::vector<Row>& rows);

}  // namespace talaria::bench
