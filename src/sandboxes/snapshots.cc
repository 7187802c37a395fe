#include "sandboxes/snapshots.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/off_loop.h"
#include "base/result.h"
#include "base/task.h"
#include "os/file.h"
#include "os/random.h"
#include "sandboxes/limits.h"
#include "sandboxes/sandbox_paths.h"
#include "shell/quote.h"
#include "tools/own_command.h"
#include "tools/tool.h"

namespace talaria::sandboxes {
namespace {

// If possible, not in a directory that is part of the archive.
constexpr const char* kFindPlace =
    "for d in /var/tmp /tmp \"$HOME\"; do [ -w \"$d\" ] && break; done; ";

Result<void> check_size(std::uint64_t size) {
  if (size <= kMaxSnapshotBytes) return {};
  return fail(ErrorKind::limit,
              "the snapshot is larger than " + std::to_string(kMaxSnapshotBytes >> 20) + " MiB");
}

Result<void> append(os::UniqueFd& out, const std::string& part, const std::string& bytes) {
  if (!out) {
    auto opened = os::open_file(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (!opened) return fail(opened.error());
    out = std::move(*opened);
  }
  return os::write_all(out.get(), bytes);
}

Task<Result<void>> fetch(environment::Files& files, std::string from, std::string part) {
  os::UniqueFd out;
  for (std::uint64_t at = 0;;) {
    std::string piece;
    const auto read = co_await files.read(
        {.path = from}, at, kSnapshotPiece, [&](std::string_view bytes) { piece += bytes; },
        CancelToken());
    if (!read) co_return fail(read.error());
    const bool last = read->eof || piece.empty();
    at += piece.size();
    if (const auto fits = check_size(at); !fits) co_return fits;
    const Result<void> written = co_await off_loop([&] { return append(out, part, piece); });
    if (!written || last) co_return written;
  }
}

// The files of a container as an archive on this machine: its HOME and the directory in which its
// commands run. Needs `tar` in the container. `file` is replaced only by a complete archive.
Task<Result<void>> save_archive(tool::Services services, std::string sandbox, std::string cwd,
                                std::string file) {
  const auto environment = co_await services.environments.get(sandbox);
  if (!environment) co_return fail(environment.error());
  const std::string name = ".talaria-" + os::random_hex(8) + ".tar";
  const std::string command =
      std::string(kFindPlace) + "t=\"$d/" + name + "\"; w=" + shell::single_quote(cwd) +
      "; case \"$w\" in '~'*) w=\"$HOME${w#'~'}\";; esac; set -- \"${HOME#/}\"; case \"$w/\" in "
      "\"$HOME\"/*) ;; *) set -- \"$@\" \"${w#/}\";; esac; "
      "if tar -C / --one-file-system --exclude='" +
      name +
      "' -cf \"$t\" -- \"$@\" 2>\"$t.log\"; then rm -f \"$t.log\"; printf %s \"$t\"; else "
      "cat \"$t.log\"; rm -f \"$t\" \"$t.log\"; exit 1; fi";
  const auto archive = co_await tool::run_own_command(services, sandbox, command);
  if (!archive) co_return fail(archive.error());
  const std::string part = file + ".part";
  Result<void> written = co_await fetch((*environment)->files(), *archive, part);
  (void)co_await (*environment)->files().remove({*archive}, "");
  if (written && std::rename(part.c_str(), file.c_str()) != 0) {
    written = fail(Error::from_errno("renaming " + part));
  }
  if (!written) os::remove_file(part);
  co_return written;
}

Task<Result<void>> restore_archive(tool::Services services, std::string sandbox, std::string file) {
  const auto environment = co_await services.environments.get(sandbox);
  if (!environment) co_return fail(environment.error());
  auto in = os::open_file(file, O_RDONLY | O_CLOEXEC);
  if (!in) co_return fail(in.error());
  struct stat facts{};
  if (::fstat(in->get(), &facts) != 0) co_return fail(Error::from_errno("cannot read " + file));
  const std::string name = ".talaria-" + os::random_hex(8) + ".tar";
  const auto place = co_await tool::run_own_command(
      services, sandbox, std::string(kFindPlace) + "printf %s \"$d/" + name + "\"");
  if (!place) co_return fail(place.error());
  std::vector<environment::FileToWrite> files;
  files.push_back({.to = {.path = *place},
                   .size = static_cast<std::uint64_t>(facts.st_size),
                   .next = [fd = in->get()](std::size_t most) -> Result<std::string> {
                     std::string bytes(most, '\0');
                     const ssize_t size = ::read(fd, bytes.data(), bytes.size());
                     if (size < 0) return fail(Error::from_errno("reading a snapshot"));
                     bytes.resize(static_cast<std::size_t>(size));
                     return bytes;
                   },
                   .waits_for_disk = true,
                   .mode = 0600});
  const auto sent = co_await (*environment)->files().write(std::move(files), CancelToken());
  if (sent.empty() || !sent.front()) {
    co_return fail(sent.empty() ? Error(ErrorKind::system, "nothing was written")
                                : sent.front().error());
  }
  const auto unpacked = co_await tool::run_own_command(
      services, sandbox,
      "tar -C / -xf " + shell::single_quote(*place) + "; c=$?; rm -f " +
          shell::single_quote(*place) + "; exit $c");
  if (!unpacked) co_return fail(unpacked.error());
  co_return Result<void>();
}

std::string snapshot_name(const SandboxInfo& sandbox) { return "snapshot_" + sandbox.id; }

}  // namespace

std::string Snapshots::stored(const SandboxInfo& sandbox) {
  return table_->store()
      .snapshot(sandbox.owner, sandbox.spec.logical_key, sandbox.target)
      .value_or("");
}

Task<Result<void>> Snapshots::set_stored(const SandboxInfo& sandbox, std::string place) {
  co_return co_await table_->patiently([&](host::SandboxStore& store) {
    return store.set_snapshot(sandbox.owner, sandbox.spec.logical_key, sandbox.target, place);
  });
}

Task<void> Snapshots::restore(SandboxInfo& sandbox) {
  const std::string snapshot = are_kept_for(sandbox) ? stored(sandbox) : "";
  if (snapshot.empty()) co_return;
  if (is_container_target(sandbox.target)) {
    const auto restored = co_await restore_archive(services_, sandbox.id, snapshot);
    sandbox.restored = restored.has_value();
    co_return;
  }
  const auto copied =
      co_await tool::run_own_command(services_, sandbox.id,
                                     "cp -a --reflink=auto -- " + shell::single_quote(snapshot) +
                                         "/. " + shell::single_quote(sandbox.directory) + "/");
  sandbox.restored = copied.has_value();
}

Task<Result<void>> Snapshots::save(const SandboxInfo& sandbox) {
  return sandbox.directory.empty() ? save_container(sandbox) : save_directory(sandbox);
}

Task<Result<void>> Snapshots::save_directory(const SandboxInfo& sandbox) {
  const std::string before = stored(sandbox);
  const std::string parent = sandbox.directory.substr(0, sandbox.directory.rfind('/'));
  const std::string place = parent + "/" + snapshot_name(sandbox);
  // The snapshot is there already if a gateway was killed after moving it.
  const std::string from = shell::single_quote(sandbox.directory);
  const std::string to = shell::single_quote(place);
  const auto moved = co_await tool::run_own_command(
      services_, sandbox.id,
      "[ -d " + to + " ] && ! [ -e " + from + " ] || mv -T -- " + from + " " + to);
  if (!moved) co_return fail(moved.error());
  const auto written = co_await set_stored(sandbox, place);
  if (!written) co_return written;
  if (!before.empty() && before != place) {
    (void)co_await tool::run_own_command(services_, sandbox.id,
                                         "rm -rf -- " + shell::single_quote(before));
  }
  co_return Result<void>();
}

Task<Result<void>> Snapshots::save_container(const SandboxInfo& sandbox) {
  const std::string directory = services_.settings.config()->home + "/talaria/snapshots";
  if (const auto made = os::make_private_directory(directory); !made) co_return made;
  const std::string file = directory + "/" + snapshot_name(sandbox) + ".tar";
  const auto saved =
      co_await save_archive(services_, sandbox.id, exec_directory(sandbox, std::nullopt), file);
  if (!saved) co_return saved;
  const std::string before = stored(sandbox);
  const auto written = co_await set_stored(sandbox, file);
  if (!written) co_return written;
  if (!before.empty() && before != file) os::remove_file(before);
  co_return Result<void>();
}

}  // namespace talaria::sandboxes
