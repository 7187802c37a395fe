#include "link/envelope.h"

#include <utility>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "link/codec.h"

namespace talaria::link {

// The bodies make these two the largest messages, so they are written without the copies that a
// struct would cost; the reading side takes the body out once.

namespace {

struct Failure {
  std::string kind;
  std::string message;
};

struct ResponseEnvelope {
  std::string body;
  std::optional<Failure> failure;
};

constexpr protozero::pbf_tag_type kMethodTag = 1;
constexpr protozero::pbf_tag_type kDataLimitTag = 2;
constexpr protozero::pbf_tag_type kInstanceTag = 3;
constexpr protozero::pbf_tag_type kRequestBodyTag = 15;
constexpr protozero::pbf_tag_type kResponseBodyTag = 1;

}  // namespace

TALARIA_FIELDS(Failure) {
  field(1, "kind", message.kind, kMaxId);
  field(2, "message", message.message, kMaxMessage);
}

TALARIA_NAMED_FIELDS(ResponseEnvelope, "Response") {
  field(kResponseBodyTag, "body", message.body, kMaxMessage);
  field(2, "failure", message.failure);
}

TALARIA_NAMED_FIELDS(RequestEnvelope, "Request") {
  field(kMethodTag, "method", message.method, Method{UINT32_MAX});
  field(kDataLimitTag, "data_limit", message.data_limit);
  field(kInstanceTag, "instance", message.instance, kMaxId);
  field(kRequestBodyTag, "body", message.body, kMaxMessage);
}

std::string encode_request(Method method, std::uint64_t data_limit, std::string_view instance,
                           std::string_view body) {
  std::string out;
  out.reserve(body.size() + instance.size() + 32);
  protozero::pbf_writer writer(out);
  writer.add_uint32(kMethodTag, std::to_underlying(method));
  if (data_limit != 0) writer.add_uint64(kDataLimitTag, data_limit);
  if (!instance.empty()) writer.add_bytes(kInstanceTag, instance.data(), instance.size());
  if (!body.empty()) writer.add_bytes(kRequestBodyTag, body.data(), body.size());
  return out;
}

Result<RequestEnvelope> decode_request(std::string_view message) {
  return decode<RequestEnvelope>(message);
}

std::string encode_response(const Result<std::string>& response) {
  if (!response) {
    return encode(
        ResponseEnvelope{.failure = Failure{std::string(kind_name(response.error().kind())),
                                            response.error().message().substr(0, kMaxText)}});
  }
  std::string out;
  out.reserve(response->size() + 16);
  protozero::pbf_writer writer(out);
  if (!response->empty()) writer.add_bytes(kResponseBodyTag, *response);
  return out;
}

Result<Result<std::string>> decode_response(std::string_view message) {
  Result<ResponseEnvelope> envelope = decode<ResponseEnvelope>(message);
  if (!envelope) return fail(envelope.error());
  if (envelope->failure) {
    return Result<std::string>(
        fail(kind_from_name(envelope->failure->kind), std::move(envelope->failure->message)));
  }
  return Result<std::string>(std::move(envelope->body));
}

}  // namespace talaria::link
