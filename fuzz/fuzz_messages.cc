// Any bytes as any message: an error message, or a value that encodes to itself.

#include <string>

#include "fuzz/input.h"
#include "link/edit_messages.h"
#include "link/envelope.h"
#include "link/file_messages.h"
#include "link/handshake.h"
#include "link/messages.h"
#include "link/runner_event.h"
#include "link/script_messages.h"
#include "link/search_messages.h"

namespace talaria {
namespace {

template <class Message>
void check(std::string_view bytes) {
  const Result<Message> message = link::decode<Message>(bytes);
  if (!message) {
    require(message.error().kind() == ErrorKind::bad_request && !message.error().message().empty());
    return;
  }
  const Result<Message> again = link::decode<Message>(link::encode(*message));
  require(again && *again == *message);
}

template <std::size_t kCount, class... Messages>
void check_nth(std::size_t n, std::string_view bytes) {
  static_assert(sizeof...(Messages) == kCount);
  std::size_t i = 0;
  ((i++ == n ? check<Messages>(bytes) : void()), ...);
}

void check_handshake(std::string_view bytes) {
  if (const auto hello = link::decode_client_hello(bytes)) {
    require(link::decode_client_hello(link::encode_hello(*hello)).value() == *hello);
  }
  if (const auto hello = link::decode_runner_hello(bytes)) {
    require(link::decode_runner_hello(link::encode_hello(*hello)).value() == *hello);
  }
  (void)link::decode_go_away(bytes);
  (void)link::decode_request(bytes);
  (void)link::decode_response(bytes);
}

void check_any(Input input) {
  constexpr std::size_t kMessages = 43;
  const std::size_t kind = input.choice() % (kMessages + 1);
  if (kind == kMessages) {
    check_handshake(input.rest());
    return;
  }
  check_nth<kMessages, link::Start, link::Started, link::ExitReport, link::Wait, link::Kill,
            link::KillReport, link::Read, link::ReadReport, link::Write, link::WriteReport,
            link::Resize, link::List, link::ListReport, link::Status, link::StatusReport,
            link::Stop, link::EndSession, link::Login, link::LoginReport, link::RunnerEvent,
            link::Events, link::EventsReport, link::Acknowledge, link::StatFile,
            link::StatFileReport, link::ReadFile, link::ReadFileReport, link::WriteFile,
            link::WriteFileReport, link::RemoveFiles, link::RemoveFilesReport, link::ListFiles,
            link::ListFilesReport, link::ReadLines, link::ReadLinesReport, link::SearchFiles,
            link::SearchReport, link::LocateFile, link::LocateFileReport, link::ChangeFiles,
            link::ChangeFilesReport, link::ScriptCalls, link::ScriptAnswer>(kind, input.rest());
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check_any(talaria::Input(data, size));
  return 0;
}
