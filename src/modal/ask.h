// ask(): one call of a service (ControlPlane or Router) by the method of its generated stub.
#pragma once

#include <string_view>

#include "modal/call_result.h"
#include "modal/channel.h"

namespace talaria::modal {

template <class Service, class Stub, class Request, class Answer>
CallResult<Answer> ask(Service& service, std::string_view name,
                       grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Answer*),
                       const Request& request, const Patience& patience) {
  Stub stub(service.channel());
  Answer answer;
  const auto called = service.call(
      name, patience, [&](auto& context) { return (stub.*method)(&context, request, &answer); });
  if (!called) return failed(called.error());
  return answer;
}

}  // namespace talaria::modal
