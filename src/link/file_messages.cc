#include "link/file_messages.h"

#include "link/codec.h"
#include "link/edit_messages.h"
#include "link/limits.h"
#include "link/search_messages.h"

namespace talaria::link {

TALARIA_FIELDS(FileEntry) {
  field(1, "path", message.path, kMaxPath);
  field(2, "kind", message.kind, EntryKind::other);
  field(3, "size", message.size);
  field(4, "mtime_ns", message.mtime_ns);
  field(5, "mode", message.mode);
  field(6, "sha256", message.sha256, kMaxId);
  field(7, "link_to", message.link_to, kMaxPath);
  field(8, "uid", message.uid);
  field(9, "gid", message.gid);
}

TALARIA_FIELDS(FileFlaw) {
  field(1, "path", message.path, kMaxPath);
  field(2, "reason", message.reason, kMaxText);
}

TALARIA_MESSAGE(StatFile) {
  field(1, "path", message.path, kMaxPath);
  field(2, "below", message.below, kMaxPath);
  field(3, "follow", message.follow);
  field(4, "digest", message.digest);
}

TALARIA_MESSAGE(StatFileReport) {
  field(1, "found", message.found);
  field(2, "entry", message.entry);
  field(3, "foreign", message.foreign);
}

TALARIA_MESSAGE(ReadFile) {
  field(1, "path", message.path, kMaxPath);
  field(2, "below", message.below, kMaxPath);
  field(3, "from", message.from);
  field(4, "max", message.max);
}

TALARIA_MESSAGE(ReadFileReport) {
  field(1, "next", message.next);
  field(2, "eof", message.eof);
  field(3, "entry", message.entry);
}

TALARIA_MESSAGE(ReadLines) {
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

TALARIA_MESSAGE(ReadLinesReport) {
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

TALARIA_MESSAGE(WriteFile) {
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

TALARIA_MESSAGE(WriteFileReport) {
  field(1, "next", message.next);
  field(2, "done", message.done);
  field(3, "entry", message.entry);
  field(4, "ahead", message.ahead);
}

TALARIA_MESSAGE(RemoveFiles) {
  field(1, "paths", message.paths, kMaxPath);
  field(2, "below", message.below, kMaxPath);
}

TALARIA_MESSAGE(RemoveFilesReport) {
  field(1, "removed", message.removed);
  field(2, "failed", message.failed);
}

TALARIA_MESSAGE(ListFiles) {
  field(1, "path", message.path, kMaxPath);
  field(2, "below", message.below, kMaxPath);
  field(3, "deep", message.deep);
  field(4, "digests", message.digests);
  field(5, "after", message.after, kMaxPath);
  field(6, "max", message.max);
}

TALARIA_MESSAGE(ListFilesReport) {
  field(1, "entries", message.entries);
  field(2, "more", message.more);
  field(3, "passed_over", message.passed_over);
}

TALARIA_MESSAGE(SearchFiles) {
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

TALARIA_FIELDS(FoundLine) {
  field(1, "number", message.number);
  field(2, "text", message.text, kMaxMessage);
  field(3, "context", message.context);
  field(4, "cut", message.cut);
}

TALARIA_FIELDS(FoundFile) {
  field(1, "path", message.path, kMaxPath);
  field(2, "matches", message.matches);
  field(3, "mtime_ns", message.mtime_ns);
  field(4, "lines", message.lines);
}

TALARIA_MESSAGE(SearchReport) {
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

TALARIA_MESSAGE(LocateFile) {
  field(1, "path", message.path, kMaxPath);
  field(2, "session", message.session, kMaxId);
  field(3, "first_cwd", message.first_cwd, kMaxPath);
  field(4, "neighbours", message.neighbours);
  field(5, "home", message.home, kMaxPath);
}

TALARIA_MESSAGE(LocateFileReport) {
  field(1, "path", message.path, kMaxPath);
  field(2, "real", message.real, kMaxPath);
  field(3, "directory", message.directory, kMaxPath);
  field(4, "home", message.home, kMaxPath);
  field(5, "found", message.found);
  field(6, "entry", message.entry);
  field(7, "device", message.device);
  field(8, "inode", message.inode);
  field(9, "has_parent", message.has_parent);
  field(10, "umask", message.umask);
  field(11, "neighbours", message.neighbours, kMaxPath);
}

TALARIA_FIELDS(ChangedFile) {
  field(1, "kind", message.kind, ChangeKind::move);
  field(2, "path", message.path, kMaxPath);
  field(3, "from", message.from, kMaxPath);
  field(4, "upload", message.upload, kMaxId);
  field(5, "size", message.size);
  field(6, "expected", message.expected, kMaxId);
  field(7, "mode", message.mode);
}

TALARIA_MESSAGE(ChangeFiles) {
  field(1, "id", message.id, kMaxId);
  field(2, "files", message.files);
}

TALARIA_MESSAGE(ChangeFilesReport) { field(1, "entries", message.entries); }

}  // namespace talaria::link
