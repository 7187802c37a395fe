#include "link/edit_messages.h"

#include "link/file_fields.h"
#include "link/limits.h"
#include "link/message_codec.h"

namespace talaria::link {

template <>
struct Fields<LocateFile> {
  static constexpr std::string_view kName = "LocateFile";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "session", message.session, kMaxId);
    field(3, "first_cwd", message.first_cwd, kMaxPath);
    field(4, "neighbours", message.neighbours);
    field(5, "home", message.home, kMaxPath);
  }
};

template <>
struct Fields<LocateFileReport> {
  static constexpr std::string_view kName = "LocateFileReport";
  static void visit(auto& message, auto& field) {
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
};

template <>
struct Fields<ChangedFile> {
  static constexpr std::string_view kName = "ChangedFile";
  static void visit(auto& message, auto& field) {
    field(1, "kind", message.kind, ChangeKind::move);
    field(2, "path", message.path, kMaxPath);
    field(3, "from", message.from, kMaxPath);
    field(4, "upload", message.upload, kMaxId);
    field(5, "size", message.size);
    field(6, "expected", message.expected, kMaxId);
    field(7, "mode", message.mode);
  }
};

template <>
struct Fields<ChangeFiles> {
  static constexpr std::string_view kName = "ChangeFiles";
  static void visit(auto& message, auto& field) {
    field(1, "id", message.id, kMaxId);
    field(2, "files", message.files);
  }
};

template <>
struct Fields<ChangeFilesReport> {
  static constexpr std::string_view kName = "ChangeFilesReport";
  static void visit(auto& message, auto& field) { field(1, "entries", message.entries); }
};

TALARIA_MESSAGE(LocateFile);
TALARIA_MESSAGE(LocateFileReport);
TALARIA_MESSAGE(ChangeFiles);
TALARIA_MESSAGE(ChangeFilesReport);

}  // namespace talaria::link
