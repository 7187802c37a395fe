#include "runner/login/login_state.h"

#include <algorithm>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/hash.h"
#include "os/file.h"
#include "runner/limits.h"
#include "runner/session_store.h"

namespace talaria::runner {
namespace {

enum class LoginField : protozero::pbf_tag_type {
  id = 1,
  session = 2,  // as a session's file has it
  question = 3,
  environment = 4,
  name = 5,
  file = 6,  // Stamp
  notice = 7,
  good_until_ns = 8,
};

enum class Stamp : protozero::pbf_tag_type {
  path = 1,
  content = 2,
  mode = 3,
  device = 4,
  inode = 5,
  size = 6,
  modified_ns = 7,
  changed_ns = 8,
  empty = 9,
};

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

void read_stamp(protozero::pbf_reader message, FileStamp& stamp) {
  while (message.next()) {
    switch (static_cast<Stamp>(message.tag())) {
      case Stamp::path:
        stamp.path = message.get_string();
        break;
      case Stamp::content:
        stamp.content = message.get_uint32() != 0;
        break;
      case Stamp::mode:
        stamp.mode = message.get_uint32();
        break;
      case Stamp::empty:
        stamp.empty = message.get_uint32() != 0;
        break;
      case Stamp::device:
        stamp.device = message.get_uint64();
        break;
      case Stamp::inode:
        stamp.inode = message.get_uint64();
        break;
      case Stamp::size:
        stamp.size = message.get_uint64();
        break;
      case Stamp::modified_ns:
        stamp.modified_ns = message.get_int64();
        break;
      case Stamp::changed_ns:
        stamp.changed_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
}

void add_stamp(protozero::pbf_builder<LoginField>& writer, const FileStamp& file) {
  protozero::pbf_builder<Stamp> stamp(writer, LoginField::file);
  stamp.add_bytes(Stamp::path, file.path);
  stamp.add_uint32(Stamp::content, file.content ? 1 : 0);
  stamp.add_uint32(Stamp::mode, file.mode);
  stamp.add_uint32(Stamp::empty, file.empty ? 1 : 0);
  stamp.add_uint64(Stamp::device, file.device);
  stamp.add_uint64(Stamp::inode, file.inode);
  stamp.add_uint64(Stamp::size, file.size);
  stamp.add_int64(Stamp::modified_ns, file.modified_ns);
  stamp.add_int64(Stamp::changed_ns, file.changed_ns);
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
  std::string bytes;
  protozero::pbf_builder<LoginField> writer(bytes);
  writer.add_bytes(LoginField::id, state.id);
  writer.add_bytes(LoginField::session, encode_session(state.id, state.state));
  writer.add_fixed64(LoginField::question, state.question);
  writer.add_fixed64(LoginField::environment, state.environment);
  for (const std::uint64_t name : state.names) writer.add_fixed64(LoginField::name, name);
  for (const FileStamp& file : state.files) add_stamp(writer, file);
  for (const std::string& notice : state.notices) writer.add_bytes(LoginField::notice, notice);
  writer.add_int64(LoginField::good_until_ns, state.good_until_ns);
  return bytes;
}

Result<LoginState> decode_login(std::string_view bytes) try {
  LoginState state;
  std::string session;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<LoginField>(message.tag())) {
      case LoginField::id:
        state.id = message.get_string();
        break;
      case LoginField::session:
        session = message.get_string();
        break;
      case LoginField::question:
        state.question = message.get_fixed64();
        break;
      case LoginField::environment:
        state.environment = message.get_fixed64();
        break;
      case LoginField::name:
        state.names.push_back(message.get_fixed64());
        break;
      case LoginField::file:
        read_stamp(message.get_message(), state.files.emplace_back());
        break;
      case LoginField::notice:
        state.notices.push_back(message.get_string());
        break;
      case LoginField::good_until_ns:
        state.good_until_ns = message.get_int64();
        break;
      default:
        message.skip();
    }
  }
  auto decoded = decode_session(state.id, session);
  if (!decoded) return fail(decoded.error());
  state.state = std::move(*decoded);
  return state;
} catch (const protozero::exception& error) {
  // The library reports malformed input this way; to us it is data.
  return fail(ErrorKind::system, std::string("the login file is damaged: ") + error.what());
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
