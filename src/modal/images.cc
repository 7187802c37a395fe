#include "modal/images.h"

#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <modal_client.grpc.pb.h>

#include "base/text.h"
#include "modal/ask.h"

namespace talaria::modal {
namespace {

using ::modal::client::GenericResult;
using ::modal::client::ModalClient;

// After so many seconds the service ends a stream that reports a build; then we ask again.
constexpr int kJoinSeconds = 55;
constexpr std::chrono::milliseconds kJoinPause{500};  // it might end them at once
constexpr const char* kImageCall = "ImageFromId";

CallResult<std::string> builder_version(ControlPlane& plane, const Patience& patience) {
  const Account& account = plane.account();
  if (!account.image_builder_version.empty()) return account.image_builder_version;
  ::modal::client::EnvironmentGetOrCreateRequest request;
  request.set_deployment_name(account.environment);
  const auto answer = ask(plane, "EnvironmentGetOrCreate",
                          &ModalClient::Stub::EnvironmentGetOrCreate, request, patience);
  if (!answer) return failed(answer.error());
  return answer->metadata().settings().image_builder_version();
}

// How the build ended. Its progress is reported meanwhile.
CallResult<GenericResult> join_build(ControlPlane& plane, const std::string& id,
                                     const Patience& patience) {
  const auto stub = ModalClient::NewStub(plane.channel());
  const Patience each{patience.deadline, patience.interrupt,
                      std::chrono::seconds(kJoinSeconds + 15)};
  ::modal::client::ImageJoinStreamingRequest request;
  request.set_image_id(id);
  request.set_timeout(kJoinSeconds);
  GenericResult result;
  const auto is_known = [&] {
    return result.status() != GenericResult::GENERIC_STATUS_UNSPECIFIED;
  };
  for (;;) {
    const auto called = plane.stream("ImageJoinStreaming", each, [&](grpc::ClientContext& context) {
      const auto reader = stub->ImageJoinStreaming(&context, request);
      ::modal::client::ImageJoinStreamingResponse said;
      while (reader->Read(&said)) {
        if (!said.entry_id().empty()) request.set_last_entry_id(said.entry_id());
        for (const auto& log : said.task_logs()) {
          const std::string_view text = trim(log.data());
          if (!text.empty()) plane.report().progress(text);
        }
        if (said.result().status() != GenericResult::GENERIC_STATUS_UNSPECIFIED) {
          result = said.result();
        }
      }
      const grpc::Status status = reader->Finish();
      return is_known() ? grpc::Status::OK : status;  // what it had to say it has said
    });
    if (!called) return failed(called.error());
    if (is_known()) return result;
    (void)patience.interrupt.sleep(kJoinPause);
  }
}

CallResult<void> check_built(const std::string& id, const GenericResult& result) {
  CallFailure failure{ErrorKind::bad_request, "ImageJoinStreaming", "", ""};
  switch (result.status()) {
    case GenericResult::GENERIC_STATUS_SUCCESS:
      return {};
    case GenericResult::GENERIC_STATUS_FAILURE:
    case GenericResult::GENERIC_STATUS_MEMORY_MANAGER_EVICTION:
      failure.message = "the image " + id + " cannot be built: " + result.exception();
      break;
    case GenericResult::GENERIC_STATUS_TIMEOUT:
      failure.kind = ErrorKind::timed_out;
      failure.message = "building the image " + id + " took longer than the service allows";
      break;
    default:
      failure.kind = ErrorKind::unavailable;
      failure.message = "building the image " + id + " was given up by the service: " +
                        GenericResult::GenericStatus_Name(result.status()) + " " +
                        result.exception();
  }
  return failed(std::move(failure));
}

CallResult<std::string> build_layer(ControlPlane& plane,
                                    const ::modal::client::ImageGetOrCreateRequest& request,
                                    const Patience& patience) {
  const auto answer =
      ask(plane, "ImageGetOrCreate", &ModalClient::Stub::ImageGetOrCreate, request, patience);
  if (!answer) return failed(answer.error());
  GenericResult result = answer->result();
  if (result.status() == GenericResult::GENERIC_STATUS_UNSPECIFIED) {
    plane.report().progress("building the image " + answer->image_id());
    auto joined = join_build(plane, answer->image_id(), patience);
    if (!joined) return failed(joined.error());
    result = std::move(*joined);
  }
  if (const auto built = check_built(answer->image_id(), result); !built) {
    return failed(built.error());
  }
  return answer->image_id();
}

}  // namespace

CallResult<void> check_image(ControlPlane& plane, const std::string& id, const Patience& patience) {
  ::modal::client::ImageFromIdRequest request;
  request.set_image_id(id);
  const auto answer = ask(plane, kImageCall, &ModalClient::Stub::ImageFromId, request, patience);
  if (!answer) return failed(image_failure(answer.error()));
  return {};
}

CallFailure image_failure(CallFailure failure) {
  const bool may_be = failure.status == status_name(status::kNotFound) ||
                      failure.status == status_name(status::kFailedPrecondition);
  if (may_be && failure.message.contains("Could not find image with ID")) {
    failure.call = kImageCall;
    failure.kind = ErrorKind::not_found;
  }
  return failure;
}

CallResult<std::string> build_image(ControlPlane& plane, const std::string& app_id,
                                    const std::vector<std::vector<std::string>>& layers,
                                    const Patience& patience) {
  const CallResult<std::string> version = builder_version(plane, patience);
  if (!version) return version;
  std::string below;
  for (const std::vector<std::string>& layer : layers) {
    ::modal::client::ImageGetOrCreateRequest request;
    request.set_app_id(app_id);
    request.set_builder_version(*version);
    auto& image = *request.mutable_image();
    if (!below.empty()) {
      auto& base = *image.add_base_images();
      base.set_docker_tag("base");
      base.set_image_id(below);
      image.add_dockerfile_commands("FROM base");
    }
    for (const std::string& line : layer) image.add_dockerfile_commands(line);
    CallResult<std::string> built = build_layer(plane, request, patience);
    if (!built) return built;
    below = std::move(*built);
  }
  return below;
}

}  // namespace talaria::modal
