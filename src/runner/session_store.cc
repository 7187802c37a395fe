#include "runner/session_store.h"

#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_reader.hpp>

#include "base/hash.h"
#include "os/file.h"
#include "rendezvous/session_file.h"

namespace talaria::runner {
namespace {

constexpr std::size_t kLargestFile = 64u << 20;

using rendezvous::SessionField;

enum class Entry : protozero::pbf_tag_type { name = 1, value = 2, flag = 3 };

using Writer = protozero::pbf_builder<SessionField>;

void add_entry(Writer& writer, SessionField field, const std::string& name,
               const std::string* value, bool flag = false) {
  protozero::pbf_builder<Entry> entry(writer, field);
  entry.add_string(Entry::name, name);
  if (value != nullptr) entry.add_bytes(Entry::value, *value);
  if (flag) entry.add_bool(Entry::flag, true);
}

struct DecodedEntry {
  std::string name;
  std::optional<std::string> value;
  bool flag = false;
};

DecodedEntry read_entry(protozero::pbf_reader message) {
  DecodedEntry entry;
  while (message.next()) {
    switch (static_cast<Entry>(message.tag())) {
      case Entry::name:
        entry.name = message.get_string();
        break;
      case Entry::value:
        entry.value = message.get_string();
        break;
      case Entry::flag:
        entry.flag = message.get_bool();
        break;
      default:
        message.skip();
    }
  }
  return entry;
}

}  // namespace

std::string encode_session(const std::string& id, const shell::SessionState& state) {
  std::string bytes;
  Writer writer(bytes);
  writer.add_bytes(SessionField::id, id);
  for (const auto& [name, value] : state.variables) {
    add_entry(writer, SessionField::variable, name, value ? &*value : nullptr);
  }
  for (const auto& [name, function] : state.functions) {
    add_entry(writer, SessionField::function, name, &function.text, function.exported);
  }
  for (const auto& [name, value] : state.aliases)
    add_entry(writer, SessionField::alias, name, &value);
  for (const auto& [name, on] : state.options) {
    add_entry(writer, SessionField::option, name, nullptr, on);
  }
  if (state.umask) writer.add_int32(SessionField::umask, *state.umask);
  writer.add_bytes(SessionField::cwd, state.cwd);
  return bytes;
}

Result<shell::SessionState> decode_session(const std::string& id, std::string_view bytes) try {
  shell::SessionState state;
  std::string stored_id;
  protozero::pbf_reader message(bytes.data(), bytes.size());
  while (message.next()) {
    switch (static_cast<SessionField>(message.tag())) {
      case SessionField::id:
        stored_id = message.get_string();
        break;
      case SessionField::variable: {
        DecodedEntry entry = read_entry(message.get_message());
        state.variables.insert_or_assign(entry.name, std::move(entry.value));
        break;
      }
      case SessionField::function: {
        DecodedEntry entry = read_entry(message.get_message());
        state.functions.insert_or_assign(
            entry.name, shell::ShellFunction{entry.value.value_or(std::string()), entry.flag});
        break;
      }
      case SessionField::alias: {
        DecodedEntry entry = read_entry(message.get_message());
        state.aliases.insert_or_assign(entry.name, entry.value.value_or(std::string()));
        break;
      }
      case SessionField::option: {
        const DecodedEntry entry = read_entry(message.get_message());
        state.options.insert_or_assign(entry.name, entry.flag);
        break;
      }
      case SessionField::umask:
        state.umask = message.get_int32();
        break;
      case SessionField::cwd:
        state.cwd = message.get_string();
        break;
      default:
        message.skip();
    }
  }
  if (stored_id != id) {
    return fail(ErrorKind::system, "the file belongs to another session");
  }
  return state;
} catch (const protozero::exception& error) {
  // The library reports malformed input this way; to us it is data.
  return fail(ErrorKind::system, std::string("the session file is damaged: ") + error.what());
}

// A name people recognise, made unique by a hash of the whole id: ids may be long and hold
// anything.
std::string SessionStore::path_of(const std::string& id) const {
  std::string readable;
  for (const char c : id) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '_';
    if (readable.size() < 60) readable += plain ? c : '_';
  }
  char suffix[32];
  std::snprintf(suffix, sizeof suffix, "-%016llx", static_cast<unsigned long long>(hash_text(id)));
  return directory_ + "/" + readable + suffix;
}

Result<SessionStore::Loaded> SessionStore::load(const std::string& id) {
  const std::string path = path_of(id);
  if (::access(path.c_str(), F_OK) < 0 && errno == ENOENT) return Loaded{};
  const auto file = os::open_regular_file(path);
  if (!file) return fail(file.error());
  const auto bytes = os::read_whole(file->get(), kLargestFile);
  if (!bytes) return fail(bytes.error());
  auto state = decode_session(id, *bytes);
  if (state) return Loaded{.state = std::move(*state)};
  ::rename(path.c_str(), (path + ".damaged").c_str());
  return Loaded{.damage = path + ": " + state.error().message() +
                          "; set aside as .damaged, the session starts afresh"};
}

Result<void> SessionStore::save(const std::string& id, const shell::SessionState& state) {
  if (const auto made = os::make_private_directory(directory_, 1); !made) return made;
  return os::replace_file(path_of(id), encode_session(id, state));
}

Result<void> SessionStore::remove(const std::string& id) {
  const std::string path = path_of(id);
  if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
  return fail(Error::from_errno("removing " + path));
}

}  // namespace talaria::runner
