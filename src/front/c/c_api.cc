// The functions of talaria.h: JSON lines without a stream. No exception leaves them.
#include <talaria.h>
#include <talaria/cancel.h>
#include <talaria/error.h>
#include <talaria/options.h>
#include <talaria/version.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "api/asio_runtime.h"
#include "api/cancel_watch.h"
#include "api/runtime_loop.h"
#include "base/event.h"
#include "base/message.h"
#include "base/result.h"
#include "base/task.h"
#include "base/to_number.h"
#include "front/error_json.h"
#include "front/lines/home_places.h"
#include "front/lines/line_calls.h"
#include "json/json_text.h"

namespace talaria::front::c {
namespace {

namespace json = boost::json;

char* copy_of(std::string_view text) {
  char* const copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (!copy) return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  return copy;
}

Error wrong_option(const std::string& message) {
  return {ErrorReason::option, ErrorKind::bad_request, "options: " + message};
}

Result<std::vector<std::string>> texts_of(const json::value& value, const std::string& name) {
  std::vector<std::string> texts;
  const Error wrong = wrong_option(name + ": expected a list of texts");
  if (!value.is_array()) return fail(wrong);
  for (const json::value& one : value.get_array()) {
    if (!one.is_string()) return fail(wrong);
    texts.emplace_back(one.get_string());
  }
  return texts;
}

Result<std::vector<GivenSetting>> settings_of(const json::value& value) {
  std::vector<GivenSetting> settings;
  const Error wrong = wrong_option("settings: expected an object of texts");
  if (!value.is_object()) return fail(wrong);
  for (const auto& one : value.get_object()) {
    if (!one.value().is_string()) return fail(wrong);
    settings.push_back({std::string(one.key()), std::string(one.value().get_string())});
  }
  return settings;
}

Result<void> read_option(Options& options, const std::string& name, const json::value& value) {
  if (name == "settings") {
    auto settings = settings_of(value);
    if (!settings) return fail(settings.error());
    options.settings = std::move(*settings);
    return {};
  }
  if (name == "variables" || name == "pass_through") {
    auto texts = texts_of(value, name);
    if (!texts) return fail(texts.error());
    (name == "variables" ? options.variables : options.pass_through) = std::move(*texts);
    return {};
  }
  const bool known = name == "home" || name == "cwd" || name == "name";
  if (!known) {
    return fail(wrong_option("unknown option '" + name +
                             "'; there are home, cwd, settings, variables, pass_through and name"));
  }
  if (!value.is_string()) return fail(wrong_option(name + ": expected a text"));
  std::string text(value.get_string());
  if (name == "home")
    options.home = std::move(text);
  else if (name == "cwd")
    options.cwd = std::move(text);
  else
    options.name = std::move(text);
  return {};
}

Result<Options> read_options(const char* text) {
  Options options;
  if (!text) return options;
  const Result<json::object> parsed = parse_object(text, "options");
  if (!parsed) return fail(parsed.error());
  for (const auto& one : *parsed) {
    const auto read = read_option(options, std::string(one.key()), one.value());
    if (!read) return fail(read.error());
  }
  return options;
}

std::string error_line(std::uint64_t call, const Error& error) {
  return to_line(json::object{{"id", call}, {"error", describe(error)}});
}

// The number of the request that a line answers; nothing: it is an event, or answers a request
// whose number could not be read.
std::optional<std::uint64_t> call_of(std::string_view line) {
  constexpr std::string_view kBegin = R"({"id":)";
  if (!line.starts_with(kBegin)) return std::nullopt;
  line.remove_prefix(kBegin.size());
  return to_number<std::uint64_t>(line.substr(0, line.find(',')));
}

// Whether it is a part of an answer that is still to come.
bool is_part(std::string_view line) {
  return line.substr(std::min(line.find(','), line.size())).starts_with(R"(,"part":)");
}

}  // namespace

// The requests of a `talaria`, on its loop.
class Lines : public std::enable_shared_from_this<Lines> {
 public:
  using OnEvent = std::function<void(const std::string&)>;

  Lines(AsioRuntime& runtime, std::string own_task, OnEvent on_event)
      : on_event_(std::move(on_event)),
        places_(runtime, std::move(own_task)),
        calls_(runtime, places_,
               {.send = [this](const std::string& line) { take(line); },
                .reads = [] { return true; },
                .start = [this](Task<void> task) { begin(std::move(task)); }}) {}

  Task<Result<std::string>> answer(std::uint64_t call, std::string line, Cancel cancel) {
    const auto self = shared_from_this();
    const auto executor = co_await asio::this_coro::executor;
    executor_ = executor;
    Waiting waiting;
    waiting_.emplace(call, &waiting);
    const CancelWatch watch(cancel, [executor, self, call] {
      asio::post(executor, [self, call] { self->calls_.cancel(std::to_string(call)); });
    });
    current_ = call;
    calls_.feed(line);
    current_ = 0;
    while (!waiting.answer) co_await waiting.answered.wait();
    waiting_.erase(call);
    co_return std::move(*waiting.answer);
  }

 private:
  struct Waiting {
    std::optional<std::string> answer;
    AsyncEvent answered;
  };

  void take(const std::string& line) {
    std::optional<std::uint64_t> call = call_of(line);
    if (!call && line.starts_with(R"({"event":)")) return on_event_(line);
    if (call && is_part(line)) return on_event_(line);
    const auto found = waiting_.find(call.value_or(current_));
    if (found == waiting_.end()) return;
    found->second->answer = line.substr(0, line.find('\n'));
    found->second->answered.set();
  }

