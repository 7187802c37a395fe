#include "host/store/call_store.h"

#include <unistd.h>

#include "host/store/stored_values.h"
#include "os/proc.h"
#include "os/signal.h"

namespace talaria::host {
namespace {

// A process can be seen only from its own machine, in the same boot.
StoredCall read_call(const Query& row) {
  StoredCall call{.owner = row.text(0),
                  .tool = row.text(1),
                  .began = time_of(row.number(2)),
                  .end_wanted = row.number(7) != 0};
  if (const auto answer = json_of(row.text(3)); answer.is_object()) {
    call.answer = answer.get_object();
  }
  const bool here = row.text(4) == os::boot_id();
  const bool runs = here && os::is_running({static_cast<pid_t>(row.number(5)), row.count(6)});
  call.lost = !call.answer && !runs;
  return call;
}

}  // namespace

Result<void> CallStore::add(std::string_view id, std::string_view owner, std::string_view tool) {
  const auto own = os::read_process_stat(::getpid());
  return home_->run(
      "INSERT OR REPLACE INTO calls (id, owner, tool, began, answer, boot, pid, start, end_wanted) "
      "VALUES (?, ?, ?, ?, '', ?, ?, ?, 0)",
      id, owner, tool, now_stored(), os::boot_id(), static_cast<std::int64_t>(::getpid()),
      own ? own->start_time : 0);
}

Result<void> CallStore::end(std::string_view id, std::string_view answer) {
  return home_->run("UPDATE calls SET answer = ? WHERE id = ?", answer, id);
}

Result<std::optional<StoredCall>> CallStore::find(std::string_view id) {
  return home_->first(read_call,
                      "SELECT owner, tool, began, answer, boot, pid, start, end_wanted FROM calls "
                      "WHERE id = ?",
                      id);
}

Result<void> CallStore::want_end(std::string_view id) {
  return home_->run("UPDATE calls SET end_wanted = 1 WHERE id = ?", id);
}

}  // namespace talaria::host
