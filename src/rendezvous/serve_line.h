// The one line that `talaria-runner serve` prints, and what it means to whoever started it.
#pragma once

#include <string>
#include <string_view>

namespace talaria::rendezvous {

enum class Served {
  ready,   // a runner serves now
  taken,   // another one has the directory: it serves, is about to, or is about to end
  failed,  // the line says why
};

std::string ready_line(std::string_view instance);
std::string taken_line(std::string_view directory);

Served read_serve_line(std::string_view line);

}  // namespace talaria::rendezvous
