// ReadFile: content by cursor, as far as the requester allows, read as it is sent.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "runner/files/file_place.h"
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

class ReadFileRequest final : public OpenRequest {
 public:
  ReadFileRequest(const RequestContext& context, const link::ReadFile& read, FilePlace place,
                  os::UniqueFd file)
      : OpenRequest(context, nullptr),
        place_(std::move(place)),
        file_(std::move(file)),
        cursor_(read.from),
        until_(read.max == 0 || read.max > UINT64_MAX - read.from ? UINT64_MAX
                                                                  : read.from + read.max) {}

  std::optional<Result<std::string>> progress() override {
    static std::vector<char> buffer(link::kMaxFrameData);
    while (cursor_ < until_) {
      const std::uint64_t room = std::min(connection_.sendable(id_, cursor_), until_ - cursor_);
      if (room == 0) return std::nullopt;
      const std::size_t want = std::min<std::uint64_t>(room, buffer.size());
      const ssize_t size = ::pread(file_.get(), buffer.data(), want, static_cast<off_t>(cursor_));
      if (size < 0 && errno == EINTR) continue;
      if (size < 0) return fail(file_error(place_.path, errno));
      if (size == 0) return report(true);
      connection_.send_data(id_, cursor_, {buffer.data(), static_cast<std::size_t>(size)});
      cursor_ += static_cast<std::uint64_t>(size);
      said_something_ = true;
    }
    const auto facts = os::file_facts(file_.get());
    return report(facts && cursor_ >= facts->size);
  }

 private:
  std::string report(bool eof) const {
    const auto facts = os::file_facts(file_.get());
    return link::encode(
        link::ReadFileReport{.next = cursor_,
                             .eof = eof,
                             .entry = entry_of(place_.path, facts.value_or(os::FileFacts()))});
  }

  FilePlace place_;
  os::UniqueFd file_;
  std::uint64_t cursor_;
  std::uint64_t until_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::ReadFile& read) {
  auto place = find_place(context.parts.home(), {read.path, read.below}, true);
  if (!place) return fail(place.error());
  auto file = open_to_read(*place);
  if (!file) return fail(file.error());
  return std::make_unique<ReadFileRequest>(context, read, std::move(*place), std::move(*file));
}

}  // namespace talaria::runner
