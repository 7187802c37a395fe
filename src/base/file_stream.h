// FileSource and FileSink: bytes of a file on their way to a target, or from one, at the pace of
// the other side. All of it happens on one loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/output_flow.h"
#include "base/result.h"
#include "base/task.h"

namespace talaria {

// Where the bytes of an upload come from.
struct FileSource {
  // At most so many; empty: the end. An Error: there will be no end.
  std::function<Task<Result<std::string>>(std::size_t most)> next;
  std::function<void()> stop;  // nothing more is wanted: next() returns
};

// Where those of a download go.
struct FileSink {
  std::function<void(std::string_view bytes)> take;
  std::shared_ptr<OutputFlow> flow;   // may hold up what comes
  std::function<Task<void>()> taken;  // returns when there is room for more
};

}  // namespace talaria
