// SearchFiles: answered when the process that searches has ended.
#include "runner/files/file_place.h"
#include "runner/request/open_request.h"
#include "runner/search/search_processes.h"

namespace talaria::runner {
namespace {

class SearchFilesRequest final : public OpenRequest {
 public:
  SearchFilesRequest(const RequestContext& context, std::string query,
                     std::shared_ptr<SearchProcess> search)
      : OpenRequest(context, nullptr),
        parts_(context.parts),
        query_(std::move(query)),
        search_(std::move(search)) {}

  std::optional<Result<std::string>> progress() override {
    return search_ ? search_->answer() : std::nullopt;
  }

  void batch_ended() override {
    if (!search_) return;
    parts_.searches().keep(parts_.loop().get_executor(), std::move(query_), std::move(search_));
  }

 private:
  RunnerParts& parts_;
  std::string query_;
  std::shared_ptr<SearchProcess> search_;  // the only owner: it ends with this request
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, link::SearchFiles query) {
  auto path = absolute_path(context.parts.home(), query.path);
  if (!path) return fail(path.error());
  query.path = std::move(*path);
  auto search =
      context.parts.searches().start(context.parts.loop().get_executor(), query, context.wake);
  if (!search) return fail(search.error());
  return std::make_unique<SearchFilesRequest>(context, link::encode(query), std::move(*search));
}

}  // namespace talaria::runner
