#include "modal/snapshot.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <task_command_router.grpc.pb.h>

#include "modal/ask.h"
#include "os/random.h"

namespace talaria::modal {

CallResult<std::string> snapshot(Router& router, std::chrono::seconds ttl,
                                 const Patience& patience) {
  ::modal::task_command_router::TaskSnapshotFilesystemRequest request;
  request.set_task_id(router.task());
  request.set_snapshot_id(os::random_uuid());
  request.set_ttl_seconds(ttl.count());
  const auto answer =
      ask(router, "TaskSnapshotFilesystem",
          &::modal::task_command_router::TaskCommandRouter::Stub::TaskSnapshotFilesystem, request,
          Patience{patience.deadline, patience.interrupt, std::chrono::hours(1)});
  if (!answer) return failed(answer.error());
  return answer->image_id();
}

}  // namespace talaria::modal
