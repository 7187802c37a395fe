// ChangeFiles: files are written, removed and moved, if nobody changed them. Answered at once.
#include "link/edit_messages.h"
#include "runner/files/file_changes.h"
#include "runner/request/open_request.h"

namespace talaria::runner {

Result<Begun> begin_request(const RequestContext& context, const link::ChangeFiles& changes) {
  const auto report =
      context.parts.file_changes().apply(context.parts.home(), context.parts.uploads(), changes);
  if (!report) return fail(report.error());
  return link::encode(*report);
}

}  // namespace talaria::runner
