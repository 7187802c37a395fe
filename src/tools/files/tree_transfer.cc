// The trees of FileService: tar archives that a `tar` at the target makes and unpacks. What is in
// them is looked at on its way, because the rules for files are about names.
#include <algorithm>
#include <set>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/write.hpp>

#include "base/limits.h"
#include "base/sha256.h"
#include "base/text.h"
#include "shell/quote.h"
#include "tools/files/file_act.h"
#include "tools/files/file_service.h"
#include "tools/files/tar_names.h"
#include "tools/own_command.h"

namespace talaria::tool {
namespace {

using policy::FileAct;
using Socket = asio::local::stream_protocol::socket;

constexpr std::size_t kTarPiece = 64u << 10;

// "a/b" of "./a/b/"; nothing: it leads out of the directory.
std::optional<std::string> plain_name(std::string_view name) {
  if (name.starts_with('/') || name.contains('\0')) return std::nullopt;
  std::string plain;
  while (!name.empty()) {
    const std::string_view part = next_word(name, '/');
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    plain += (plain.empty() ? "" : "/") + std::string(part);
  }
  return plain;
}

LocatedFile file_in(const LocatedFile& directory, const std::string& name) {
  LocatedFile file = directory;
  for (std::string* path : {&file.paths.asked, &file.paths.path, &file.paths.real}) {
    if (!name.empty()) *path += (path->ends_with('/') ? "" : "/") + name;
  }
  return file;
}

// Whether an entry may be unpacked: it stays in the directory, goes through no link of the archive,
// and is not a file that is left alone.
class UnpackRules {
 public:
  UnpackRules(const FileCall& files, const LocatedFile& directory)
      : files_(files), directory_(directory) {}

  Result<void> check(const TarEntry& entry) {
    const auto name = plain_name(entry.name);
    if (!name) return refuse(entry, "leads out of the directory");
    for (std::size_t at = name->find('/'); at != name->npos; at = name->find('/', at + 1)) {
      if (links_.contains(name->substr(0, at))) return refuse(entry, "leads through a link");
    }
    if (entry.is_link) links_.insert(*name);
    return check_rules(files_, file_in(directory_, *name), FileAct::write);
  }

 private:
  static Result<void> refuse(const TarEntry& entry, const char* why) {
    return fail(ErrorKind::bad_request, "the entry '" + sanitize_utf8(entry.name) + "' " + why);
  }

