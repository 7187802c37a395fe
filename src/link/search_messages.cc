#include "link/search_messages.h"

#include "link/file_fields.h"
#include "link/limits.h"
#include "link/message_codec.h"

namespace talaria::link {

template <>
struct Fields<SearchFiles> {
  static constexpr std::string_view kName = "SearchFiles";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "pattern", message.pattern, kMaxText);
    field(3, "mode", message.mode, SearchMode::names);
    field(4, "globs", message.globs, kMaxText);
    field(5, "offset", message.offset);
    field(6, "limit", message.limit);
    field(7, "context", message.context);
    field(8, "max_line", message.max_line);
    field(9, "time_limit_ms", message.time_limit_ms);
    field(10, "engine", message.engine, SearchEngine::runner);
  }
};

template <>
struct Fields<FoundLine> {
  static constexpr std::string_view kName = "FoundLine";
  static void visit(auto& message, auto& field) {
    field(1, "number", message.number);
    field(2, "text", message.text, kMaxMessage);
    field(3, "context", message.context);
    field(4, "cut", message.cut);
  }
};

template <>
struct Fields<FoundFile> {
  static constexpr std::string_view kName = "FoundFile";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "matches", message.matches);
    field(3, "mtime_ns", message.mtime_ns);
    field(4, "lines", message.lines);
  }
};

template <>
struct Fields<SearchReport> {
  static constexpr std::string_view kName = "SearchReport";
  static void visit(auto& message, auto& field) {
    field(1, "root", message.root, kMaxPath);
    field(2, "engine", message.engine, SearchEngine::runner);
    field(3, "engine_version", message.engine_version, kMaxText);
    field(4, "engine_path", message.engine_path, kMaxPath);
    field(5, "files", message.files);
    field(6, "total_lines", message.total_lines);
    field(7, "total_files", message.total_files);
    field(8, "more", message.more);
    field(9, "timed_out", message.timed_out);
    field(10, "failed", message.failed);
    field(11, "total_failed", message.total_failed);
  }
};

TALARIA_MESSAGE(SearchFiles);
TALARIA_MESSAGE(SearchReport);

}  // namespace talaria::link
