// Write: bytes for a command's stdin, by cursor. Answered when its pipe or terminal has them.
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

class WriteRequest final : public OpenRequest {
 public:
  WriteRequest(const RequestContext& context, std::shared_ptr<Run> run, const link::Write& write)
      : OpenRequest(context, std::move(run)), writer_(write.writer), ends_input_(write.end) {}

  // All of the request's bytes come before `end`.
  void ends_at(std::uint64_t end) {
    end_ = end;
    if (ends_input_) run_->input().end_behind(writer_, end);
  }

  std::optional<Result<std::string>> progress() override {
    const InputQueue& input = run_->input();
    if (input.closed() || (end_ && input.applied(writer_, *end_))) {
      return link::encode(link::WriteReport{.next = input.next(writer_), .closed = input.closed()});
    }
    connection_.grant(id_, input.next(writer_), input.limit(writer_));
    return std::nullopt;
  }

  Result<void> take_data(const link::Data& data) override {
    return run_->input().take(writer_, data.offset, data.bytes);
  }
  void data_ended(const link::DataEnd& end) override { ends_at(end.offset); }

 private:
  std::string writer_;
  bool ends_input_;
  std::optional<std::uint64_t> end_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::Write& write) {
  auto run = context.parts.runs().get(write.process);
  if (!run) return fail(run.error());
  InputQueue& input = (*run)->input();
  if (const auto taken = input.take(write.writer, write.from, write.data); !taken) {
    return fail(taken.error());
  }
  auto request = std::make_unique<WriteRequest>(context, std::move(*run), write);
  if (!write.stream) request->ends_at(write.from + write.data.size());
  return request;
}

}  // namespace talaria::runner
