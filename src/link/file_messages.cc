#include "link/file_messages.h"

#include "link/file_fields.h"
#include "link/limits.h"
#include "link/message_codec.h"

namespace talaria::link {

template <>
struct Fields<StatFile> {
  static constexpr std::string_view kName = "StatFile";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "below", message.below, kMaxPath);
    field(3, "follow", message.follow);
    field(4, "digest", message.digest);
  }
};

template <>
struct Fields<StatFileReport> {
  static constexpr std::string_view kName = "StatFileReport";
  static void visit(auto& message, auto& field) {
    field(1, "found", message.found);
    field(2, "entry", message.entry);
    field(3, "foreign", message.foreign);
  }
};

template <>
struct Fields<ReadFile> {
  static constexpr std::string_view kName = "ReadFile";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "below", message.below, kMaxPath);
    field(3, "from", message.from);
    field(4, "max", message.max);
  }
};

template <>
struct Fields<ReadFileReport> {
  static constexpr std::string_view kName = "ReadFileReport";
  static void visit(auto& message, auto& field) {
    field(1, "next", message.next);
    field(2, "eof", message.eof);
    field(3, "entry", message.entry);
  }
};

template <>
struct Fields<ReadLines> {
  static constexpr std::string_view kName = "ReadLines";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "below", message.below, kMaxPath);
    field(3, "first_line", message.first_line);
    field(4, "max_lines", message.max_lines);
    field(5, "max_bytes", message.max_bytes);
    field(6, "in_session", message.in_session);
    field(7, "session", message.session, kMaxPath);
    field(8, "first_cwd", message.first_cwd, kMaxPath);
    field(9, "home", message.home, kMaxPath);
  }
};

template <>
struct Fields<ReadLinesReport> {
  static constexpr std::string_view kName = "ReadLinesReport";
  static void visit(auto& message, auto& field) {
    field(1, "data", message.data, kMaxMessage);
    field(2, "lines", message.lines);
    field(3, "offset", message.offset);
    field(4, "cut", message.cut);
    field(5, "total_lines", message.total_lines);
    field(6, "ends_with_newline", message.ends_with_newline);
    field(7, "entry", message.entry);
    field(8, "device", message.device);
    field(9, "inode", message.inode);
    field(10, "head", message.head, kMaxText);
  }
};

template <>
struct Fields<WriteFile> {
  static constexpr std::string_view kName = "WriteFile";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "below", message.below, kMaxPath);
    field(3, "upload", message.upload, kMaxId);
    field(4, "from", message.from);
    field(5, "data", message.data, kMaxMessage);
    field(6, "last", message.last);
    field(7, "size", message.size);
    field(8, "mode", message.mode);
    field(9, "mtime_ns", message.mtime_ns);
    field(10, "parents", message.parents);
    field(11, "expected", message.expected, kMaxId);
    field(12, "durable", message.durable);
  }
};

template <>
struct Fields<WriteFileReport> {
  static constexpr std::string_view kName = "WriteFileReport";
  static void visit(auto& message, auto& field) {
    field(1, "next", message.next);
    field(2, "done", message.done);
    field(3, "entry", message.entry);
    field(4, "ahead", message.ahead);
  }
};

template <>
struct Fields<RemoveFiles> {
  static constexpr std::string_view kName = "RemoveFiles";
  static void visit(auto& message, auto& field) {
    field(1, "paths", message.paths, kMaxPath);
    field(2, "below", message.below, kMaxPath);
  }
};

template <>
struct Fields<RemoveFilesReport> {
  static constexpr std::string_view kName = "RemoveFilesReport";
  static void visit(auto& message, auto& field) {
    field(1, "removed", message.removed);
    field(2, "failed", message.failed);
  }
};

template <>
struct Fields<ListFiles> {
  static constexpr std::string_view kName = "ListFiles";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "below", message.below, kMaxPath);
    field(3, "deep", message.deep);
    field(4, "digests", message.digests);
    field(5, "after", message.after, kMaxPath);
    field(6, "max", message.max);
  }
};

template <>
struct Fields<ListFilesReport> {
  static constexpr std::string_view kName = "ListFilesReport";
  static void visit(auto& message, auto& field) {
    field(1, "entries", message.entries);
    field(2, "more", message.more);
    field(3, "passed_over", message.passed_over);
  }
};

TALARIA_MESSAGE(StatFile);
TALARIA_MESSAGE(StatFileReport);
TALARIA_MESSAGE(ReadFile);
TALARIA_MESSAGE(ReadFileReport);
TALARIA_MESSAGE(ReadLines);
TALARIA_MESSAGE(ReadLinesReport);
TALARIA_MESSAGE(WriteFile);
TALARIA_MESSAGE(WriteFileReport);
TALARIA_MESSAGE(RemoveFiles);
TALARIA_MESSAGE(RemoveFilesReport);
TALARIA_MESSAGE(ListFiles);
TALARIA_MESSAGE(ListFilesReport);

}  // namespace talaria::link
