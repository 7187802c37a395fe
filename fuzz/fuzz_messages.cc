// Any bytes as any message: an error in words, or a value that encodes to itself.

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
  const Result<Message> message = decode<Message>(bytes);
  if (!message) {
    require(message.error().kind() == ErrorKind::bad_request && !message.error().message().empty());
    return;
  }
  const Result<Message> again = decode<Message>(encode(*message));
  require(again && *again == *message);
}

template <std::size_t kCount, class... Messages>
void check_nth(std::size_t n, std::string_view bytes) {
  static_assert(sizeof...(Messages) == kCount);
  std::size_t i = 0;
  ((i++ == n ? check<Messages>(bytes) : void()), ...);
}

void check_handshake(std::string_view bytes) {
  if (const auto hello = decode_client_hello(bytes)) {
    require(decode_client_hello(encode_hello(*hello)).value() == *hello);
  }
  if (const auto hello = decode_runner_hello(bytes)) {
    require(decode_runner_hello(encode_hello(*hello)).value() == *hello);
  }
  (void)decode_go_away(bytes);
  (void)decode_request(bytes);
  (void)decode_response(bytes);
}

void check_any(Input input) {
  constexpr std::size_t kMessages = 43;
  const std::size_t kind = input.choice() % (kMessages + 1);
  if (kind == kMessages) {
    check_handshake(input.rest());
    return;
  }
  check_nth<kMessages, Start, Started, ExitReport, Wait, Kill, KillReport, Read, ReadReport, Write,
            WriteReport, Resize, List, ListReport, Status, StatusReport, Stop, EndSession, Login,
            LoginReport, RunnerEvent, Events, EventsReport, Acknowledge, StatFile, StatFileReport,
            ReadFile, ReadFileReport, WriteFile, WriteFileReport, RemoveFiles, RemoveFilesReport,
            ListFiles, ListFilesReport, ReadLines, ReadLinesReport, SearchFiles, SearchReport,
            LocateFile, LocateFileReport, ChangeFiles, ChangeFilesReport, ScriptCalls,
            ScriptAnswer>(kind, input.rest());
}

}  // namespace
}  // namespace talaria

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talaria::check_any(talaria::Input(data, size));
  return 0;
}
