#include "rendezvous/session_file.h"

#include <protozero/pbf_reader.hpp>

namespace talaria::rendezvous {

Result<SessionHead> read_session_head(std::string_view bytes) try {
  SessionHead head;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<SessionField>(message.tag())) {
      case SessionField::id:
        head.id = message.get_string();
        break;
      case SessionField::cwd:
        head.cwd = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  return head;
} catch (const protozero::exception& error) {
  return fail(ErrorKind::system, std::string("the session file is damaged: ") + error.what());
}

}  // namespace talaria::rendezvous
