// The fields of what several messages about files have. Only the .cc files of this folder include
// it.
#pragma once

#include "link/codec.h"
#include "link/file_messages.h"
#include "link/limits.h"

namespace talaria::link {

template <>
struct Fields<FileEntry> {
  static constexpr std::string_view kName = "FileEntry";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "kind", message.kind, EntryKind::other);
    field(3, "size", message.size);
    field(4, "mtime_ns", message.mtime_ns);
    field(5, "mode", message.mode);
    field(6, "sha256", message.sha256, kMaxId);
  }
};

template <>
struct Fields<FileFlaw> {
  static constexpr std::string_view kName = "FileFlaw";
  static void visit(auto& message, auto& field) {
    field(1, "path", message.path, kMaxPath);
    field(2, "reason", message.reason, kMaxText);
  }
};

}  // namespace talaria::link
