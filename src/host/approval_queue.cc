#include "host/approval_queue.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/limits.h"
#include "environment/command_origin.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/random.h"
#include "os/signal.h"

namespace talaria::host {
namespace {

std::string closed_message(const StoredApproval& closed) {
  if (closed.state == ApprovalState::expired) {
    return closed.id + " has expired: no program waits for the answer";
  }
  const std::string how = closed.choice == "deny"      ? "denied"
                          : closed.choice == "session" ? "approved for the session"
                                                       : "approved " + closed.choice;
  return closed.id + " was already " + how +
         (closed.answerer.empty() ? "" : " (by " + closed.answerer + ")");
}

Result<void> check_answer(const StoredApproval& question, const ApprovalAnswer& answer) {
  const bool grants = answer.word == "session" || answer.word == "always";
  if (!grants && (!answer.covers.empty() || answer.lasts.count() != 0)) {
    return fail(ErrorKind::bad_request,
                "what an answer covers, and for how long, applies to session and always only");
  }
  if (!answer.words.empty() && answer.word != "deny") {
    return fail(ErrorKind::bad_request, "words go with the answer deny only");
  }
  if (answer.words.size() > kMaxAnswerWords) {
    return fail(ErrorKind::limit, "words: at most " + std::to_string(kMaxAnswerWords) + " bytes");
  }
  const auto& offers = question.offers;
  const auto found = std::ranges::find(offers, answer.covers, &GrantOffer::covers);
  if (answer.covers.empty() || found != offers.end()) return {};
  std::string offered;
  for (const GrantOffer& one : offers) {
    offered += (offered.empty() ? "" : ", ") + one.covers;
  }
  return fail(ErrorKind::bad_request,
              "an approval of " + question.id + " cannot cover '" + answer.covers +
                  "'; it can cover: " + (offered.empty() ? "only this call" : offered));
}

}  // namespace

Result<void> refuse_commands() {
  if (!environment::is_command_process(::getpid())) return {};
  return fail(ErrorKind::denied,
              "a command cannot answer questions about commands, nor change who is asked: this "
              "program was started by a command that Talaria runs. Use another terminal");
}

ApprovalAnswer answer_of(const StoredApproval& question) {
  return {.word = question.choice,
          .covers = question.covers,
          .lasts = question.lasts,
          .words = question.words};
}

bool is_answer(std::string_view word) {
  constexpr auto kAnswers = std::to_array<std::string_view>({"once", "session", "always", "deny"});
  return std::ranges::find(kAnswers, word) != kAnswers.end();
}

std::string ApprovalQueue::new_id() { return "appr_" + os::random_hex(6); }

std::string ApprovalQueue::bell_path(const std::string& id) const {
  return home_ + "/talaria/approvals/" + id;
}

Result<void> ApprovalQueue::check_room(const StoredApproval& question) {
  if (question.command.size() > kMaxAskedCommandBytes) {
    return fail(ErrorKind::limit, "the command has more than " +
                                      std::to_string(kMaxAskedCommandBytes) +
                                      " bytes, too many for a person to review; shorten it");
  }
  const auto open = store_.count_open();
  if (!open) return fail(open.error());
  if (*open >= kMaxWaitingQuestions) {
    return fail(ErrorKind::limit,
                std::to_string(*open) +
                    " commands already wait for approval: `talaria approvals` lists "
                    "them, `talaria deny --all` denies them");
  }
  // So that one of several users cannot close the queue for the others.
  const auto of_one = store_.count_open_of(question.session_key);
  if (!of_one) return fail(of_one.error());
  if (*of_one >= kMaxQuestionsOfOne) {
    return fail(
        ErrorKind::limit,
        std::to_string(*of_one) +
            " commands of this session (at a gateway: of this user) already wait for approval, "
            "which is the limit. `talaria approvals` lists all waiting commands.");
  }
  return {};
}

Result<ApprovalQueue::Put> ApprovalQueue::put(StoredApproval question, bool waits) {
  const auto earlier = find_open(question);
  if (earlier) {
    question.id = earlier->id;
  } else if (const auto room = check_room(question); !room) {
    return fail(room.error());
  }
  Put put{.id = question.id};
  if (waits) {
    question.machine = os::boot_id();
    if (const auto made = os::make_private_directory(home_ + "/talaria/approvals"); !made) {
      return fail(made.error());
    }
    if (earlier) os::remove_file(bell_path(question.id));  // of a program that was killed
    auto pipe = os::WakePipe::create(bell_path(question.id));
    if (!pipe) return fail(pipe.error());
    put.waiter.emplace(std::move(*pipe));
  }
  question.pid = ::getpid();
  question.asker_boot = os::boot_id();
  if (const auto own = os::read_process_stat(::getpid())) question.asker_start = own->start_time;
  if (!earlier) {
    const auto added = store_.add(question);
    return added ? Result<Put>(std::move(put)) : fail(added.error());
  }
  const auto adopted = store_.adopt(question);
  if (!adopted) return fail(adopted.error());
  return put;
}

// A pipe and a process can be seen only from their own machine.
bool ApprovalQueue::is_waited_for(const StoredApproval& question) const {
  if (question.state != ApprovalState::open || question.machine.empty()) return false;
  return question.machine != os::boot_id() || os::has_waiter(bell_path(question.id));
}

bool ApprovalQueue::asker_is_gone(const StoredApproval& question) const {
  const std::string here = os::boot_id();
  if (question.machine == here) return !os::has_waiter(bell_path(question.id));
  return question.asker_boot == here &&
         !os::is_running({static_cast<pid_t>(question.pid), question.asker_start});
}

bool ApprovalQueue::may_take_over(const StoredApproval& earlier,
                                  const StoredApproval& later) const {
  if (asker_is_gone(earlier)) return true;
  return earlier.machine.empty() && earlier.session_key == later.session_key;
}

Result<std::vector<ApprovalQueue::Listed>> ApprovalQueue::list(bool all) {
  std::vector<Listed> listed;
  if (!store_.exists()) return listed;  // to look makes none
  auto found = store_.list(all);
  if (!found) return fail(found.error());
  for (StoredApproval& one : *found) {
    const bool open = one.state == ApprovalState::open;
    if (open && one.expires <= std::chrono::system_clock::now()) {
      const auto closed = store_.close(one.id, {});
      if (!closed) return fail(closed.error());
      one.state = ApprovalState::expired;
    }
    if (!all && one.state != ApprovalState::open) continue;
    const bool gone = asker_is_gone(one);
    if (open && gone) os::remove_file(bell_path(one.id));  // of one that was killed
    listed.push_back({.question = one, .waited_for = is_waited_for(one), .asker_gone = gone});
  }
  return listed;
}

Result<StoredApproval> ApprovalQueue::answer(const std::string& id, const ApprovalAnswer& answer,
                                             std::string_view answerer) {
  if (!is_answer(answer.word)) {
    return fail(ErrorKind::bad_request,
                "expected the answer once, session, always or deny, got '" + answer.word + "'");
  }
  if (const auto allowed = refuse_commands(); !allowed) return fail(allowed.error());
  const Error none(ErrorKind::not_found,
                   "unknown approval request '" + id +
                       "'. `talaria approvals --all` lists the waiting and recent ones.");
  if (!store_.exists()) return fail(none);
  auto found = store_.find(id);
  if (!found) return fail(found.error());
  if (!*found) return fail(none);
  StoredApproval question = std::move(**found);
  if (const auto fits = check_answer(question, answer); !fits) return fail(fits.error());
  const bool expired = question.expires <= std::chrono::system_clock::now();
  ApprovalStore::Closing closing;
  if (!expired) {
    closing = {.state = ApprovalState::answered,
               .choice = answer.word,
               .covers = answer.covers,
               .lasts = answer.lasts.count(),
               .answerer = std::string(answerer),
               .words = answer.words};
  }
  const auto closed = store_.close(id, closing);
  if (!closed) return fail(closed.error());
  if (expired || !*closed) {
    if (expired) os::remove_file(bell_path(id));
    if (auto now = store_.find(id); now && *now) question = std::move(**now);
    return fail(ErrorKind::denied, closed_message(question));
  }
  if (!question.machine.empty()) os::wake_waiter(bell_path(id));
  question.state = ApprovalState::answered;
  question.choice = answer.word;
  question.covers = answer.covers;
  question.lasts = answer.lasts;
  question.words = answer.words;
  return question;
}

std::optional<ApprovalAnswer> ApprovalQueue::answer_to(const std::string& id) {
  const auto found = store_.find(id);
  if (!found || !*found || (*found)->state != ApprovalState::answered) return std::nullopt;
  return answer_of(**found);
}

Result<ApprovalAnswer> ApprovalQueue::close(const std::string& id, const ApprovalAnswer& answer) {
  ApprovalStore::Closing closing;
  if (is_answer(answer.word)) {
    closing = {.state = ApprovalState::used,
               .choice = answer.word,
               .covers = answer.covers,
               .lasts = answer.lasts.count(),
               .answerer = "",
               .words = answer.words};
  }
  const auto closed = store_.close(id, closing);
  if (!closed) return fail(closed.error());
  if (*closed) return answer;
  const auto taken = store_.take_answer(id);
  if (!taken) return fail(taken.error());
  return *taken ? answer_of(**taken) : answer;
}

std::optional<StoredApproval> ApprovalQueue::find_open(const StoredApproval& question) {
  if (!store_.exists()) return std::nullopt;
  const auto same = store_.find_same(question, ApprovalState::open);
  if (!same) return std::nullopt;
  for (const StoredApproval& one : *same) {
    if (may_take_over(one, question)) return one;
  }
  return std::nullopt;
}

Result<std::optional<StoredApproval>> ApprovalQueue::take_answer(const StoredApproval& question) {
  if (!store_.exists()) return std::nullopt;
  const auto same = store_.find_same(question, ApprovalState::answered);
  if (!same) return fail(same.error());
  for (const StoredApproval& one : *same) {
    if (!may_take_over(one, question)) continue;
    auto taken = store_.take_answer(one.id);
    if (!taken) return fail(taken.error());
    if (!*taken) continue;
    os::remove_file(bell_path(one.id));  // of a program that was killed
    return std::move(*taken);
  }
  return std::nullopt;
}

}  // namespace talaria::host
