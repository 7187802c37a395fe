#include "link/script_messages.h"

#include "link/codec.h"

namespace talaria::link {
namespace {

constexpr std::size_t kNumber = kTakenNumber;

void append_number(std::string& bytes, std::uint32_t number) {
  for (std::size_t at = 0; at < kNumber; ++at) bytes += static_cast<char>(number >> (8 * at));
}

std::uint32_t read_number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (std::size_t at = kNumber; at-- > 0;) {
    number = number << 8 | static_cast<unsigned char>(bytes[at]);
  }
  return number;
}

}  // namespace

TALARIA_MESSAGE(ScriptCalls) {
  field(1, "process", message.process, kMaxId);
  field(2, "from", message.from);
  field(3, "takes", message.takes);
}

TALARIA_MESSAGE(ScriptSocket) {
  field(1, "name", message.name, kMaxId);
  field(2, "key", message.key, kMaxId);
}

TALARIA_MESSAGE(ScriptAnswer) {
  field(1, "process", message.process, kMaxId);
  field(2, "connection", message.connection);
  field(3, "number", message.number);
  field(4, "from", message.from);
  field(5, "data", message.data, kMaxMessage);
  field(6, "last", message.last);
  field(7, "close", message.close);
}

std::string encode_taken(std::uint32_t connection) {
  std::string bytes;
  append_number(bytes, connection);
  return bytes;
}

std::uint32_t read_taken(std::string_view number) { return read_number(number); }

std::string encode_record(const ScriptRecord& record) {
  std::string bytes;
  bytes.reserve(kScriptRecordHeader + record.bytes.size());
  append_number(bytes, record.connection);
  append_number(bytes, static_cast<std::uint32_t>(record.bytes.size()));
  bytes += record.bytes;
  return bytes;
}

std::optional<ScriptRecord> take_record(std::string_view& stream) {
  if (stream.size() < kScriptRecordHeader) return std::nullopt;
  const std::size_t size = read_number(stream.substr(kNumber));
  if (stream.size() - kScriptRecordHeader < size) return std::nullopt;
  const ScriptRecord record{.connection = read_number(stream),
                            .bytes = stream.substr(kScriptRecordHeader, size)};
  stream.remove_prefix(kScriptRecordHeader + size);
  return record;
}

}  // namespace talaria::link
