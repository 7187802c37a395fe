#include "rendezvous/session_file.h"

#include "base/hash.h"
#include "link/codec.h"

namespace talaria::link {

constexpr std::size_t kAnySize = SIZE_MAX;  // the file has a limit of its own

TALARIA_FIELDS(rendezvous::SessionFile::Entry) {
  field(1, "name", message.name, kAnySize);
  field(2, "value", message.value, kAnySize);
  field(3, "flag", message.flag);
}

TALARIA_MESSAGE(rendezvous::SessionFile) {
  field(1, "id", message.id, kAnySize);
  field(2, "variables", message.variables, kAnyCount);
  field(3, "functions", message.functions, kAnyCount);
  field(4, "aliases", message.aliases, kAnyCount);
  field(5, "options", message.options);
  field(6, "umask", message.umask);
  field(7, "cwd", message.cwd, kAnySize);
  field(8, "checksum", message.checksum, kFixedWidth);  // the last one
}

}  // namespace talaria::link

namespace talaria::rendezvous {

namespace {

std::string encoded_checksum(std::uint64_t checksum) {
  return link::encode(SessionFile{.checksum = checksum});
}

}  // namespace

std::string encode_session_file(SessionFile file) {
  file.checksum.reset();
  std::string bytes = link::encode(file);
  return bytes + encoded_checksum(hash_text(bytes));
}

Result<SessionFile> decode_session_file(std::string_view bytes) {
  auto file = link::decode<SessionFile>(bytes);
  if (!file) {
    return fail(ErrorKind::system, "the session file is damaged: " + file.error().message());
  }
  if (file->checksum) {
    const std::string last = encoded_checksum(*file->checksum);
    const std::string_view before = bytes.substr(0, bytes.size() - last.size());
    if (!bytes.ends_with(last) || hash_text(before) != *file->checksum) {
      return fail(ErrorKind::system, "the session file is damaged: its checksum is wrong");
    }
  }
  return file;
}

}  // namespace talaria::rendezvous
