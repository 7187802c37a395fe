#include "runner/list_room.h"

#include <algorithm>
#include <utility>

#include "runner/run_report.h"

namespace talaria::runner {
namespace {

std::size_t size_of(const link::ProcessEntry& entry) {
  std::size_t size = sizeof entry + entry.process.size() + entry.start_id.size() +
                     entry.session.size() + entry.command.size() + entry.cwd.size() +
                     entry.source.size() + entry.owner.size() +
                     entry.sizes.size() * sizeof(link::SizeChange);
  for (const std::string& pattern : entry.watch) size += sizeof pattern + pattern.size();
  return size;
}

// A caller that asks for this process alone gets the rest.
void shorten(link::ProcessEntry& entry) {
  entry.command.resize(std::min(entry.command.size(), kShownCommand));
  entry.cwd.clear();
  entry.watch.clear();
  if (entry.sizes.size() > 1) entry.sizes.erase(entry.sizes.begin(), entry.sizes.end() - 1);
}

}  // namespace

link::ProcessEntry ListRoom::entry(const Run& run, std::uint64_t tail_limit) {
  link::ProcessEntry entry = process_entry(run, kKeptCommand, 0);
  if (size_of(entry) > left_) {
    shorten(entry);
    left_ = 0;
    return entry;
  }
  left_ -= size_of(entry);
  OutputLog::Piece tail =
      run.output().tail(std::min<std::uint64_t>({tail_limit, left_, kMaxReportedOutput}), 0);
  left_ -= tail.bytes.size();
  if (tail_limit > 0) entry.tail_from = tail.from;
  entry.tail = std::move(tail.bytes);
  return entry;
}

}  // namespace talaria::runner
