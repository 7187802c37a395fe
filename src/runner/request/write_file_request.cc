// WriteFile and RemoveFiles: answered at once.
#include <unistd.h>

#include "base/text.h"
#include "runner/files/file_place.h"
#include "runner/files/uploads.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

// Empty: it is gone, or was not there.
std::string remove_one(const std::string& home, const FileAddress& address, std::uint64_t& count) {
  const auto place = find_place(home, address, false);
  if (!place && place.error().kind() == ErrorKind::not_found) return {};
  if (!place) return place.error().message();
  if (::unlinkat(place->at.directory.get(), place->at.name.c_str(), 0) == 0) {
    ++count;
    return {};
  }
  if (errno == ENOENT) return {};
  return file_error(place->path, errno).message();
}

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::WriteFile& piece) {
  const auto report = context.parts.uploads().write(context.parts.home(), piece);
  if (!report) return fail(report.error());
  return link::encode(*report);
}

Result<Begun> begin_request(const RequestContext& context, const link::RemoveFiles& remove) {
  link::RemoveFilesReport report;
  for (const std::string& path : remove.paths) {
    std::string reason = remove_one(context.parts.home(), {path, remove.below}, report.removed);
    if (!reason.empty()) report.failed.push_back({path, std::move(reason)});
  }
  return link::encode(report);
}

}  // namespace talaria::runner
