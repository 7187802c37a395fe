// StatFile: what a file is, with its digest if that is wanted.
#include <optional>

#include "runner/files/digest_work.h"
#include "runner/files/file_place.h"
#include "runner/limits.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

class StatFileRequest final : public OpenRequest {
 public:
  StatFileRequest(const RequestContext& context, link::StatFileReport report, os::UniqueFd file)
      : OpenRequest(context, nullptr), report_(std::move(report)), work_(std::move(file)) {}

  std::optional<Result<std::string>> progress() override {
    auto digest = work_.go_on();
    if (!digest) return std::nullopt;
    report_.entry.sha256 = std::move(*digest);
    return link::encode(report_);
  }
  bool wants_turn() const override { return true; }

 private:
  link::StatFileReport report_;
  DigestWork work_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::StatFile& stat) {
  const std::string home = context.parts.home();
  struct stat info{};
  std::optional<os::FileFacts> facts;
  std::string path;
  os::UniqueFd file;
  if (stat.below.empty() && !stat.digest) {  // also for directories, "/" among them
    auto whole = absolute_path(home, stat.path);
    if (!whole) return fail(whole.error());
    path = std::move(*whole);
    if ((stat.follow ? ::stat : ::lstat)(path.c_str(), &info) == 0) facts = os::facts_of(info);
  } else {
    const auto place = find_place(home, {stat.path, stat.below}, stat.follow);
    if (!place && place.error().kind() == ErrorKind::not_found)
      return link::encode(link::StatFileReport{});
    if (!place) return fail(place.error());
    path = place->path;
    if (::fstatat(place->at.directory.get(), place->at.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) ==
        0) {
      facts = os::facts_of(info);
    }
    const bool wants_digest = stat.digest && facts && facts->kind == os::FileKind::file;
    if (wants_digest && facts->size <= kMaxDigestBytes) {
      if (auto opened = open_to_read(*place)) file = std::move(*opened);
    }
  }
  const bool gone = !facts && (errno == ENOENT || errno == ENOTDIR);
  if (!facts && !gone) return fail(file_error(path, errno));
  link::StatFileReport report{.found = facts.has_value()};
  if (facts) {
    report.entry = entry_of(path, *facts);
    report.entry.uid = info.st_uid;
    report.entry.gid = info.st_gid;
    if (facts->kind == os::FileKind::link) report.entry.link_to = os::link_text(AT_FDCWD, path);
    report.foreign = info.st_uid != ::geteuid();
  }
  if (!file) return link::encode(report);
  return std::make_unique<StatFileRequest>(context, std::move(report), std::move(file));
}

}  // namespace talaria::runner
