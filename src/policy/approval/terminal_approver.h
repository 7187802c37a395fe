// A question about a command, put to the person at our terminal.
#pragma once

#include <talaria/approval.h>

#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>

#include "base/task.h"

namespace talaria::policy {

// Asks, and replies by itself. Ends when there is an answer or nobody wants one any more.
void ask_at_terminal(const asio::any_io_executor& executor, const ApprovalRequest& request,
                     const ApprovalReply& reply);

// What is asked, with everything in it made visible.
std::string approval_question(const ApprovalRequest& request, bool colour);

// The line a person typed as an answer: y (or o) for once, s for the session, a for always; behind
// s or a what it covers, and for how long: "a task 1h"; n (or d), or nothing, for deny. An answer
// that is not offered becomes the next weaker one. Nothing: it is none of these.
std::optional<ApprovalAnswer> typed_answer(std::string_view line, const ApprovalRequest& request);

}  // namespace talaria::policy
