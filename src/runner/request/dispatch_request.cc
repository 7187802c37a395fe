// Which function serves which method, and the requests that one line answers.
#include "runner/request/open_request.h"
#include "runner/run_terminal.h"

namespace talaria::runner {
namespace {

Result<Begun> empty_answer(const Result<void>& done) {
  if (!done) return fail(done.error());
  return std::string();
}

Result<Begun> begin_request(const RequestContext& context, const link::Status&) {
  return link::encode(context.parts.status());
}

Result<Begun> begin_request(const RequestContext& context, const link::List& list) {
  return link::encode(context.parts.runs().list(list));
}

Result<Begun> begin_request(const RequestContext& context, const link::Stop& stop) {
  return empty_answer(context.parts.stop(stop.kill));
}

Result<Begun> begin_request(const RequestContext& context, const link::EndSession& end) {
  return empty_answer(context.parts.sessions().end(end.session));
}

Result<Begun> begin_request(const RequestContext& context, const link::Resize& resize) {
  if (const auto valid = check_terminal_size(resize.size); !valid) return fail(valid.error());
  const auto run = context.parts.runs().get(resize.process);
  if (!run) return fail(run.error());
  return empty_answer((*run)->resize(resize.size));
}

template <class Message>
Result<Begun> decode_and_begin(const RequestContext& context, std::string_view body) {
  auto message = link::decode<Message>(body);
  if (!message) return fail(message.error());
  return begin_request(context, *std::move(message));
}

template <class... Messages>
Result<Begun> begin_one_of(const RequestContext& context, link::Method method,
                           std::string_view body) {
  Result<Begun> (*begin)(const RequestContext&, std::string_view) = nullptr;
  ((Messages::kMethod == method ? void(begin = decode_and_begin<Messages>) : void()), ...);
  if (begin) return begin(context, body);
  return fail(ErrorKind::bad_request, link::method_name(method) + ": unknown to this runner");
}

}  // namespace

Result<Begun> begin_request(const RequestContext& context, link::Method method,
                            std::string_view body) {
  return begin_one_of<link::Start, link::Wait, link::Kill, link::Read, link::Write, link::Resize,
                      link::Events, link::Acknowledge, link::Login, link::StatFile, link::ReadFile,
                      link::WriteFile, link::RemoveFiles, link::ListFiles, link::ReadLines,
                      link::SearchFiles, link::LocateFile, link::ChangeFiles, link::ScriptCalls,
                      link::ScriptAnswer, link::Status, link::List, link::Stop, link::EndSession>(
      context, method, body);
}

}  // namespace talaria::runner
