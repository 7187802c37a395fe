#include "front/cli/process/read_output.h"

#include <utility>

namespace talaria {

Task<Result<OutputRead>> read_output(AsioProcesses processes, std::string id, std::uint64_t from,
                                     std::function<void(std::string_view)> on_output,
                                     Cancel cancel) {
  std::uint64_t lost = 0;
  for (;;) {
    auto read = co_await processes.read({.id = id, .from = from}, on_output, cancel);
    if (!read) co_return read;
    lost += read->lost;
    read->lost = lost;
    if (read->next <= from || read->next >= read->total) co_return read;
    from = read->next;
  }
}

}  // namespace talaria
