#include "runner/login/login_state.h"

#include <algorithm>

#include "base/hash.h"
#include "link/codec.h"
#include "os/file.h"
#include "runner/limits.h"
#include "runner/session_store.h"

namespace talaria::runner {

struct StoredLogin {
  LoginState login;
  std::string session;  // its state, as the file of a session
};

}  // namespace talaria::runner

namespace talaria::link {

TALARIA_FIELDS(runner::FileStamp) {
  field(1, "path", message.path, kMaxMessage);
  field(2, "content", message.content);
  field(3, "mode", message.mode);
  field(4, "device", message.device);
  field(5, "inode", message.inode);
  field(6, "size", message.size);
  field(7, "modified_ns", message.modified_ns);
  field(8, "changed_ns", message.changed_ns);
  field(9, "empty", message.empty);
}

TALARIA_MESSAGE(runner::StoredLogin) {
  field(1, "id", message.login.id, kMaxMessage);
  field(2, "session", message.session, SIZE_MAX);
  field(3, "question", message.login.question, kFixedWidth);
  field(4, "environment", message.login.environment, kFixedWidth);
  field(5, "names", message.login.names, kFixedWidth);
  field(6, "files", message.login.files, kAnyCount);
  field(7, "notices", message.login.notices, kMaxMessage);
  field(8, "good_until_ns", message.login.good_until_ns);
}

}  // namespace talaria::link

namespace talaria::runner {
namespace {

constexpr std::int64_t kNeverAgain = -1;

std::uint64_t hash_question(const LoginQuestion& question) {
  std::uint64_t hash = hash_text(question.plan.home);
  for (const std::string& file : question.plan.more_files) hash = hash_text("\n" + file, hash);
  for (const std::string& name : question.withheld) hash = hash_text("\t" + name, hash);
  return hash;
}

// PATH decides what the files find, whether they say so or not.
std::uint64_t hash_environment(const shell::NameMap& caller,
                               const std::vector<std::uint64_t>& names) {
  std::uint64_t hash = kHashStart;
  for (const auto& [name, value] : caller) {
    if (!shell::is_session_variable(name)) continue;
    if (name != "PATH" && !std::ranges::binary_search(names, hash_text(name))) continue;
    hash = hash_text(name + "=" + value + "\n", hash);
  }
  return hash;
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

// A new file beside one that was read may be read next time (~/.bashrc.d/*), but home itself and
// /etc change all the time.
bool directory_counts(const std::string& directory, const shell::LoginPlan& plan) {
  return !directory.empty() && directory != "/etc" && directory != plan.home;
}

}  // namespace

bool LoginState::answers(const LoginQuestion& asked) const {
  return question == hash_question(asked) && environment == hash_environment(asked.caller, names) &&
         is_current();
}

bool LoginState::is_current() const {
  return file_clock() < good_until_ns &&
         std::ranges::all_of(
             files,
             [](const FileStamp& file) { return stamp_file(file.path, file.content) == file; });
}

void note_origin(LoginState& state, const LoginQuestion& question, const shell::LoginTrace& trace,
                 std::int64_t started) {
  const auto add = [&](const std::string& path, bool content) {
    const auto same = [&](const FileStamp& file) {
      return file.path == path && (file.content || !content);
    };
    if (std::ranges::any_of(state.files, same)) return;
    FileStamp stamp = stamp_file(path, content);
    if (stamp.changed_ns > started) stamp.changed_ns = kNeverAgain;
    state.files.push_back(std::move(stamp));
  };
  for (const std::string& path : trace.read) {
    add(path, true);
    if (directory_counts(parent(path), question.plan)) add(parent(path), true);
    const auto text = os::read_file(path, kLargestLoginFile);
    if (text) shell::collect_names(*text, state.names);
  }
  for (const std::string& path : trace.looked_for) {
    add(path, false);
    if (path.find_first_of("*?[") != std::string::npos) add(parent(path), true);  // matched nothing
  }
  add("/etc/profile.d", true);
  std::ranges::sort(state.names);
  const auto repeated = std::ranges::unique(state.names);
  state.names.erase(repeated.begin(), repeated.end());
  const auto age = trace.whole ? kLoginAge : kUntracedLoginAge;
  state.good_until_ns = started + std::chrono::nanoseconds(age).count();
  state.question = hash_question(question);
  state.environment = hash_environment(question.caller, state.names);
}

std::string encode_login(const LoginState& state) {
  return link::encode(StoredLogin{state, encode_session(state.id, state.state)});
}

Result<LoginState> decode_login(std::string_view bytes) {
  auto stored = link::decode<StoredLogin>(bytes);
  if (!stored) {
    return fail(ErrorKind::system, "the login file is damaged: " + stored.error().message());
  }
  auto session = decode_session(stored->login.id, stored->session);
  if (!session) return fail(session.error());
  stored->login.state = std::move(*session);
  return std::move(stored->login);
}

Result<LoginQuestion> login_question(const link::Login& request, shell::NameMap caller,
                                     ShellKind shell) {
  if (request.timeout_ms > kLongestTimeout) {
    return fail(ErrorKind::bad_request, "timeout_ms: at most " + std::to_string(kLongestTimeout));
  }
  const auto home = caller.find("HOME");
  LoginQuestion question{.plan = {.home = home == caller.end() ? "/" : home->second},
                         .withheld = request.withheld};
  for (const std::string& file : request.files) {
    if (file.contains('\0')) {
      return fail(ErrorKind::bad_request, "a file's name cannot contain a NUL byte");
    }
    question.plan.more_files.push_back(shell::expand_init_file(file, question.plan.home, caller));
  }
  if (request.files.empty() && request.bashrc && shell == ShellKind::bash) {
    question.plan.more_files = shell::usual_init_files(question.plan.home);
  }
  question.caller = std::move(caller);
  return question;
}

}  // namespace talaria::runner
