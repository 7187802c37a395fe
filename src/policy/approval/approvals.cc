#include "policy/approval/approvals.h"

#include <algorithm>
#include <utility>

#include "base/off_loop.h"
#include "base/secret_name.h"
#include "base/text.h"
#include "policy/approval/isolation.h"
#include "policy/approval/outside_judges.h"
#include "policy/approval/question.h"
#include "policy/approval/refusals.h"
#include "policy/redact.h"

namespace talaria::policy {
namespace {

Decision cleared(Reason reason) { return {.approved = true, .reason = reason}; }

Decision refused(Reason reason, std::string message, const std::string& description,
                 std::vector<std::string> rules) {
  return {.reason = reason,
          .message = std::move(message),
          .description = description,
          .rules = std::move(rules)};
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

// What counts of a session for a question: a script and a file tool know nothing of its aliases and
// functions.
shell::SessionDefinitions session_for(const CommandQuestion& question) {
  if (question.judged.empty()) return question.session;
  return {.variables = question.session.variables, .directory = question.session.directory};
}

bool is_secret(const auto& variable) {
  return secret_name(variable.first) != SecretName::none &&
         variable.second.starts_with(shell::kDigestMark);
}

// Of a secret only a digest is reported, which is not its value.
shell::SessionDefinitions without_secrets(shell::SessionDefinitions session) {
  erase_if(session.variables, [](const auto& one) { return is_secret(one); });
  return session;
}

std::string first_description(const guard::Judgement& judgement) {
  return judgement.concerns.empty() ? std::string(kUnclear)
                                    : judgement.concerns.front().description;
}

bool contains(const std::vector<std::string>& list, const std::string& one) {
  return std::ranges::find(list, one) != list.end();
}

bool contains_all(const std::vector<std::string>& list, const std::vector<std::string>& some) {
  return std::ranges::all_of(some, [&](const std::string& one) { return contains(list, one); });
}

// Whether everything in the session that it was judged by was looked at.
bool was_seen(const CommandQuestion& question, const shell::JudgedStart& start) {
  return !question.remembered && contains_all(question.looked.words, start.words) &&
         contains_all(question.looked.variables, start.variables);
}

// Programs go by these though no text names them. An answer holds for the values they had.
constexpr const char* kDirecting[] = {
    "PATH",          "HOME",           "LD_PRELOAD",   "LD_LIBRARY_PATH", "GIT_DIR",
    "GIT_WORK_TREE", "GIT_INDEX_FILE", "KUBECONFIG",   "DOCKER_HOST",     "DOCKER_CONTEXT",
    "AWS_PROFILE",   "MAKEFLAGS",      "MAKEFILES",    "PYTHONPATH",      "NODE_PATH",
    "PGHOST",        "PGDATABASE",     "DATABASE_URL", "TF_WORKSPACE",    "CLOUDSDK_CONFIG",
    "GLOBIGNORE"};

void add_name(std::vector<std::string>& to, std::string name) {
  if (!contains(to, name)) to.push_back(std::move(name));
}

void add_all(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// Of a session that this program has not used yet.
std::string stored_directory(const host::Environments& environments,
                             const CommandQuestion& question) {
  const std::string session = environments.stored_directory_of(question.task);
  return session.empty() || !question.workdir ? session : session + "/" + *question.workdir;
}

// All the text there is to read.
std::size_t bytes_of(const CommandQuestion& question) {
  std::size_t bytes = question.command.size() + question.judged.size() + question.input.text.size();
  for (const std::string& variable : question.variables) bytes += variable.size();
  for (const ApprovalDetail& detail : question.details) bytes += detail.text.size();
  return bytes;
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
      judge_(std::move(judge)),
      approvers_(settings, ledger.database(), people),
      grants_(ledger.database()) {}

std::string Approvals::session_of(const CommandQuestion& question) {
  if (!question.session_key.empty()) return question.session_key;
  const std::string& configured = question.config->approvals.session_key;
  return configured.empty() ? std::string(kNamelessSession) : configured;
}

Task<Decision> Approvals::decide(const CommandQuestion& question, CancelToken cancel) {
  const host::Config& config = *question.config;
  if (isolation_of(config, settings_.caller()).isolated) co_return cleared(Reason::isolated);

  const Judged judged =
      co_await off_loop_if_large(bytes_of(question), [&] { return judge(question); });
  if (judged.judgement.answer != guard::Answer::allow && config.managed.chosen &&
      co_await gateway_isolates(environments_, question.task, question.config)) {
    co_return Decision{.approved = true, .reason = Reason::isolated, .took_time = true};
  }
  Decision decision = co_await decide_judged(question, judged, std::move(cancel));
  decision.judged = judged.start;
  co_return decision;
}

std::optional<Decision> Approvals::never_allowed(const CommandQuestion& question) const {
  if (isolation_of(*question.config, settings_.caller()).isolated) return std::nullopt;
  return floor_of(judge_with(question, question.session));
}

bool Approvals::needs_nobody(const CommandQuestion& question) const {
  if (isolation_of(*question.config, settings_.caller()).isolated) return true;
  const guard::Judgement judgement = judge_with(question, question.session);
  if (judgement.answer == guard::Answer::allow) return true;
  const auto decided = decide_at_once(question, session_of(question), judgement);
  return decided && decided->approved;
}

guard::Judgement Approvals::judge_with(const CommandQuestion& question,
                                       const shell::SessionDefinitions& session) const {
  const host::Config& config = *question.config;
  const bool has_secrets =
      std::ranges::any_of(session.variables, [](const auto& one) { return is_secret(one); });
  if (has_secrets) return judge_with(question, without_secrets(session));
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
  shell::SessionDefinitions session = session_for(question);
  Judged judged{judge_with(question, session), {}};
  if (question.remembered && judged.judgement.answer != guard::Answer::allow) {
    guard::Judgement bare = judge_with(question, {});
    if (bare.answer == guard::Answer::allow || judged.judgement.answer == guard::Answer::deny) {
      judged.judgement = std::move(bare);
      session = {};
    }
  }
  shell::JudgedStart& start = judged.start;
  start.words = judged.judgement.names;
  start.variables = judged.judgement.variables;
  start.uses_directory = judged.judgement.uses_directory;
  // `~` and the home directory are what the session says.
  if (start.uses_directory) add_name(start.variables, "HOME");
  if (judged.judgement.answer == guard::Answer::ask) {
    for (const char* name : kDirecting) add_name(start.variables, name);
  }
  shell::judge_by(session, start);
  return judged;
}

Task<Decision> Approvals::decide_judged(const CommandQuestion& question, Judged judged,
                                        CancelToken cancel) {
  const guard::Judgement& judgement = judged.judgement;
  if (auto decided = decide_at_once(question, session_of(question), judgement)) {
    if (decided->rules.empty() && judgement.answer != guard::Answer::allow) {
      // For the log: what was let through.
      decided->rules = values(judgement.concerns, &guard::Concern::key);
    }
    co_return std::move(*decided);
  }
  if (question.can_look && !was_seen(question, judged.start) &&
      !is_refused_anyway(question, judgement)) {
    co_return Decision{.reason = Reason::unseen};
  }
  Decision decision = co_await decide_by_asking(question, std::move(judged), std::move(cancel));
  decision.took_time = true;
  co_return decision;
}

// Nobody can be asked, and nothing that was granted could allow it.
bool Approvals::is_refused_anyway(const CommandQuestion& question,
                                  const guard::Judgement& judgement) {
  const host::ApprovalConfig& settings = question.config->approvals;
  const bool asks = settings.mode == host::ApprovalMode::smart ||
                    settings.headless != host::HeadlessMode::deny ||
                    approvers_.kind_for(session_of(question), settings) != Approvers::Kind::nobody;
  return !asks && judgement.answer != guard::Answer::allow &&
         !grants_.has_any(values(judgement.concerns, &guard::Concern::key), question.target);
}

Task<Approvals::Prepared> Approvals::prepare(const CommandQuestion& question,
                                             const Judged& judged) {
  const guard::Judgement& judgement = judged.judgement;
  const host::ApprovalConfig& settings = question.config->approvals;
  Prepared prepared;
  prepared.place = co_await off_loop_if_large(
      bytes_of(question), [&] { return place_of(question, judged.start, session_of(question)); });
  prepared.findings = co_await gather(question, judgement);
  prepared.notices = grants_.remove_allowed(prepared.findings, prepared.place, settings.allowlist);
  if (prepared.findings.empty()) co_return prepared;
  prepared.approver = approvers_.kind_for(prepared.place.session_key, settings);
  prepared.request =
      request_for(question, judged.start, prepared.findings, prepared.place, prepared.approver);
  prepared.request.notices = prepared.notices;
  co_return prepared;
}

Task<Decision> Approvals::decide_by_asking(CommandQuestion question, Judged judged,
                                           CancelToken cancel) {
  const guard::Judgement& judgement = judged.judgement;
  const host::ApprovalConfig& settings = question.config->approvals;
  if (question.cwd.empty()) question.cwd = stored_directory(environments_, question);
  Prepared prepared = co_await prepare(question, judged);
  const GrantPlace& place = prepared.place;
  const Findings& findings = prepared.findings;
  const std::vector<std::string>& notices = prepared.notices;
  if (findings.empty()) {
    Decision decision =
        cleared(judgement.answer == guard::Answer::allow ? Reason::harmless : Reason::granted);
    decision.rules = values(judgement.concerns, &guard::Concern::key);
    co_return decision;
  }
  const Approvers::Kind approver = prepared.approver;
  ApprovalRequest request = std::move(prepared.request);

  if (settings.mode == host::ApprovalMode::smart) {
    const SmartAnswer answer = co_await ask_smart_program(settings, request);
    if (answer == SmartAnswer::deny) {
      co_return refused(Reason::smart, refused_by_program(request.description), request.description,
                        request.pattern_keys);
    }
    if (answer == SmartAnswer::approve) {
      Decision decision = cleared(Reason::smart);
      decision.description = request.description;
      decision.rules = request.pattern_keys;
      const ApprovalAnswer session{.word = "session"};
      if (!question.script) co_await grant(findings, place, session, decision);
      co_return decision;
    }
  }
  if (approver == Approvers::Kind::nobody && settings.headless == host::HeadlessMode::deny) {
    std::string message = refused_headless(request.description, question.target);
    for (const std::string& notice : notices) message += " " + notice;
    co_return refused(Reason::headless, std::move(message), request.description,
                      request.pattern_keys);
  }
  const bool somebody = approver != Approvers::Kind::nobody;
  const bool waits =
      question.waits && settings.waits &&
      (somebody || approvers_.has_listener(place.session_key, Approvers::Role::watches));
  const Approvers::Kind asked_by = somebody && question.waits ? approver : Approvers::Kind::queue;
  Approvers::Asked asked =
      co_await approvers_.ask(std::move(request), asked_by, waits, std::move(cancel));
  if (asked.decision.approved) {
    co_await grant(findings, place, asked.answer, asked.decision);
  }
  add_all(asked.decision.notices, notices);
  co_return std::move(asked.decision);
}

// By what is known of its session: nothing is started to look at it.
Task<Approvals::Looked> Approvals::look_ahead(CommandQuestion question) {
  Looked looked;
  Decision& decision = looked.preview.decision;
  if (isolation_of(*question.config, settings_.caller()).isolated) {
    decision = cleared(Reason::isolated);
    co_return looked;
  }
  if (question.cwd.empty()) question.cwd = stored_directory(environments_, question);
  const Judged judged =
      co_await off_loop_if_large(bytes_of(question), [&] { return judge(question); });
  if (auto decided = decide_at_once(question, session_of(question), judged.judgement)) {
    decision = std::move(*decided);
    if (decision.rules.empty()) {
      decision.rules = values(judged.judgement.concerns, &guard::Concern::key);
    }
    co_return looked;
  }
  looked.prepared = co_await prepare(question, judged);
  if (looked.prepared.findings.empty()) {
    decision = cleared(judged.judgement.answer == guard::Answer::allow ? Reason::harmless
                                                                       : Reason::granted);
    decision.rules = values(judged.judgement.concerns, &guard::Concern::key);
    co_return looked;
  }
  const ApprovalRequest& request = looked.prepared.request;
  const bool nobody = looked.prepared.approver == Approvers::Kind::nobody;
  if (nobody && question.config->approvals.headless == host::HeadlessMode::deny) {
    decision = refused(Reason::headless, refused_headless(request.description, question.target),
                       request.description, request.pattern_keys);
  } else {
    decision = {.reason = Reason::pending,
                .description = request.description,
                .rules = request.pattern_keys};
  }
  looked.preview.request = request;
  co_return looked;
}

Task<Approvals::Preview> Approvals::preview(const CommandQuestion& question) {
  co_return (co_await look_ahead(question)).preview;
}

Task<Result<std::vector<host::StoredGrant>>> Approvals::grant(const CommandQuestion& question,
                                                              const ApprovalAnswer& answer) {
  if (const auto allowed = host::refuse_commands(); !allowed) co_return fail(allowed.error());
  const Looked looked = co_await look_ahead(question);
  const Decision& decision = looked.preview.decision;
  if (decision.approved) {
    co_return fail(ErrorKind::bad_request, "the command needs no approval");
  }
  if (looked.prepared.findings.empty()) co_return fail(refusal(decision, decision.message));
  if (grants_for(looked.prepared.findings, looked.prepared.place, answer.covers).empty()) {
    std::string offered;
    for (const GrantOffer& one : looked.prepared.request.offers) {
      offered += (offered.empty() ? "" : ", ") + one.covers;
    }
    co_return fail(ErrorKind::bad_request,
                   "an approval of this command cannot cover '" + answer.covers +
                       "'; it can cover: " + (offered.empty() ? "only one call" : offered));
  }
  std::vector<host::StoredGrant> granted;
  const auto stored = co_await grants_.add(looked.prepared.findings, looked.prepared.place, answer,
                                           settings_.caller().user(), &granted);
  if (!stored) co_return fail(stored.error());
  co_return granted;
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
  const bool nobody = approvers_.kind_for(session_key, settings) == Approvers::Kind::nobody;
  // A person at the agent's terminal is somebody, even if we cannot ask them.
  const bool allows = settings.headless == host::HeadlessMode::allow;
  if (nobody && allows && !settings.interactive) {
    return cleared(harmless ? Reason::harmless : Reason::headless);
  }
  return std::nullopt;
}

// Writes down what an answer allows beyond this one call.
Task<void> Approvals::grant(const Findings& findings, const GrantPlace& place,
                            const ApprovalAnswer& answer, Decision& decision) {
  if (answer.word == "once") co_return;
  if (grants_for(findings, place, answer.covers).empty()) {
    decision.notices.emplace_back(
        "The approval covers this call only, because the directory of the session is not known.");
    co_return;
  }
  const std::string grantor = decision.reason == Reason::smart
                                  ? "smart approval"
                                  : settings_.caller().user() + ", " + decision.id;
  const auto written = co_await grants_.add(findings, place, answer, grantor);
  if (written) co_return;
  decision.notices.push_back("The approval is valid, but could not be stored: " +
                             written.error().message());
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
  approvers_.resolve(session_key, {.word = "deny"}, true);
}

}  // namespace talaria::policy
