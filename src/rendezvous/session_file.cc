#include "rendezvous/session_file.h"

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
}

}  // namespace talaria::link

namespace talaria::rendezvous {

std::string encode_session_file(const SessionFile& file) { return link::encode(file); }

Result<SessionFile> decode_session_file(std::string_view bytes) {
  auto file = link::decode<SessionFile>(bytes);
  if (file) return file;
  return fail(ErrorKind::system, "the session file is damaged: " + file.error().message());
}

}  // namespace talaria::rendezvous
