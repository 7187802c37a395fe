#include "policy/approval/approvals.h"

#include <algorithm>
#include <utility>

#include <boost/algorithm/string/join.hpp>

#include "base/limits.h"
#include "base/sha256.h"
#include "host/hooks.h"
#include "os/terminal_question.h"
#include "policy/approval/isolation.h"
#include "policy/approval/outside_judges.h"
#include "policy/approval/refusals.h"

namespace talaria::policy {
namespace {

constexpr std::string_view kUnclear = "a command that could not be judged";

Decision cleared(Reason reason) { return {.approved = true, .reason = reason}; }

Decision refused(Reason reason, std::string message, const std::string& description,
                 std::vector<std::string> rules) {
  return {.reason = reason,
          .message = std::move(message),
          .description = description,
          .rules = std::move(rules)};
}

Decision denied(std::string outcome, Reason reason, std::string message,
                const ApprovalRequest& request) {
  Decision decision =
      refused(reason, std::move(message), request.description, request.pattern_keys);
  decision.outcome = std::move(outcome);
  decision.id = request.id;
  return decision;
}

const guard::Concern* find_class(const guard::Judgement& judgement, guard::RuleClass rule_class) {
  const auto found = std::ranges::find(judgement.concerns, rule_class, &guard::Concern::rule_class);
  return found == judgement.concerns.end() ? nullptr : &*found;
}

// With a password at hand sudo is given it, so a command that brings one is only dangerous.
guard::Judgement with_password(guard::Judgement judgement) {
  const auto removed = std::erase_if(judgement.concerns, [](const guard::Concern& concern) {
    return concern.rule_class == guard::RuleClass::sudo_stdin;
  });
  if (removed > 0 && judgement.answer == guard::Answer::deny) {
    judgement.answer = judgement.concerns.empty() ? guard::Answer::allow : guard::Answer::ask;
  }
  return judgement;
}

// What no mode, grant or person can allow.
std::optional<Decision> floor_of(const guard::Judgement& judgement) {
  if (const guard::Concern* concern = find_class(judgement, guard::RuleClass::hardline)) {
    return refused(Reason::hardline, refused_for_good(concern->description), concern->description,
                   {concern->key});
  }
  if (const guard::Concern* concern = find_class(judgement, guard::RuleClass::sudo_stdin)) {
    return refused(Reason::sudo_stdin, refused_sudo_stdin(concern->description),
                   concern->description, {concern->key});
  }
  if (judgement.answer != guard::Answer::deny) return std::nullopt;
  const guard::Concern* concern = find_class(judgement, guard::RuleClass::user);
  if (!concern && !judgement.concerns.empty()) concern = judgement.concerns.data();
  const std::string description(concern ? concern->description : kUnclear);
  return refused(Reason::rule, refused_by_rule(description), description,
                 {concern ? concern->key : description});
}

// A script and a file tool use the variables of the session, but not its aliases and functions.
shell::SessionDefinitions only_variables(const shell::SessionDefinitions& session) {
  return {.variables = session.variables};
}

std::string first_description(const guard::Judgement& judgement) {
  return judgement.concerns.empty() ? std::string(kUnclear)
                                    : judgement.concerns.front().description;
}

// What is granted with a rule is all it speaks against. What is unclear may be anything: there it
// is this very command.
std::string grant_for(const guard::Concern& concern, const std::string& command) {
  if (concern.rule_class != guard::RuleClass::unclear) return concern.key;
  return concern.key + ": sha256 " + sha256_hex(command);
}

bool in_chat(const host::ApprovalConfig& config) {
  return (config.gateway && !config.cron) || config.ask;
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::ranges::find(list, one) != list.end();
}

template <class T>
std::vector<std::string> values(const std::vector<T>& list, std::string T::* member) {
  std::vector<std::string> all;
  for (const T& one : list) all.push_back(one.*member);
  return all;
}

// A gateway says itself what its sandboxes are, once one is made.
Task<bool> gateway_isolates(host::Environments& environments, std::string task,
                            host::ConfigPtr config) {
  const auto environment = co_await environments.get(std::move(task), std::move(config));
  co_return environment && (*environment)->isolated().value_or(false);
}

}  // namespace

Approvals::Approvals(host::Settings& settings, host::Environments& environments,
                     host::ProcessLedger& ledger, const host::Interaction& people, Judge judge)
    : settings_(settings),
      environments_(environments),
      people_(people),
      judge_(std::move(judge)),
      queue_(settings.config() ? settings.config()->home : "", ledger.database()),
      grants_(ledger.database()) {}

std::string Approvals::session_of(const CommandQuestion& question) {
  if (!question.session_key.empty()) return question.session_key;
  const std::string& configured = question.config->approvals.session_key;
  return configured.empty() ? std::string(kNamelessSession) : configured;
}

Task<Decision> Approvals::decide(CommandQuestion question, CancelToken cancel) {
  const host::Config& config = *question.config;
  if (isolation_of(config, settings_.caller()).isolated) co_return cleared(Reason::isolated);

  const Judged judged = judge(question);
  if (judged.judgement.answer != guard::Answer::allow && config.managed.chosen &&
      co_await gateway_isolates(environments_, question.task, question.config)) {
    co_return Decision{.approved = true, .reason = Reason::isolated, .took_time = true};
  }
  Decision decision =
      co_await decide_judged(std::move(question), judged.judgement, std::move(cancel));
  decision.judged = judged.start;
  co_return decision;
}

std::optional<Decision> Approvals::never_allowed(const CommandQuestion& question) const {
  if (isolation_of(*question.config, settings_.caller()).isolated) return std::nullopt;
  return floor_of(judge_with(question, question.session));
}

guard::Judgement Approvals::judge_with(const CommandQuestion& question,
                                       const shell::SessionDefinitions& session) const {
  const host::Config& config = *question.config;
  guard::Judgement judgement =
      judge_({.command = question.judged.empty() ? question.command : question.judged,
              .input = question.input,
              .variables = question.variables,
              .config = config,
              .caller = settings_.caller(),
              .session = session,
              .program = question.script});
  if (config.approvals.has_sudo_password) judgement = with_password(std::move(judgement));
  return judgement;
}

// What is only remembered of the session may be used to let a command pass without another look at
// the session, and to ask all at once, but not to find something against it.
Approvals::Judged Approvals::judge(const CommandQuestion& question) const {
  if (!question.judged.empty()) {
    return {judge_with(question, only_variables(question.session)), {}};
  }
  Judged judged{judge_with(question, question.session), {}};
  const shell::SessionDefinitions* used = &question.session;
  const shell::SessionDefinitions none;
  if (question.remembered && judged.judgement.answer != guard::Answer::allow) {
    guard::Judgement bare = judge_with(question, none);
    if (bare.answer == guard::Answer::allow || judged.judgement.answer == guard::Answer::deny) {
      judged.judgement = std::move(bare);
      used = &none;
    }
  }
  judged.start.words = judged.judgement.names;
  judged.start.variables = judged.judgement.variables;
  judged.start.uses_directory = judged.judgement.uses_directory;
  shell::judge_by(*used, judged.start);
  return judged;
}

Task<Decision> Approvals::decide_judged(CommandQuestion question, guard::Judgement judgement,
                                        CancelToken cancel) {
  if (auto decided = decide_at_once(question, session_of(question), judgement)) {
    if (decided->rules.empty() && judgement.answer != guard::Answer::allow) {
      // For the log: what was let through.
      decided->rules = values(judgement.concerns, &guard::Concern::key);
    }
    co_return std::move(*decided);
  }
  Decision decision =
      co_await decide_by_asking(std::move(question), std::move(judgement), std::move(cancel));
  decision.took_time = true;
  co_return decision;
}

Task<Decision> Approvals::decide_by_asking(CommandQuestion question, guard::Judgement judgement,
                                           CancelToken cancel) {
  const host::ApprovalConfig& settings = question.config->approvals;
  const std::string session_key = session_of(question);
  const Findings findings = co_await gather(question, session_key, judgement);
  if (findings.empty()) {
    Decision decision =
        cleared(judgement.answer == guard::Answer::allow ? Reason::harmless : Reason::granted);
    decision.rules = values(judgement.concerns, &guard::Concern::key);
    co_return decision;
  }
  const Approver approver = approver_for(session_key, settings);
  ApprovalRequest request = request_for(question, findings, settings, approver);
  request.session_key = session_key;

  if (settings.mode == host::ApprovalMode::smart) {
    const SmartAnswer answer = co_await ask_smart_program(settings, request);
    if (answer == SmartAnswer::deny) {
      co_return refused(Reason::smart, refused_by_program(request.description), request.description,
                        request.pattern_keys);
    }
    if (answer == SmartAnswer::approve) {
      Decision decision = cleared(Reason::smart);
      if (!question.script) grant(request, "session", decision);
      co_return decision;
    }
  }
  if (approver == Approver::nobody) {
    co_return refused(Reason::headless, refused_headless(request.description, question.target),
                      request.description, request.pattern_keys);
  }
  const bool waits = approver != Approver::queue || settings.waits;
  co_return co_await ask(std::move(request), approver, waits, std::move(cancel));
}

// What needs nobody's answer.
std::optional<Decision> Approvals::decide_at_once(const CommandQuestion& question,
                                                  const std::string& session_key,
                                                  const guard::Judgement& judgement) const {
  const host::ApprovalConfig& settings = question.config->approvals;
  if (auto never = floor_of(judgement)) return never;
  const bool harmless = judgement.answer == guard::Answer::allow;
  if (harmless && !settings.scanner.enabled) return cleared(Reason::harmless);
  if (question.force) return cleared(Reason::forced);
  if (settings.yolo || yolo_.contains(session_key)) return cleared(Reason::yolo);
  if (settings.mode == host::ApprovalMode::off) return cleared(Reason::mode_off);

  const bool unattended = settings.cron && !settings.interactive && !settings.ask;
  if (unattended) {
    if (harmless) return cleared(Reason::harmless);
    if (settings.cron_approves) return cleared(Reason::cron_mode);
    const std::string description = first_description(judgement);
    return refused(Reason::cron_mode, refused_in_cron(description), description,
                   values(judgement.concerns, &guard::Concern::key));
  }
  const bool nobody = approver_for(session_key, settings) == Approver::nobody;
  // A person at the agent's terminal is somebody, even if we cannot ask them.
  if (nobody && settings.headless_allows && !settings.interactive) {
    return cleared(harmless ? Reason::harmless : Reason::headless);
  }
  return std::nullopt;
}

// The scanner's finding first, then those of the rules; without those that are granted.
Task<Approvals::Findings> Approvals::gather(const CommandQuestion& question,
                                            const std::string& session_key,
                                            const guard::Judgement& judgement) {
  const host::ApprovalConfig& settings = question.config->approvals;
  Findings all;
  const auto add = [&all](Finding finding) {
    if (!contains(values(all, &Finding::rule), finding.rule)) all.push_back(std::move(finding));
  };
  if (settings.scanner.enabled && question.judged.empty()) {
    auto found = co_await scan_command(settings.scanner, question.command);
    if (found) add({found->key, found->description, found->key, false});
  }
  if (judgement.answer != guard::Answer::allow) {
    for (const guard::Concern& concern : judgement.concerns) {
      add({concern.key, concern.description, grant_for(concern, question.command)});
    }
    if (judgement.concerns.empty()) {
      const std::string key(kUnclear);
      const guard::Concern concern{guard::RuleClass::unclear, key, key, {}};
      add({key, key, grant_for(concern, question.command)});
    }
  }
  const auto rules = grants_.missing(session_key, question.target, values(all, &Finding::rule),
                                     settings.allowlist);
  const auto grants =
      grants_.missing(session_key, question.target, values(all, &Finding::grant), {});
  std::erase_if(all, [&](const Finding& one) {
    return !contains(rules, one.rule) || !contains(grants, one.grant);
  });
  const bool agreed = std::ranges::all_of(
      all, [&](const Finding& one) { return contains(question.approved, one.rule); });
  if (agreed) all.clear();
  co_return all;
}

bool Approvals::hears_of(const std::string& session_key) const {
  return std::ranges::any_of(subscribed_, [&](const auto& entry) {
    return entry.second.session_key.empty() || entry.second.session_key == session_key;
  });
}

Approvals::Approver Approvals::approver_for(const std::string& session_key,
                                            const host::ApprovalConfig& config) const {
  if (people_.hooks.ask) return Approver::hook;
  if (people_.at_terminal && os::TerminalQuestion::is_possible()) return Approver::terminal;
  if (in_chat(config) || config.queue || hears_of(session_key)) return Approver::queue;
  return Approver::nobody;
}

ApprovalRequest Approvals::request_for(const CommandQuestion& question, const Findings& findings,
                                       const host::ApprovalConfig& config,
                                       Approver approver) const {
  const bool at_terminal = approver != Approver::queue && !in_chat(config);
  return {.id = host::ApprovalQueue::new_id(),
          .command = question.command,
          .description = boost::algorithm::join(values(findings, &Finding::description), "; "),
          .pattern_key = findings.front().rule,
          .pattern_keys = values(findings, &Finding::rule),
          .grants = values(findings, &Finding::grant),
          .task = question.task,
          .call = question.call,
          .target = question.target,
          .cwd = question.cwd,
          .surface = at_terminal ? "cli" : "gateway",
          .allow_permanent = std::ranges::all_of(findings, &Finding::permanent),
          .timeout = at_terminal ? config.timeout : config.gateway_timeout};
}

// Writes down what an answer allows beyond this one command.
void Approvals::grant(const ApprovalRequest& request, std::string_view word, Decision& decision) {
  decision.description = request.description;
  decision.rules = request.pattern_keys;
  if (word == "once") return;
  std::vector<std::string> for_good;
  if (word == "always") {
    std::ranges::copy_if(request.grants, std::back_inserter(for_good),
                         [](const std::string& key) { return !key.starts_with("tirith:"); });
  }
  Result<void> written = grants_.for_session(request.session_key, request.target, request.grants);
  if (!for_good.empty()) {
    const auto stored_for_good = grants_.for_good(request.target, for_good);
    if (written) written = stored_for_good;
  }
  if (!written) {
    decision.notices.push_back("The approval is valid, but could not be stored: " +
                               written.error().message());
  }
}

Task<Decision> Approvals::ask(ApprovalRequest request, Approver approver, bool waits,
                              CancelToken cancel) {
  if (waits) co_return co_await wait_for_answer(std::move(request), approver, std::move(cancel));

  if (const auto answered = queue_.take_answer(stored(request, false))) {
    request.id = answered->id;
    if (answered->choice == "deny") {
      Decision decision =
          denied("denied", Reason::user, refused_by_user(request.description), request);
      decision.choice = answered->choice;
      co_return decision;
    }
    Decision decision = cleared(Reason::user);
    decision.id = request.id;
    decision.choice = answered->choice;
    grant(request, answered->choice, decision);
    co_return decision;
  }
  if (const auto asked_before = queue_.find_open(stored(request, false))) {
    request.id = asked_before->id;
  } else {
    host::notify_requested(people_.hooks, request);
    const auto put_there = put(request, false);
    if (!put_there) {
      co_return denied("notify_failed", Reason::not_asked,
                       refused_unasked() + " (" + put_there.error().message() + ")", request);
    }
  }
  Decision decision =
      refused(Reason::pending, waits_for_approval(request.description, request.command),
              request.description, request.pattern_keys);
  decision.id = request.id;
  co_return decision;
}

void Approvals::set_yolo(const std::string& session_key, bool on) {
  if (session_key.empty()) return;
  if (on) {
    yolo_.insert(session_key);
  } else {
    yolo_.erase(session_key);
  }
}

void Approvals::clear_session(const std::string& session_key) {
  if (session_key.empty()) return;
  yolo_.erase(session_key);
  grants_.forget(session_key);
  resolve(session_key, "deny", true);
}

std::size_t Approvals::resolve(const std::string& session_key, std::string_view word, bool all) {
  std::size_t count = 0;
  for (const Waiting& one : waiting_) {
    if (one.request.session_key != session_key || !one.wait->wanted()) continue;
    one.wait->answer(word);
    ++count;
    if (!all) break;
  }
  return count;
}

std::uint64_t Approvals::listen(std::string session_key, Listener listener) {
  subscribed_.emplace(++subscriptions_, Subscribed{std::move(session_key), std::move(listener)});
  return subscriptions_;
}

void Approvals::leave(std::uint64_t id) {
  const auto found = subscribed_.find(id);
  if (found == subscribed_.end()) return;
  subscribed_.erase(found);
  for (const Waiting& one : waiting_) {
    const auto config = settings_.of(one.request.task);
    const bool heard =
        config && approver_for(one.request.session_key, (*config)->approvals) != Approver::nobody;
    if (!heard) one.wait->abandon();
  }
}

}  // namespace talaria::policy
