// ListFiles: a page of a directory, a few entries at a time, so that other requests do not wait for
// a large tree or for the digests of its files.
#include <algorithm>
#include <optional>

#include "os/file.h"
#include "os/tree_walk.h"
#include "runner/files/digest_work.h"
#include "runner/files/file_place.h"
#include "runner/limits.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

class ListFilesRequest final : public OpenRequest {
 public:
  ListFilesRequest(const RequestContext& context, const link::ListFiles& list, os::TreeWalk walk)
      : OpenRequest(context, nullptr),
        walk_(std::move(walk)),
        digests_(list.digests),
        room_(list.max == 0 ? kListedFiles : std::min<std::uint64_t>(list.max, kListedFiles)) {}

  std::optional<Result<std::string>> progress() override {
    for (std::size_t i = 0; i < kListedPerTurn; ++i) {
      if (work_) {
        auto digest = work_->go_on();
        if (!digest) return std::nullopt;
        report_.entries.back().sha256 = std::move(*digest);
        work_.reset();
      }
      const bool full = report_.entries.size() >= room_ || bytes_ >= kListedFileBytes ||
                        digested_ >= kDigestedPerPage;
      const auto entry = walk_.next();
      if (!entry || full) return answer(entry.has_value());
      add(*entry);
    }
    return std::nullopt;
  }
  bool wants_turn() const override { return true; }

 private:
  void add(const os::TreeEntry& entry) {
    report_.entries.push_back(entry_of(entry.path, entry.facts));
    if (entry.facts.kind == os::FileKind::link) {
      report_.entries.back().link_to = os::link_text(entry.directory, entry.name);
    }
    bytes_ += entry.path.size() + kListedFileSize;
    if (!digests_ || entry.facts.kind != os::FileKind::file || entry.facts.size > kMaxDigestBytes) {
      return;
    }
    auto file = os::open_regular_file(entry.directory, entry.name);
    if (!file) return;
    digested_ += entry.facts.size;
    work_.emplace(std::move(*file));
  }

  std::string answer(bool more) {
    report_.more = more;
    report_.passed_over = walk_.passed_over();
    return link::encode(report_);
  }

  os::TreeWalk walk_;
  bool digests_;
  std::uint64_t room_;
  link::ListFilesReport report_;
  std::optional<DigestWork> work_;  // of the last entry
  std::size_t bytes_ = 0;
  std::uint64_t digested_ = 0;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::ListFiles& list) {
  auto directory = open_directory(context.parts.home(), {list.path, list.below});
  if (!directory) return fail(directory.error());
  auto walk = os::TreeWalk::below(std::move(*directory), list.after, list.deep);
  if (!walk) return fail(file_error(walk.error()));
  return std::make_unique<ListFilesRequest>(context, list, std::move(*walk));
}

}  // namespace talaria::runner
