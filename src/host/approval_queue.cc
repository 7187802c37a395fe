#include "host/approval_queue.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "base/limits.h"
#include "host/runners.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/random.h"

namespace talaria::host {
namespace {

std::string closed_message(const StoredApproval& closed) {
  if (closed.state == ApprovalState::expired) {
    return closed.id + " has expired: no program waits for the answer";
  }
  return closed.id + " was already answered: " + closed.choice +
         (closed.answerer.empty() ? "" : " (" + closed.answerer + ")");
}

}  // namespace

bool is_answer(std::string_view word) {
  constexpr auto kAnswers = std::to_array<std::string_view>({"once", "session", "always", "deny"});
  return std::ranges::find(kAnswers, word) != kAnswers.end();
}

std::string ApprovalQueue::new_id() { return "appr_" + os::random_hex(6); }

std::string ApprovalQueue::bell_path(const std::string& id) const {
  return home_ + "/talaria/approvals/" + id;
}

Result<ApprovalQueue::Put> ApprovalQueue::put(StoredApproval question, bool waits) {
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
            "which is the limit. `talaria approvals` lists them");
  }
  Put put;
  if (waits) {
    question.machine = os::boot_id();
    const std::string path = bell_path(question.id);
    if (const auto made = os::make_private_directory(home_ + "/talaria/approvals"); !made) {
      return fail(made.error());
    }
    auto pipe = os::WakePipe::create(path);
    if (!pipe) return fail(pipe.error());
    put.waiter.emplace(std::move(*pipe));
  }
  question.pid = ::getpid();
  if (const auto added = store_.add(question); !added) return fail(added.error());
  return put;
}

// A pipe can be seen only from the machine that created it.
bool ApprovalQueue::is_stale(const StoredApproval& question) const {
  if (question.expires <= std::chrono::system_clock::now()) return true;
  return question.machine == os::boot_id() && !os::has_waiter(bell_path(question.id));
}

Result<std::vector<StoredApproval>> ApprovalQueue::list(bool all) {
  if (!store_.exists()) return std::vector<StoredApproval>();  // to look makes none
  auto found = store_.list(all);
  if (!found) return found;
  for (StoredApproval& one : *found) {
    if (one.state != ApprovalState::open || !is_stale(one)) continue;
    const auto closed = store_.close(one.id, ApprovalState::expired, "", "");
    if (!closed) return fail(closed.error());
    os::remove_file(bell_path(one.id));  // of one that was killed
    one.state = ApprovalState::expired;
  }
  if (!all) {
    std::erase_if(*found,
                  [](const StoredApproval& one) { return one.state != ApprovalState::open; });
  }
  return found;
}

Result<StoredApproval> ApprovalQueue::answer(const std::string& id, std::string_view word,
                                             std::string_view answerer) {
  if (!is_answer(word)) {
    return fail(ErrorKind::bad_request, "expected the answer once, session, always or deny, got '" +
                                            std::string(word) + "'");
  }
  if (word != "deny" && is_below_a_runner(home_)) {
    return fail(ErrorKind::denied,
                "a command cannot approve others: this program was started by a command that "
                "Talaria runs; answer from another terminal");
  }
  const Error none(ErrorKind::not_found,
                   "unknown approval '" + id + "'. `talaria approvals --all` lists them");
  if (!store_.exists()) return fail(none);
  auto found = store_.find(id);
  if (!found) return fail(found.error());
  if (!*found) return fail(none);
  StoredApproval question = std::move(**found);
  const bool stale = question.state == ApprovalState::open && is_stale(question);
  const auto state = stale ? ApprovalState::expired : ApprovalState::answered;
  const auto closed = store_.close(id, state, stale ? "" : word, answerer);
  if (!closed) return fail(closed.error());
  if (stale || !*closed) {
    if (stale) os::remove_file(bell_path(id));
    if (auto now = store_.find(id); now && *now) question = std::move(**now);
    return fail(ErrorKind::denied, closed_message(question));
  }
  if (!question.machine.empty()) os::wake_waiter(bell_path(id));
  question.state = ApprovalState::answered;
  question.choice = word;
  return question;
}

std::optional<std::string> ApprovalQueue::answer_to(const std::string& id) {
  const auto found = store_.find(id);
  if (!found || !*found || (*found)->state != ApprovalState::answered) return std::nullopt;
  return (*found)->choice;
}

std::string ApprovalQueue::close(const std::string& id, std::string_view word) {
  const bool answered = is_answer(word);
  const auto closed = store_.close(id, answered ? ApprovalState::answered : ApprovalState::expired,
                                   answered ? word : "", "");
  if (!closed || *closed) return std::string(word);
  return answer_to(id).value_or(std::string(word));
}

std::optional<StoredApproval> ApprovalQueue::find_open(const StoredApproval& question) {
  if (!store_.exists()) return std::nullopt;
  return store_.find_unwaited(question, ApprovalState::open).value_or(std::nullopt);
}

std::optional<StoredApproval> ApprovalQueue::take_answer(const StoredApproval& question) {
  if (!store_.exists()) return std::nullopt;
  return store_.take_answer(question).value_or(std::nullopt);
}

}  // namespace talaria::host
