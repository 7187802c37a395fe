// ScriptCalls and ScriptAnswer: what a script asks for, and what it gets.
#include "link/script_messages.h"
#include "runner/request/open_request.h"
#include "runner/request/output_sender.h"

namespace talaria::runner {
namespace {

Result<std::shared_ptr<ScriptServer>> server_of(RunnerParts& parts, const std::string& process) {
  auto run = parts.runs().get(process);
  if (!run) return fail(run.error());
  if (!(*run)->spec().script) {
    return fail(ErrorKind::bad_request, process + " is not a script");
  }
  return (*run)->spec().script;
}

class ScriptCallsRequest final : public OpenRequest {
 public:
  ScriptCallsRequest(const RequestContext& context, std::shared_ptr<ScriptServer> server,
                     const link::ScriptCalls& calls)
      : OpenRequest(context, nullptr), server_(std::move(server)), sender_(calls.from, UINT64_MAX) {
    server_->on_news(context.wake);
    if (!calls.takes) server_->nobody_takes();
    connection_.note(id_, link::encode(link::ScriptSocket{.name = server_->socket_name(),
                                                          .key = server_->taker_key()}));
  }

  std::optional<Result<std::string>> progress() override {
    said_something_ |= sender_.send(connection_, id_, server_->calls());
    if (!server_->ended()) return std::nullopt;
    return std::string();  // nobody waits for answers any more
  }

  void reader_at(std::uint64_t cursor) override { server_->reader_at(cursor); }

 private:
  std::shared_ptr<ScriptServer> server_;
  OutputSender sender_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::ScriptCalls& calls) {
  auto server = server_of(context.parts, calls.process);
  if (!server) return fail(server.error());
  return std::make_unique<ScriptCallsRequest>(context, std::move(*server), calls);
}

Result<Begun> begin_request(const RequestContext& context, const link::ScriptAnswer& part) {
  const auto server = server_of(context.parts, part.process);
  if (!server) return fail(server.error());
  (*server)->answer(part);
  return std::string();
}

}  // namespace talaria::runner
