#include "api/asio_files.h"

#include <utility>

#include "api/call_under_way.h"
#include "api/checks.h"
#include "api/core.h"
#include "tools/files/file_service.h"

namespace talaria {
namespace {

// Has `work` do something with a FileService for one call.
template <class T, class Work>
Task<Result<T>> with_files(std::shared_ptr<AsioRuntime::Core> core, FileCaller caller,
                           Cancel cancel, Work work) {
  for (const auto& fine :
       {check_task(caller.task), check_text("session_key", caller.session_key)}) {
    if (!fine) co_return fail(fine.error());
  }
  const CallUnderWay underway(core, cancel);
  CallContext context{.task = std::move(caller.task),
                      .session_key = std::move(caller.session_key),
                      .waits_for_approval = caller.waits_for_approval,
                      .first_directory = std::move(caller.first_directory)};
  tool::ToolCall call = tool::begin_call(core->services(), std::move(context), underway.token());
  call.files = &core->files();
  tool::FileService files(call);
  co_return co_await work(files);
}

}  // namespace

std::string_view file_type_name(FileType type) {
  switch (type) {
    case FileType::file:
      return "file";
    case FileType::directory:
      return "directory";
    case FileType::link:
      return "link";
    case FileType::other:
      break;
  }
  return "other";
}

Task<Result<FilePart>> AsioFiles::read(std::string path, std::uint64_t from, std::uint64_t max) {
  return with_files<FilePart>(core_, caller_, cancel_,
                              [path = std::move(path), from, max](tool::FileService& files) {
                                return files.read(path, from, max);
                              });
}

Task<Result<std::uint64_t>> AsioFiles::write(FileWriting what) {
  return with_files<std::uint64_t>(core_, caller_, cancel_,
                                   [what = std::move(what)](tool::FileService& files) mutable {
                                     return files.write(std::move(what));
                                   });
}

Task<Result<FileStat>> AsioFiles::stat(std::string path) {
  return with_files<FileStat>(
      core_, caller_, cancel_,
      [path = std::move(path)](tool::FileService& files) { return files.stat(path); });
}

Task<Result<FileList>> AsioFiles::list(std::string path, std::size_t depth, std::size_t most) {
  return with_files<FileList>(core_, caller_, cancel_,
                              [path = std::move(path), depth, most](tool::FileService& files) {
                                return files.list(path, depth, most);
                              });
}

Task<Result<void>> AsioFiles::remove(std::string path, bool recursive) {
  return with_files<void>(core_, caller_, cancel_,
                          [path = std::move(path), recursive](tool::FileService& files) {
                            return files.remove(path, recursive);
                          });
}

Task<Result<void>> AsioFiles::make_directory(std::string path, bool parents,
                                             std::optional<std::uint32_t> mode) {
  return with_files<void>(core_, caller_, cancel_,
                          [path = std::move(path), parents, mode](tool::FileService& files) {
                            return files.make_directory(path, parents, mode);
                          });
}

Task<Result<void>> AsioFiles::rename(std::string from, std::string to, bool overwrite) {
  return with_files<void>(
      core_, caller_, cancel_,
      [from = std::move(from), to = std::move(to), overwrite](tool::FileService& files) {
        return files.rename(from, to, overwrite);
      });
}

Task<Result<Transferred>> AsioFiles::upload(FileWriting what, FileSource source) {
  return with_files<Transferred>(
      core_, caller_, cancel_,
      [what = std::move(what), source = std::move(source)](tool::FileService& files) mutable {
        return files.upload(std::move(what), std::move(source));
      });
}

Task<Result<Transferred>> AsioFiles::download(std::string path, FileSink sink) {
  return with_files<Transferred>(
      core_, caller_, cancel_,
      [path = std::move(path), sink = std::move(sink)](tool::FileService& files) mutable {
        return files.download(path, std::move(sink));
      });
}

Task<Result<Transferred>> AsioFiles::upload_tree(std::string path, FileSource source) {
  return with_files<Transferred>(
      core_, caller_, cancel_,
      [path = std::move(path), source = std::move(source)](tool::FileService& files) mutable {
        return files.upload_tree(path, std::move(source));
      });
}

Task<Result<Transferred>> AsioFiles::download_tree(std::string path, FileSink sink) {
  return with_files<Transferred>(
      core_, caller_, cancel_,
      [path = std::move(path), sink = std::move(sink)](tool::FileService& files) mutable {
        return files.download_tree(path, std::move(sink));
      });
}

}  // namespace talaria
