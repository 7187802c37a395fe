#include "tools/process_service.h"

#include "policy/typed_input.h"

namespace talaria::tool {
namespace {

bool is_meant(const KillAll& which, const ProcessInfo& info) {
  if (!info.running && info.background_children == 0) return false;
  if (which.task && info.task != *which.task) return false;
  return which.include_keep || info.lifespan != Lifespan::keep;
}

}  // namespace

Result<void> check_input(const Services& services, const ProcessInfo& process,
                         std::string_view data) {
  auto config = services.settings.of(process.task);
  if (!config) return fail(config.error());
  policy::CommandQuestion question{.command = process.command,
                                   .task = process.task,
                                   .config = std::move(*config),
                                   .target = process.target,
                                   .cwd = process.cwd};
  question.session.directory = process.cwd;
  const auto refused = policy::refused_input(services.policy.approvals(), std::move(question),
                                             process.unfinished_input, data);
  if (refused) return fail(policy::refusal(*refused, refused->message));
  return {};
}

template <class T>
Result<T> BackgroundProcess::explained(Result<T> answer) const {
  if (answer || answer.error().kind() != ErrorKind::not_found) return answer;
  return fail(ErrorKind::not_found, "No process with ID " + id_);
}

template <class T>
std::optional<ProcessInfo> BackgroundProcess::lost(const Result<T>& answer) const {
  if (answer || answer.error().kind() != ErrorKind::not_found) return std::nullopt;
  return services_.journal.ledger().find_ended(id_, environment_->processes().instance());
}

Task<Result<ProcessInfo>> BackgroundProcess::find(std::uint64_t tail_limit) const {
  auto found = co_await environment_->processes().list({.id = id_, .tail_limit = tail_limit});
  if (!found) co_return fail(found.error());
  if (found->empty()) {
    const Result<ProcessInfo> unknown = fail(ErrorKind::not_found, "");
    if (auto info = lost(unknown)) co_return std::move(*info);
    co_return explained(unknown);
  }
  found->front().target = environment_->target();
  co_return std::move(found->front());
}

Task<Result<ProcessInfo>> BackgroundProcess::wait(std::uint64_t tail_limit,
                                                  CancelToken cancel) const {
  auto ended = co_await environment_->processes().wait({.id = id_, .tail_limit = tail_limit},
                                                       std::move(cancel));
  if (auto info = lost(ended)) co_return std::move(*info);
  co_return explained(std::move(ended));
}

Task<Result<ProcessInfo>> BackgroundProcess::watch_end(CancelToken cancel) const {
  const auto ended = co_await wait(0, std::move(cancel));
  if (!ended) co_return ended;
  co_return co_await find();
}

Task<Result<KilledProcess>> BackgroundProcess::kill(std::string source) const {
  auto killed = co_await environment_->processes().kill(id_, std::move(source));
  if (lost(killed)) co_return KilledProcess{.already_ended = true};
  co_return explained(std::move(killed));
}

Task<Result<void>> BackgroundProcess::signal(int number) const {
  co_return explained(co_await environment_->processes().signal(id_, number));
}

Task<Result<OutputRead>> BackgroundProcess::read(OutputQuery query,
                                                 environment::OutputSink on_output,
                                                 CancelToken cancel) const {
  query.id = id_;
  const std::uint64_t from = query.from;
  auto read = co_await environment_->processes().read(std::move(query), std::move(on_output),
                                                      std::move(cancel));
  // Nothing is left of what it printed.
  if (lost(read)) co_return OutputRead{.next = from, .total = from, .eof = true};
  co_return explained(std::move(read));
}

Task<Result<bool>> BackgroundProcess::write(std::string data, bool end, CancelToken cancel) const {
  co_return explained(
      co_await environment_->processes().write(id_, std::move(data), end, std::move(cancel)));
}

Task<Result<bool>> BackgroundProcess::write_judged(const ProcessInfo& process, std::string data,
                                                   CancelToken cancel) const {
  const auto allowed = check_input(services_, process, data);
  if (!allowed) co_return fail(allowed.error());
  co_return co_await write(std::move(data), false, std::move(cancel));
}

Task<Result<void>> BackgroundProcess::resize(ScreenSize size) const {
  co_return explained(co_await environment_->processes().resize(id_, size));
}

Task<Result<BackgroundProcess>> ProcessService::open(std::string id, std::string task) const {
  auto environment = co_await services_.environments.of_process(id, std::move(task));
  if (!environment) co_return fail(environment.error());
  co_return BackgroundProcess(services_, std::move(*environment), std::move(id));
}

Task<Result<ProcessService::Found>> ProcessService::find_all(std::uint64_t tail_limit) const {
  auto reached = co_await services_.environments.with_processes();
  if (!reached) co_return fail(reached.error());
  Found found{.away = std::move(reached->out_of_reach)};
  for (const auto& [key, environment] : reached->environments) {
    const std::string target(environment->target());
    auto some = co_await environment->processes().list({.tail_limit = tail_limit});
    if (!some) {
      found.away.emplace_back(some.error().kind(),
                              "target " + target + " did not answer: " + some.error().message());
      continue;
    }
    for (ProcessInfo& info : *some) {
      info.target = target;
      found.processes.emplace_back(environment, std::move(info));
    }
  }
  co_return found;
}

Task<Result<ProcessList>> ProcessService::list(std::uint64_t tail_limit) const {
  auto found = co_await find_all(tail_limit);
  if (!found) co_return fail(found.error());
  ProcessList list{.away = std::move(found->away)};
  for (auto& [environment, info] : found->processes) list.processes.push_back(std::move(info));
  co_return list;
}

Task<Result<KilledAll>> ProcessService::kill_all(KillAll which) const {
  auto found = co_await find_all(0);
  if (!found) co_return fail(found.error());
  KilledAll all{.away = std::move(found->away)};
  for (const auto& [environment, info] : found->processes) {
    if (!is_meant(which, info)) continue;
    KilledOne one{.id = info.id, .was_running = info.running};
    auto killed = co_await environment->processes().kill(info.id, std::string(kKillAllSource));
    if (killed) {
      one.survivors = std::move(killed->survivors);
    } else {
      one.error = killed.error();
    }
    all.processes.push_back(std::move(one));
  }
  co_return all;
}

}  // namespace talaria::tool
