// Read: output by cursor, up to a number of bytes or, following, to its end.
#include "runner/request/open_request.h"
#include "runner/request/output_sender.h"

namespace talaria::runner {
namespace {

std::uint64_t end_of(const link::Read& read) {
  const bool to_the_end = read.max == 0 || read.max > UINT64_MAX - read.from;
  return to_the_end ? UINT64_MAX : read.from + read.max;
}

class ReadRequest final : public OpenRequest {
 public:
  ReadRequest(const RequestContext& context, std::shared_ptr<Run> run, const link::Read& read)
      : OpenRequest(context, std::move(run)),
        sender_(read.from, end_of(read)),
        follow_(read.follow) {}

  std::optional<Result<std::string>> progress() override {
    said_something_ |= sender_.send(connection_, id_, run_->output());
    const bool ended = run_->output_closed() || (run_->finished() && run_->tree().empty());
    const bool at_end = sender_.cursor() >= run_->output().total();
    const bool done =
        sender_.complete() || sender_.beyond_credit() || (at_end && (!follow_ || ended));
    if (!done) return std::nullopt;
    return link::encode(link::ReadReport{.next = sender_.cursor(),
                                         .total = run_->output().total(),
                                         .eof = ended && at_end && !sender_.beyond_credit(),
                                         .lost = sender_.lost()});
  }

  void reader_at(std::uint64_t cursor) override { sender_.taken_before(cursor); }
  bool streams_output() const override { return true; }

 private:
  OutputSender sender_;
  bool follow_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::Read& read) {
  auto run = context.parts.runs().get(read.process);
  if (!run) return fail(run.error());
  return std::make_unique<ReadRequest>(context, std::move(*run), read);
}

}  // namespace talaria::runner