  const FileCall& files_;
  const LocatedFile& directory_;
  std::set<std::string> links_;
};

// An upload on its way to the input of tar.
struct Unpacking {
  FileSource source;
  TarNames names;
  Socket to_tar;
  CancelToken stop;  // ends tar
  Sha256 digest;
  Transferred sent;
  std::optional<Error> flaw;
};

Task<void> pass_on(Unpacking& unpacking) {
  for (;;) {
    auto piece = co_await unpacking.source.next(kTarPiece);
    if (piece && piece->empty()) break;
    const Result<void> fine = piece ? unpacking.names.feed(*piece) : fail(piece.error());
    if (!fine) {
      unpacking.flaw = fine.error();
      unpacking.stop.cancel();
      co_return;
    }
    unpacking.digest.add(*piece);
    unpacking.sent.bytes += piece->size();
    const auto [error, size] =
        co_await asio::async_write(unpacking.to_tar, asio::buffer(*piece), as_values);
    if (error) co_return;  // tar has ended, and says why
  }
  boost::system::error_code ignored;
  unpacking.to_tar.shutdown(Socket::shutdown_send, ignored);
}

Task<Result<std::string>> unpack(const FileCall& files, const LocatedFile& directory, int input,
                                 Unpacking& unpacking) {
  const std::string place = shell::single_quote(directory.real());
  OwnCommand command{.text = "mkdir -p -- " + place + " && tar -C " + place + " -xof -",
                     .timeout = std::chrono::milliseconds(0),
                     .stdin_fd = input};
  auto done = co_await run_own_command(files.call().services, files.environment(),
                                       std::move(command), unpacking.stop);
  unpacking.source.stop();
  boost::system::error_code ignored;
  unpacking.to_tar.close(ignored);
  co_return done;
}

Task<Result<Transferred>> upload_archive(const FileCall& files, const LocatedFile& directory,
                                         FileSource source) {
  using asio::experimental::awaitable_operators::operator&&;
  const auto executor = co_await asio::this_coro::executor;
  UnpackRules rules(files, directory);
  Unpacking unpacking{.source = std::move(source),
                      .names = TarNames([&](const TarEntry& entry) { return rules.check(entry); }),
                      .to_tar = Socket(executor)};
  Socket input(executor);
  boost::system::error_code error;
  asio::local::connect_pair(unpacking.to_tar, input, error);
  if (error) co_return fail(ErrorKind::unavailable, "no stream for tar: " + error.message());
  CancelToken cancel = files.call().cancel;
  cancel.on_cancel([&unpacking] {
    unpacking.stop.cancel();
    unpacking.source.stop();
  });
  const auto done =
      co_await (unpack(files, directory, input.native_handle(), unpacking) && pass_on(unpacking));
  cancel.on_cancel(nullptr);
  if (unpacking.flaw) co_return fail(*unpacking.flaw);
  if (!done) co_return fail(done.error());
  if (!unpacking.names.complete()) {
    co_return fail(ErrorKind::bad_request, "the archive is not complete: its end is missing");
  }
  unpacking.sent.files = unpacking.names.files();
  unpacking.sent.sha256 = unpacking.digest.hex();
  co_return unpacking.sent;
}

Task<Result<Transferred>> download_archive(const FileCall& files, const LocatedFile& directory,
                                           FileSink sink) {
  Transferred got;
  Sha256 digest;
  CancelToken stop;
  std::optional<Error> flaw;
  TarNames names([&](const TarEntry& entry) {
    const std::string name = plain_name(entry.name).value_or(entry.name);
    return check_rules(files, file_in(directory, name), FileAct::read);
  });
  const std::string place = shell::single_quote(directory.real());
  OwnCommand command{
      .text = "f=; tar --help 2>&1 | grep -q -- --format && f=--format=pax; tar $f -C " + place +
              " -cf - .",
      .timeout = std::chrono::milliseconds(0),
      .on_output =
          [&](std::string_view bytes) {
            if (flaw) return;
            if (const auto fine = names.feed(bytes); !fine) {
              flaw = fine.error();
              return stop.cancel();
            }
            digest.add(bytes);
            got.bytes += bytes.size();
            sink.take(bytes);
          },
      .flow = sink.flow};
  CancelToken cancel = files.call().cancel;
  cancel.on_cancel([&stop] { stop.cancel(); });
  const auto done = co_await run_own_command(files.call().services, files.environment(),
                                             std::move(command), stop);
  cancel.on_cancel(nullptr);
  if (flaw) co_return fail(*flaw);
  if (!done) co_return fail(done.error());
  got.files = names.files();
  got.sha256 = digest.hex();
  co_return got;
}

Task<Result<LocatedFile>> locate_directory(const FileCall& files, std::string path) {
  if (trim(path).empty()) co_return fail(ErrorKind::bad_request, "path: expected a path");
  auto found = co_await files.locate(std::move(path));
  if (!found) co_return fail(found.error());
  if (found->found && !found->is_directory) {
    co_return fail(ErrorKind::bad_request, "'" + found->paths.asked + "': Not a directory");
  }
  co_return found;
}

}  // namespace

Task<Result<Transferred>> FileService::upload_tree(std::string path, FileSource source) const {
  auto files = co_await FileCall::open(*call_);
  if (!files) co_return fail(files.error());
  auto directory = co_await locate_directory(*files, std::move(path));
  if (!directory) co_return fail(directory.error());
  const auto work = [&] { return upload_archive(*files, *directory, std::move(source)); };
  co_return co_await with_approval<Transferred>(
      *files, "files.upload", {{.file = &*directory, .tree = true}},
      {.name = "content", .text = "the files of an archive that is still to come"}, work);
}

Task<Result<Transferred>> FileService::download_tree(std::string path, FileSink sink) const {
  auto files = co_await FileCall::open(*call_);
  if (!files) co_return fail(files.error());
  auto directory = co_await locate_directory(*files, std::move(path));
  if (!directory) co_return fail(directory.error());
  if (!directory->found) co_return fail(no_such_file(*directory));
  const auto work = [&] { return download_archive(*files, *directory, std::move(sink)); };
  co_return co_await with_approval<Transferred>(
      *files, "files.download", {{.act = FileAct::read, .file = &*directory, .tree = true}}, {},
      work);
}

}  // namespace talaria::tool
