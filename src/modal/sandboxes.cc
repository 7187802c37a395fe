#include "modal/sandboxes.h"

#include <cmath>
#include <utility>

#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>
#include <modal_client.grpc.pb.h>

#include "modal/ask.h"
#include "modal/images.h"

namespace talaria::modal {
namespace {

using ::modal::client::GenericResult;
using ::modal::client::ModalClient;

constexpr std::chrono::milliseconds kTaskPoll{500};
constexpr const char* kMarkTag = "talaria-creation";

bool has_ended(const GenericResult& result) {
  return result.status() != GenericResult::GENERIC_STATUS_UNSPECIFIED;
}

// "TIMEOUT", without what all of them begin with.
std::string result_name(const GenericResult& result) {
  constexpr std::string_view kPrefix = "GENERIC_STATUS_";
  std::string name = GenericResult::GenericStatus_Name(result.status());
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  return name.empty() ? "UNKNOWN" : name;
}

void add_tag(::modal::client::SandboxTag& tag, const std::string& name, const std::string& value) {
  tag.set_tag_name(name);
  tag.set_tag_value(value);
}

void define(::modal::client::Sandbox& definition, const CreateRequest& request,
            const std::string& image_id) {
  for (const std::string& argument : request.command) definition.add_entrypoint_args(argument);
  definition.set_image_id(image_id);
  definition.set_timeout_secs(request.timeout_s);
  if (request.idle_timeout_s > 0) definition.set_idle_timeout_secs(request.idle_timeout_s);
  if (!request.workdir.empty()) definition.set_workdir(request.workdir);
  if (!request.name.empty()) definition.set_name(request.name);
  auto& resources = *definition.mutable_resources();
  resources.mutable_gpu_config();  // none, which has to be said
  if (request.cpus) {
    resources.set_milli_cpu(static_cast<std::uint32_t>(std::lround(*request.cpus * 1000)));
  }
  if (request.memory_mb) resources.set_memory_mb(*request.memory_mb);
  if (request.disk_mb) resources.set_ephemeral_disk_mb(*request.disk_mb);
  definition.mutable_open_ports();
  definition.mutable_network_access()->set_network_access_type(
      ::modal::client::NetworkAccess::OPEN);
}

CallFailure over(const std::string& sandbox, const GenericResult& result) {
  return {ErrorKind::not_found, "SandboxGetTaskIdV2", "",
          "the sandbox " + sandbox + " is over: " + result_name(result) +
              (result.exception().empty() ? "" : ", " + result.exception())};
}

// Whose time is up, if it is ours.
CallFailure start_failure(CallFailure failure, const std::string& sandbox) {
  if (failure.kind == ErrorKind::timed_out && failure.status.empty()) {
    failure.message = "the sandbox " + sandbox + " did not start in time";
  }
  return failure;
}

}  // namespace

CallResult<std::string> app_id(ControlPlane& plane, const std::string& name,
                               const Patience& patience) {
  ::modal::client::AppGetOrCreateRequest request;
  request.set_app_name(name);
  request.set_environment_name(plane.account().environment);
  request.set_object_creation_type(::modal::client::OBJECT_CREATION_TYPE_CREATE_IF_MISSING);
  const auto answer =
      ask(plane, "AppGetOrCreate", &ModalClient::Stub::AppGetOrCreate, request, patience);
  if (!answer) return failed(answer.error());
  return answer->app_id();
}

CallResult<NewSandbox> create_sandbox(ControlPlane& plane, const CreateRequest& wanted,
                                      const std::string& app_id, const std::string& image_id,
                                      const std::string& mark, const Patience& patience) {
  ::modal::client::SandboxCreateV2Request request;
  request.set_app_id(app_id);
  define(*request.mutable_definition(), wanted, image_id);
  for (const auto& [name, value] : wanted.tags) add_tag(*request.add_tags(), name, value);
  add_tag(*request.add_tags(), kMarkTag, mark);
  if (!wanted.env.empty()) {
    auto& contents = *request.add_secret_sources()->mutable_env()->mutable_contents();
    for (const auto& [name, value] : wanted.env) contents[name] = value;
  }
  const auto answer =
      ask(plane, "SandboxCreateV2", &ModalClient::Stub::SandboxCreateV2, request, patience);
  if (!answer) return failed(image_failure(answer.error()));
  return NewSandbox{answer->sandbox_id(), answer->task_id()};
}

CallResult<std::vector<std::string>> list_marked(ControlPlane& plane, const std::string& app_id,
                                                 const std::string& mark,
                                                 const Patience& patience) {
  ::modal::client::SandboxListRequest request;
  request.set_app_id(app_id);
  request.set_environment_name(plane.account().environment);
  add_tag(*request.add_tags(), kMarkTag, mark);
  const auto answer =
      ask(plane, "SandboxListV2", &ModalClient::Stub::SandboxListV2, request, patience);
  if (!answer) return failed(answer.error());
  std::vector<std::string> ids;
  for (const auto& sandbox : answer->sandboxes()) ids.push_back(sandbox.id());
  return ids;
}

CallResult<std::string> await_task(ControlPlane& plane, const std::string& sandbox,
                                   const Patience& patience) {
  ::modal::client::SandboxGetTaskIdRequest request;
  request.set_sandbox_id(sandbox);
  for (bool reported = false;; reported = true) {
    const auto answer =
        ask(plane, "SandboxGetTaskIdV2", &ModalClient::Stub::SandboxGetTaskIdV2, request, patience);
    if (!answer) return failed(start_failure(answer.error(), sandbox));
    if (has_ended(answer->task_result())) return failed(over(sandbox, answer->task_result()));
    if (!answer->task_id().empty()) return answer->task_id();
    if (!reported) plane.report().progress("waiting for the sandbox to start");
    if (Clock::now() + kTaskPoll >= patience.deadline) {
      return failed(start_failure(late("SandboxGetTaskIdV2"), sandbox));
    }
    if (!patience.interrupt.sleep(kTaskPoll)) {
      return failed(failure_of("SandboxGetTaskIdV2", grpc::Status::CANCELLED, patience));
    }
  }
}

CallResult<SandboxState> look_at(ControlPlane& plane, const std::string& sandbox,
                                 const Patience& patience) {
  ::modal::client::SandboxWaitRequest request;
  request.set_sandbox_id(sandbox);
  const auto answer =
      ask(plane, "SandboxWaitV2", &ModalClient::Stub::SandboxWaitV2, request, patience);
  if (!answer && answer.error().kind == ErrorKind::not_found) {
    return SandboxState{false, "NOT_FOUND", answer.error().message};
  }
  if (!answer) return failed(answer.error());
  if (!has_ended(answer->result())) return SandboxState{.running = true};
  return SandboxState{false, result_name(answer->result()), answer->result().exception()};
}

CallResult<std::optional<std::string>> find_sandbox(ControlPlane& plane, const std::string& app,
                                                    const std::string& name,
                                                    const Patience& patience) {
  ::modal::client::SandboxGetFromNameRequest request;
  request.set_app_name(app);
  request.set_sandbox_name(name);
  request.set_environment_name(plane.account().environment);
  const auto answer = ask(plane, "SandboxGetFromNameV2", &ModalClient::Stub::SandboxGetFromNameV2,
                          request, patience);
  if (answer) return answer->sandbox_id();
  if (answer.error().kind == ErrorKind::not_found) return std::nullopt;
  return failed(answer.error());
}

CallResult<void> terminate_sandbox(ControlPlane& plane, const std::string& sandbox,
                                   const Patience& patience) {
  ::modal::client::SandboxTerminateRequest request;
  request.set_sandbox_id(sandbox);
  const auto answer =
      ask(plane, "SandboxTerminateV2", &ModalClient::Stub::SandboxTerminateV2, request, patience);
  if (!answer && answer.error().kind != ErrorKind::not_found) return failed(answer.error());
  return {};
}

}  // namespace talaria::modal
