// The definitions of encode() and decode() of messages.h, for the files that list the fields of
// messages: each ends with one TALARIA_MESSAGE per message.
#pragma once

#include "link/codec.h"
#include "link/messages.h"

namespace talaria::link {

template <class Message>
std::string encode(const Message& message) {
  return encode_fields(message);
}

template <class Message>
Result<Message> decode(std::string_view bytes) {
  return decode_fields<Message>(bytes);
}

#define TALARIA_MESSAGE(Message)               \
  template std::string encode(const Message&); \
  template Result<Message> decode(std::string_view)

}  // namespace talaria::link
