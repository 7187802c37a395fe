// Login: answered at once, or when the login files have been read.
#include "runner/request/open_request.h"

namespace talaria::runner {
namespace {

std::string report(const LoginState& state, bool known) {
  return link::encode(link::LoginReport{.id = state.id, .known = known, .notices = state.notices});
}

class LoginRequest final : public OpenRequest {
 public:
  LoginRequest(const RequestContext& context, std::shared_ptr<OpenLogin> login)
      : OpenRequest(context, login->run), login_(std::move(login)) {}

  std::optional<Result<std::string>> progress() override {
    if (!run_->finished()) return std::nullopt;
    if (login_->state) return report(*login_->state, false);
    if (const Error* failure = run_->start_failure()) return fail(*failure);
    return fail(ErrorKind::unavailable, "the shell that read the login files was killed");
  }

 private:
  std::shared_ptr<OpenLogin> login_;
};

}  // namespace

Result<Begun> begin_request(const RequestContext& context, const link::Login& login) {
  auto answer = context.parts.starts().login(login);
  if (!answer) return fail(answer.error());
  if (const auto* known = std::get_if<std::shared_ptr<const LoginState>>(&*answer)) {
    return *known ? report(**known, true) : link::encode(link::LoginReport{.known = true});
  }
  return std::make_unique<LoginRequest>(context,
                                        std::get<std::shared_ptr<OpenLogin>>(std::move(*answer)));
}

}  // namespace talaria::runner