  void begin(Task<void> task) { spawn(executor_, kept(shared_from_this(), std::move(task))); }

  static Task<void> kept(std::shared_ptr<Lines> self, Task<void> task) {
    co_await std::move(task);
    (void)self;
  }

  OnEvent on_event_;
  asio::any_io_executor executor_;
  std::map<std::uint64_t, Waiting*> waiting_;
  std::uint64_t current_ = 0;  // the request that is being read
  lines::HomePlaces places_;
  lines::LineCalls calls_;
};

}  // namespace talaria::front::c

using talaria::Cancel;
using talaria::Error;
using talaria::Result;
using talaria::front::c::Lines;

// NOLINTNEXTLINE(readability-identifier-naming): its name in C
struct talaria_runtime {
  explicit talaria_runtime(talaria::Options options) : loop(std::move(options)) {}

  // On the loop.
  Lines& lines(talaria::AsioRuntime& runtime) {
    if (!requests) {
      requests = std::make_shared<Lines>(runtime, loop.own_task(), [this](const std::string& line) {
        std::unique_lock lock(mutex);
        const talaria_callback callback = on_event;
        void* const user = event_user;
        lock.unlock();
        if (callback) callback(user, line.c_str());
      });
    }
    return *requests;
  }

  Cancel begin(std::uint64_t call) {
    const std::scoped_lock lock(mutex);
    return cancels[call];
  }
  void end(std::uint64_t call) {
    const std::scoped_lock lock(mutex);
    cancels.erase(call);
  }

  talaria::RuntimeLoop loop;
  std::shared_ptr<Lines> requests;
  std::atomic<std::uint64_t> calls = 0;
  std::mutex mutex;  // of the rest
  std::map<std::uint64_t, Cancel> cancels;
  talaria_callback on_event = nullptr;
  void* event_user = nullptr;
};

namespace talaria::front::c {
namespace {

// As a line of the protocol, with its number, and a task if it needs one.
Result<std::string> request_line(const talaria_runtime& t, std::uint64_t call, const char* text) {
  auto request = parse_object(text ? text : "", "the request");
  if (!request) return fail(request.error());
  (*request)["id"] = call;
  if (request->contains("tool") && !request->contains("task")) {
    (*request)["task"] = t.loop.own_task();
  }
  return to_line(*request) + "\n";
}

std::string text_of(std::uint64_t call, const Result<std::string>& answer) {
  return answer ? *answer : error_line(call, answer.error());
}

RuntimeLoop::Begin<std::string> request(talaria_runtime& t, std::uint64_t call, std::string line) {
  return [&t, call, line = std::move(line), cancel = t.begin(call)](AsioRuntime& runtime) mutable {
    return t.lines(runtime).answer(call, std::move(line), std::move(cancel));
  };
}

}  // namespace
}  // namespace talaria::front::c

using namespace talaria::front::c;

unsigned talaria_version_number(void) { return talaria::library_version_number(); }

talaria_runtime* talaria_open(const char* options, char** error) try {
  if (error) *error = nullptr;
  const auto refuse = [error](const Error& why) {
    if (error) {
      *error = copy_of(talaria::to_line(boost::json::object{{"kind", kind_name(why.kind())},
                                                            {"reason", reason_name(why.reason())},
                                                            {"message", why.message()}}));
    }
    return nullptr;
  };
  auto read = read_options(options);
  if (!read) return refuse(read.error());
  auto opened = std::make_unique<talaria_runtime>(std::move(*read));
  if (const Result<void> fine = opened->loop.open(); !fine) return refuse(fine.error());
  return opened.release();
} catch (const std::exception& thrown) {
  if (error)
    *error = copy_of(talaria::to_line(
        boost::json::object{{"kind", "system"}, {"reason", "none"}, {"message", thrown.what()}}));
  return nullptr;
}

char* talaria_call(talaria_runtime* t, const char* request_text) {
  const std::uint64_t call = ++t->calls;
  const auto line = request_line(*t, call, request_text);
  if (!line) return copy_of(error_line(call, line.error()));
  const auto answer = t->loop.wait<std::string>("talaria_call()", request(*t, call, *line));
  t->end(call);
  return copy_of(text_of(call, answer));
}

std::uint64_t talaria_start(talaria_runtime* t, const char* request_text, talaria_callback done,
                            void* user) {
  const std::uint64_t call = ++t->calls;
  auto line = request_line(*t, call, request_text);
  auto begin =
      line ? request(*t, call, std::move(*line)) : [error = line.error()](talaria::AsioRuntime&) {
        return talaria::failed<std::string>(error);
      };
  t->loop.start<std::string>(std::move(begin), [t, call, done, user](Result<std::string> answer) {
    t->end(call);
    if (done) done(user, text_of(call, answer).c_str());
  });
  return call;
}

void talaria_cancel(talaria_runtime* t, std::uint64_t call) {
  std::optional<Cancel> cancel;
  {
    const std::scoped_lock lock(t->mutex);
    if (const auto found = t->cancels.find(call); found != t->cancels.end()) cancel = found->second;
  }
  if (cancel) cancel->cancel();
}

void talaria_events(talaria_runtime* t, talaria_callback on_event, void* user) {
  const std::scoped_lock lock(t->mutex);
  t->on_event = on_event;
  t->event_user = user;
}

void talaria_close(talaria_runtime* t) {
  if (!t || t->loop.forked()) return;
  t->loop.close();
  delete t;
}

void talaria_free(char* text) { std::free(text); }
