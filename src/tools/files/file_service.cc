#include "tools/files/file_service.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"
#include "environment/whole_file.h"
#include "shell/quote.h"
#include "tools/files/content_bytes.h"
#include "tools/files/file_act.h"
#include "tools/own_command.h"

namespace talaria::tool {
namespace {

using policy::FileAct;

FileStat to_stat(environment::FileInfo info) {
  using Time = std::chrono::system_clock::time_point;
  return {.path = std::move(info.path),
          .type = static_cast<FileType>(info.facts.kind),
          .size = info.facts.size,
          .mode = info.facts.mode,
          .modified = Time(std::chrono::duration_cast<Time::duration>(
              std::chrono::nanoseconds(info.facts.mtime_ns))),
          .link_to = std::move(info.link_to),
          .uid = info.uid,
          .gid = info.gid};
}

// Of a path that stands for itself, also if it is a link.
const std::string& own_path(const LocatedFile& file) {
  return file.paths.own.empty() ? file.paths.path : file.paths.own;
}

std::string quoted(const std::string& path) { return shell::single_quote(path); }

// A command of ours that changes files. What it says when it fails is the caller's mistake, as far
// as can be known.
Task<Result<void>> change_by_command(const FileCall& files, std::string text) {
  OwnCommand command{.text = "LC_ALL=C; export LC_ALL; " + std::move(text)};
  const auto done = co_await run_own_command(files.call().services, files.environment(),
                                             std::move(command), files.call().cancel);
  if (done) co_return Result<void>();
  if (done.error().kind() != ErrorKind::unavailable) co_return fail(done.error());
  const std::string& said = done.error().message();
  ErrorKind kind = ErrorKind::bad_request;
  if (said.contains("ermission denied") || said.contains("not permitted")) kind = ErrorKind::denied;
  if (said.contains("No such file")) kind = ErrorKind::not_found;
  if (said.contains("No space left")) kind = ErrorKind::limit;
  co_return fail(kind, said);
}

struct OpenFile {
  FileCall files;
  LocatedFile file;
};

// `own`: the path stands for itself, also if it is a link.
Task<Result<OpenFile>> open_and_locate(ToolCall& call, std::string path, bool own = false) {
  if (trim(path).empty()) co_return fail(ErrorKind::bad_request, "path: expected a path");
  if (path.contains('\0')) {
    co_return fail(ErrorKind::bad_request, "path: it contains a NUL byte");
  }
  auto files = co_await FileCall::open(call);
  if (!files) co_return fail(files.error());
  auto file = co_await files->locate(std::move(path));
  if (!file) co_return fail(file.error());
  if (own) {
    if (const auto found = co_await files->find_own_place(*file); !found) {
      co_return fail(found.error());
    }
  }
  co_return OpenFile{std::move(*files), std::move(*file)};
}

Task<Result<std::optional<environment::FileInfo>>> look_at(const FileCall& files,
                                                           const LocatedFile& file) {
  environment::TargetPath path{own_path(file)};
  co_return co_await files.files().stat(std::move(path), false, false);
}

environment::FileToWrite to_write(const FileCall& files, const LocatedFile& file,
                                  const FileWriting& what) {
  environment::FileToWrite write{.to = {file.real()}};
  if (what.parents) write.parents = new_directory_mode(files, file);
  write.mode = what.mode;
  if (!write.mode && !file.found) write.mode = new_file_mode(files, file);
  return write;
}

Task<Result<environment::FileInfo>> put(const FileCall& files, const LocatedFile& file,
                                        environment::FileToWrite write) {
  std::vector<environment::FileToWrite> one;
  one.push_back(std::move(write));
  auto written = co_await files.files().write(std::move(one), files.call().cancel);
  if (!written.front()) co_return fail(written.front().error());
  if (files.call().files != nullptr) {
    const FileStamp stamp = co_await files.stamp(file.real());
    files.note_written(file, stamp);
  }
  co_return std::move(written.front());
}

Task<Result<void>> append(const FileCall& files, const LocatedFile& file, const FileWriting& what) {
  std::string text;
  const std::string parent = file.real().substr(0, file.real().rfind('/'));
  if (what.parents && !parent.empty()) text = "mkdir -p -- " + quoted(parent) + " && ";
  text += "cat >>" + quoted(file.real());
  if (what.mode && !file.found) {
    char mode[8];
    std::snprintf(mode, sizeof mode, "%o", *what.mode);
    text += " && chmod " + std::string(mode) + " -- " + quoted(file.real());
  }
  OwnCommand command{.text = std::move(text), .stdin_data = what.data};
  const auto done = co_await run_own_command(files.call().services, files.environment(),
                                             std::move(command), files.call().cancel);
  if (!done) co_return fail(done.error());
  if (files.call().files != nullptr) {
    const FileStamp stamp = co_await files.stamp(file.real());
    files.note_written(file, stamp);
  }
  co_return Result<void>();
}

// A text is shown to the person who is asked.
ApprovalDetail content_detail(const std::string& data) {
  return {.name = "content", .text = sanitize_utf8(data)};
}

Error is_directory(const LocatedFile& file) {
  return {ErrorKind::bad_request, "'" + file.paths.asked + "': Is a directory"};
}

std::size_t depth_of(const std::string& path) {
  return 1 + static_cast<std::size_t>(std::ranges::count(path, '/'));
}

Task<Result<FilePart>> read_part(const FileCall& files, const LocatedFile& file, std::uint64_t from,
                                 std::uint64_t max) {
  FilePart part{.from = from};
  environment::TargetPath path{file.real()};
  const auto read = co_await files.files().read(
      std::move(path), from, max, [&part](std::string_view bytes) { part.data += bytes; },
      files.call().cancel);
  if (!read) co_return fail(read.error());
  part.next = from + part.data.size();
  part.size = read->file.facts.size;
  part.eof = read->eof;
  co_return part;
}

}  // namespace

Result<void> check_rules(const FileCall& files, const LocatedFile& file, FileAct act) {
  const auto denied =
      act == FileAct::read ? files.read_denied(file) : files.change_denied(file, act);
  if (!denied) return {};
  return fail(ErrorKind::denied, *denied);
}

Error no_such_file(const LocatedFile& file) {
  return {ErrorKind::not_found,
          "'" + file.paths.asked + "' (" + file.paths.path + ") does not exist at the target"};
}

Task<Result<FilePart>> FileService::read(std::string path, std::uint64_t from,
                                         std::uint64_t max) const {
  auto at = co_await open_and_locate(*call_, std::move(path));
  if (!at) co_return fail(at.error());
  if (!at->file.found) co_return fail(no_such_file(at->file));
  if (at->file.is_directory) co_return fail(is_directory(at->file));
  const std::uint64_t most = max == 0 ? kMaxFilePart : std::min<std::uint64_t>(max, kMaxFilePart);
  const auto work = [&] { return read_part(at->files, at->file, from, most); };
  co_return co_await with_approval<FilePart>(at->files, "files.read",
                                             {{.act = FileAct::read, .file = &at->file}}, {}, work);
}

Task<Result<std::uint64_t>> FileService::write(FileWriting what) const {
  auto at = co_await open_and_locate(*call_, what.path);
  if (!at) co_return fail(at.error());
  if (at->file.is_directory) co_return fail(is_directory(at->file));
  const std::uint64_t size = what.data.size();
  const auto work = [&]() -> Task<Result<std::uint64_t>> {
    if (what.append) {
      const auto done = co_await append(at->files, at->file, what);
      if (!done) co_return fail(done.error());
      co_return size;
    }
    environment::FileToWrite write = to_write(at->files, at->file, what);
    environment::FileToWrite whole =
        environment::whole_file({at->file.real()}, std::make_shared<const std::string>(what.data));
    write.size = whole.size;
    write.next = std::move(whole.next);
    const auto written = co_await put(at->files, at->file, std::move(write));
    if (!written) co_return fail(written.error());
    co_return size;
  };
  co_return co_await with_approval<std::uint64_t>(at->files, "files.write", {{.file = &at->file}},
                                                  content_detail(what.data), work);
}

Task<Result<FileStat>> FileService::stat(std::string path) const {
  auto at = co_await open_and_locate(*call_, std::move(path), true);
  if (!at) co_return fail(at.error());
  auto info = co_await look_at(at->files, at->file);
  if (!info) co_return fail(info.error());
  if (!*info) co_return fail(no_such_file(at->file));
  co_return to_stat(std::move(**info));
}

Task<Result<FileList>> FileService::list(std::string path, std::size_t depth,
                                         std::size_t most) const {
  auto at = co_await open_and_locate(*call_, std::move(path));
  if (!at) co_return fail(at.error());
  if (!at->file.found) co_return fail(no_such_file(at->file));
  if (!at->file.is_directory) {
    co_return fail(ErrorKind::bad_request, "'" + at->file.paths.asked + "': Not a directory");
  }
  environment::FilesQuery query{
      .directory = {at->file.real()}, .deep = depth > 1, .most = most, .first_ones = true};
  auto found = co_await at->files.files().list(std::move(query), call_->cancel);
  if (!found) co_return fail(found.error());
  FileList list{.truncated = found->size() > most};
  if (found->size() > most) found->resize(most);
  for (environment::FileInfo& one : *found) {
    if (depth_of(one.path) <= depth) list.entries.push_back(to_stat(std::move(one)));
  }
  co_return list;
}

Task<Result<void>> FileService::remove(std::string path, bool recursive) const {
  auto at = co_await open_and_locate(*call_, std::move(path), true);
  if (!at) co_return fail(at.error());
  const auto info = co_await look_at(at->files, at->file);
  if (!info) co_return fail(info.error());
  if (!*info) co_return fail(no_such_file(at->file));
  const bool directory = (*info)->facts.kind == os::FileKind::directory;
  const std::string& own = own_path(at->file);
  const auto work = [&]() -> Task<Result<void>> {
    if (!directory) {
      co_return co_await at->files.files().remove({own}, "");
    }
    co_return co_await change_by_command(at->files,
                                         (recursive ? "rm -rf -- " : "rmdir -- ") + quoted(own));
  };
  auto done = co_await with_approval<void>(
      at->files, "files.remove",
      {{.act = FileAct::remove, .file = &at->file, .tree = directory && recursive}}, {}, work);
  if (done) at->files.note_removed(at->file);
  co_return done;
}

Task<Result<void>> FileService::make_directory(std::string path, bool parents,
                                               std::optional<std::uint32_t> mode) const {
  auto at = co_await open_and_locate(*call_, std::move(path));
  if (!at) co_return fail(at.error());
  std::string text = parents ? "mkdir -p" : "mkdir";
  if (mode) {
    char digits[8];
    std::snprintf(digits, sizeof digits, "%o", *mode);
    text += " -m " + std::string(digits);
  }
  text += " -- " + quoted(at->file.real());
  const auto work = [&] { return change_by_command(at->files, text); };
  co_return co_await with_approval<void>(at->files, "files.make_dir", {{.file = &at->file}}, {},
                                         work);
}

Task<Result<void>> FileService::rename(std::string from, std::string to, bool overwrite) const {
  auto at = co_await open_and_locate(*call_, std::move(from), true);
  if (!at) co_return fail(at.error());
  const auto info = co_await look_at(at->files, at->file);
  if (!info) co_return fail(info.error());
  if (!*info) co_return fail(no_such_file(at->file));
  auto target = co_await open_and_locate(*call_, std::move(to), true);
  if (!target) co_return fail(target.error());
  const std::string source = quoted(own_path(at->file));
  const std::string place = quoted(own_path(target->file));
  std::string text = "mv -T -- " + source + " " + place;
  if (!overwrite) {
    text = "if [ -e " + place + " ] || [ -L " + place + " ]; then echo " + place +
           "' exists already' >&2; exit 1; fi; mv -nT -- " + source + " " + place + " && ! [ -e " +
           source + " ]";
  }
  const auto work = [&] { return change_by_command(at->files, text); };
  auto done = co_await with_approval<void>(
      at->files, "files.rename", {{.act = FileAct::move, .file = &at->file, .to = &target->file}},
      {}, work);
  if (done) at->files.note_removed(at->file);
  co_return done;
}

Task<Result<Transferred>> FileService::upload(FileWriting what, FileSource source) const {
  auto at = co_await open_and_locate(*call_, what.path);
  if (!at) co_return fail(at.error());
  if (at->file.is_directory) co_return fail(is_directory(at->file));
  const auto work = [&]() -> Task<Result<Transferred>> {
    Transferred sent;
    Sha256 digest;
    environment::FileToWrite write = to_write(at->files, at->file, what);
    write.next_later = [&](std::size_t most) -> Task<Result<std::string>> {
      auto piece = co_await source.next(most);
      if (piece) {
        digest.add(*piece);
        sent.bytes += piece->size();
      }
      co_return piece;
    };
    const auto written = co_await put(at->files, at->file, std::move(write));
    if (!written) co_return fail(written.error());
    sent.sha256 = digest.hex();
    co_return sent;
  };
  co_return co_await with_approval<Transferred>(
      at->files, "files.upload", {{.file = &at->file}},
      {.name = "content", .text = "bytes that are still to come"}, work);
}

Task<Result<Transferred>> FileService::download(std::string path, FileSink sink) const {
  auto at = co_await open_and_locate(*call_, std::move(path));
  if (!at) co_return fail(at.error());
  if (!at->file.found) co_return fail(no_such_file(at->file));
  if (at->file.is_directory) co_return fail(is_directory(at->file));
  const auto work = [&]() -> Task<Result<Transferred>> {
    Transferred got;
    Sha256 digest;
    const FileStamp before = at->file.stamp;
    for (bool last = false; !last;) {
      auto part = co_await read_part(at->files, at->file, got.bytes, kTransferPiece);
      if (!part) co_return fail(part.error());
      digest.add(part->data);
      got.bytes = part->next;
      last = part->eof || part->data.empty();
      sink.take(part->data);
      co_await sink.taken();
      if (call_->cancel.cancelled()) co_return fail(ErrorKind::interrupted, "cancelled");
    }
    if (got.bytes > kTransferPiece && co_await at->files.stamp(at->file.real()) != before) {
      co_return fail(ErrorKind::unavailable,
                     "'" + at->file.paths.asked + "' changed while it was read; download it again");
    }
    got.sha256 = digest.hex();
    co_return got;
  };
  co_return co_await with_approval<Transferred>(
      at->files, "files.download", {{.act = FileAct::read, .file = &at->file}}, {}, work);
}

}  // namespace talaria::tool
