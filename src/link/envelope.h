// What the fragments of a REQUEST and of a RESPONSE add up to: a protobuf message around the body
// of the method. (A NOTE is the method's own message, bare.)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "link/messages.h"

namespace talaria::link {

struct RequestEnvelope {
  Method method{};
  std::uint64_t data_limit = 0;
  std::string instance;  // the only runner that may process it; empty: the HELLO has said so
  std::string body;
};

std::string encode_request(Method method, std::uint64_t data_limit, std::string_view instance,
                           std::string_view body);
Result<RequestEnvelope> decode_request(std::string_view message);

std::string encode_response(const Result<std::string>& response);

// The outer result: whether the message could be read at all.
Result<Result<std::string>> decode_response(std::string_view message);

}  // namespace talaria::link
