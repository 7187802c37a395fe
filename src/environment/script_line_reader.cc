#include "environment/script_line_reader.h"

#include <algorithm>
#include <utility>

#include "link/script_messages.h"

namespace talaria::environment {
namespace {

constexpr std::size_t kShownLine = 1000;

}  // namespace

std::vector<ScriptLineReader::Heard> ScriptLineReader::take(std::string_view bytes) {
  std::vector<Heard> heard;
  unread_ += bytes;
  std::string_view rest = unread_;
  while (const auto record = link::take_record(rest)) {
    take_record(record->connection, record->bytes, heard);
  }
  unread_.erase(0, unread_.size() - rest.size());
  return heard;
}

std::vector<ScriptLineReader::Heard> ScriptLineReader::take_from(std::uint32_t connection,
                                                                 std::string_view bytes) {
  std::vector<Heard> heard;
  take_record(connection, bytes, heard);
  return heard;
}

void ScriptLineReader::take_record(std::uint32_t connection, std::string_view bytes,
                                   std::vector<Heard>& heard) {
  if (!bytes.empty()) return take_bytes(connection, bytes, heard);
  held_ -= open_[connection].line.size();
  open_.erase(connection);
  heard.push_back({.connection = connection, .line = std::nullopt});
}

void ScriptLineReader::take_bytes(std::uint32_t connection, std::string_view bytes,
                                  std::vector<Heard>& heard) {
  Open& open = open_[connection];
  held_ -= open.line.size();
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    if (!open.skipped) open.line += bytes.substr(0, end);
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
    if (!std::exchange(open.skipped, false)) {
      heard.push_back({.connection = connection, .line = std::exchange(open.line, {})});
    }
  }
  if (held_ + open.line.size() > most_held_) {
    open.line.resize(std::min(open.line.size(), kShownLine));
    heard.push_back({.connection = connection, .line = std::exchange(open.line, {})});
    open.skipped = true;
  }
  held_ += open.line.size();
}

}  // namespace talaria::environment
