// Resize: the terminal of a process gets another size. Answered at once.
#include "runner/request/open_request.h"
#include "runner/terminal_size.h"

namespace talaria::runner {

Result<Begun> begin_resize(const RequestContext& context, std::string_view body) {
  const auto resize = link::decode<link::Resize>(body);
  if (!resize) return fail(resize.error());
  if (const auto valid = check_terminal_size(resize->size); !valid) return fail(valid.error());
  const auto run = context.supervisor.runs().get(resize->process);
  if (!run) return fail(run.error());
  if (const auto resized = (*run)->resize(resize->size); !resized) return fail(resized.error());
  return std::string();
}

}  // namespace talaria::runner
