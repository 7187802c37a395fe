#include "link/script_messages.h"

#include "link/message_codec.h"

namespace talaria {

template <>
struct Fields<ScriptCalls> {
  static constexpr std::string_view kName = "ScriptCalls";
  static void visit(auto& message, auto& field) {
    field(1, "process", message.process, kMaxId);
    field(2, "from", message.from);
  }
};

template <>
struct Fields<ScriptAnswer> {
  static constexpr std::string_view kName = "ScriptAnswer";
  static void visit(auto& message, auto& field) {
    field(1, "process", message.process, kMaxId);
    field(2, "connection", message.connection);
    field(3, "number", message.number);
    field(4, "from", message.from);
    field(5, "data", message.data, kMaxMessage);
    field(6, "last", message.last);
  }
};

TALARIA_MESSAGE(ScriptCalls);
TALARIA_MESSAGE(ScriptAnswer);

}  // namespace talaria
