#include "api/core.h"

#include <utility>

#include <boost/asio/post.hpp>

#include "api/backends.h"
#include "api/call_under_way.h"
#include "api/checks.h"
#include "api/given_settings.h"
#include "policy/approval/guard_judge.h"

namespace talaria {
namespace {

Result<host::Config> config_of(const host::Caller& caller, const Options& options) {
  if (const Result<void> fine = check_options(options); !fine) return fail(fine.error());
  Result<std::vector<host::ConfigFlag>> flags = config_flags(options.settings);
  if (!flags) return fail(flags.error());
  return read_config(caller, default_lifetime(options), std::move(*flags));
}

}  // namespace

AsioRuntime::Core::Core(asio::any_io_executor executor, host::Caller caller,
                        Result<host::Config> config, std::vector<host::Backend> backends,
                        policy::Judge judge, std::vector<GivenSetting> given, std::string name)
    : executor_(std::move(executor)),
      given_(std::move(given)),
      host_(std::move(caller), std::move(config), std::move(backends)),
      policy_(host_.settings, host_.environments, host_.journal, host_.interaction,
              std::move(judge), std::move(name)) {
  const Result<host::Config>& read = host_.settings.config();
  if (!read) check_ = fail(read.error());
  use_hooks({});
}

void AsioRuntime::Core::use_hooks(Hooks hooks) {
  hooks.approval_requested.emplace_back(
      [this](const ApprovalRequest& request) { watchers_.asked(request); });
  hooks.approval_answered.emplace_back(
      [this](const ApprovalRequest& request, std::string_view choice) {
        watchers_.answered(request, choice);
      });
  hooks.preparing = [this, own = std::move(hooks.preparing)](std::string_view text) {
    if (own) own(text);
    watchers_.preparing(text);
  };
  own_sudo_ = hooks.ask_sudo_password;
  host_.interaction.hooks = std::move(hooks);
}

void AsioRuntime::Core::use_sudo_listeners() {
  auto& asked = host_.interaction.hooks.ask_sudo_password;
  if (sudo_listeners_.empty()) {
    asked = own_sudo_;
    return;
  }
  asked = [this](const SudoRequest& request, SudoReply reply) {
    if (sudo_listeners_.ask(request, reply)) return;
    if (own_sudo_) return own_sudo_(request, std::move(reply));
    reply("");
  };
}

void AsioRuntime::Core::found(const Result<void>& flaw) {
  if (check_) check_ = flaw;
}

void AsioRuntime::Core::cancel_later(CancelToken token) const {
  asio::post(executor_, [token = std::move(token)]() mutable { token.cancel(); });
}

void AsioRuntime::Core::cancel_all_calls() {
  const std::list<CancelToken> calls = calls_;  // cancelling one may end it and change the list
  for (CancelToken call : calls) call.cancel();
}

std::shared_ptr<AsioRuntime::Core> make_core(const asio::any_io_executor& executor,
                                             Options options) {
  host::Caller caller = caller_of(options);
  Result<host::Config> config = config_of(caller, options);
  auto core = std::make_shared<AsioRuntime::Core>(
      executor, std::move(caller), std::move(config), backends(executor), policy::guard_judge(),
      std::move(options.settings), std::move(options.name));
  host::CommandVariables& variables = core->host().settings.variables();
  if (!options.variables.empty()) variables.add(options.variables);
  for (const std::string& name : options.pass_through) core->found(variables.pass_through(name));
  core->use_hooks(std::move(options.hooks));
  core->host().interaction.at_terminal = options.ask_at_terminal;
  return core;
}

CallUnderWay::CallUnderWay(std::shared_ptr<AsioRuntime::Core> core, const Cancel& cancel)
    : core_(std::move(core)),
      place_(core_->calls_.emplace(core_->calls_.end())),
      watch_(cancel, [core = core_.get(), token = *place_] { core->cancel_later(token); }) {
  if (cancel.cancelled()) place_->cancel();  // so that nothing is started in the meantime
}

CallUnderWay::~CallUnderWay() { core_->calls_.erase(place_); }

}  // namespace talaria
