#include "front/mcp/script_keeper.h"

#include <array>
#include <utility>

#include <boost/asio/buffer.hpp>

#include "base/keep_alive.h"
#include "base/write_queue.h"
#include "json/fields.h"
#include "json/json_text.h"

namespace talaria::front::mcp {

std::shared_ptr<ScriptKeeper> ScriptKeeper::with(const asio::any_io_executor& executor,
                                                 Pipes pipes) {
  const std::shared_ptr<ScriptKeeper> keeper(new ScriptKeeper(executor, pipes));
  spawn(executor, keep_alive(keeper, keeper->read()));
  return keeper;
}

Task<Result<json::object>> ScriptKeeper::ask(Request request, AsyncEvent& given_up) {
  const auto self = shared_from_this();
  const std::int64_t id = ++last_id_;
  const auto place = under_way_.emplace(id, UnderWay{&given_up, request.on_progress, {}}).first;
  UnderWay& asked = place->second;
  send({{"id", id}, {"method", request.method}, {"params", std::move(request.params)}});
  bool ended = false;
  for (bool woken = false; !asked.answer && !gone_; woken = true) {
    const bool unwanted = request.cancel ? request.cancel->cancelled() : woken;
    if (unwanted && !std::exchange(ended, true)) send({{"id", 0}, {"cancel", id}});
    co_await given_up.wait();
  }
  Result<json::object> answer =
      asked.answer ? std::move(*asked.answer)
                   : fail(ErrorKind::unavailable,
                          "the process that runs the scripts of this gateway has ended; try again");
  under_way_.erase(place);
  co_return answer;
}

void ScriptKeeper::close() {
  boost::system::error_code ignored;
  input_.close(ignored);
  output_.close(ignored);
}

void ScriptKeeper::send(json::object line) {
  unsent_.push_back(to_line(line) + "\n");
  if (std::exchange(writing_, true)) return;
  spawn(input_.get_executor(), keep_alive(shared_from_this(), write()));
}

Task<void> ScriptKeeper::write() {
  co_await write_queue(input_, unsent_);
  writing_ = false;
}

Task<void> ScriptKeeper::read() {
  const LineSplitter::Sink sink{.line = [this](std::string_view line) { take(line); },
                                .too_long = [] {}};  // it sends none
  std::array<char, 16 * 1024> chunk;
  for (;;) {
    const auto [error, size] = co_await output_.async_read_some(asio::buffer(chunk), as_values);
    if (error) break;
    lines_.feed({chunk.data(), size}, sink);
  }
  gone_ = true;
  close();
  for (const auto& [id, asked] : under_way_) asked.answered->notify_all();
}

void ScriptKeeper::take(std::string_view line) {
  const auto message = parse_object(line, "a line of the keeper");
  if (!message) return;
  const json::value* const id = message->if_contains("id");
  const auto found = under_way_.find(id && id->is_int64() ? id->get_int64() : 0);
  if (found == under_way_.end()) return;
  UnderWay& asked = found->second;
  if (message->contains("progress")) {
    if (asked.on_progress) asked.on_progress(text_field(*message, "progress"));
    return;
  }
  if (const json::object* const result = object_field(*message, "result")) {
    asked.answer = *result;
  } else {
    const json::object* const error = object_field(*message, "error");
    asked.answer =
        error ? fail(kind_from_name(text_field(*error, "kind")), text_field(*error, "message"))
              : fail(ErrorKind::system, "the keeper of scripts sent no answer");
  }
  asked.answered->notify_all();
}

}  // namespace talaria::front::mcp
