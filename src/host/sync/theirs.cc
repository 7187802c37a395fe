#include "host/sync/theirs.h"

#include <cstdint>
#include <string_view>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"
#include "host/sync/received_file.h"
#include "os/file.h"

namespace talaria::host {
namespace {

constexpr std::size_t kKeptDigits = 16;

// The same content has the same name, so that a round that fails later keeps it once.
std::string kept_name(const std::string& path, const std::string& digest) {
  return "theirs-" + digest.substr(0, kKeptDigits) + "-" +
         sanitize_utf8(path.substr(path.rfind('/') + 1));
}

}  // namespace

Task<Result<std::string>> receive(environment::Files& files, std::string base,
                                  environment::FileInfo file, int to, CancelToken cancel) {
  Result<void> stored;
  std::uint64_t got = 0;
  Sha256 digest;
  CancelToken enough;
  cancel.on_cancel([enough]() mutable { enough.cancel(); });
  const auto take = [&](std::string_view piece) {
    got += piece.size();
    if (!stored) return;
    stored = got > file.facts.size ? fail(ErrorKind::system, "it has changed meanwhile")
                                   : os::write_all(to, piece);
    digest.add(piece);
    if (!stored) enough.cancel();
  };
  const auto read = co_await files.read({file.path, base}, 0, 0, take, enough);
  cancel.on_cancel(nullptr);
  if (cancel.cancelled()) co_return fail(ErrorKind::interrupted, "interrupted");
  if (!stored) co_return fail(stored.error().kind(), file.path + ": " + stored.error().message());
  if (!read) co_return fail(read.error());
  std::string hex = digest.hex();
  if (got != file.facts.size || (!file.sha256.empty() && hex != file.sha256)) {
    co_return fail(ErrorKind::system, file.path + ": it has changed meanwhile");
  }
  co_return hex;
}

Task<Result<KeptTheirs>> keep_theirs(environment::Files& files, std::string home, std::string base,
                                     environment::FileInfo file, CancelToken cancel) {
  if (!file.sha256.empty()) {
    const std::string known = kept_directory(home) + "/" + kept_name(file.path, file.sha256);
    if (os::file_facts(known)) co_return KeptTheirs{known, false};
  }
  auto copy = KeptFile::open(home);
  if (!copy) co_return fail(copy.error());
  const auto digest = co_await receive(files, std::move(base), file, copy->fd(), std::move(cancel));
  if (!digest) co_return fail(digest.error());
  auto kept = copy->keep_as(kept_name(file.path, *digest));
  if (!kept) co_return fail(kept.error());
  co_return KeptTheirs{std::move(*kept)};
}

}  // namespace talaria::host
