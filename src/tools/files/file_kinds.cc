#include "tools/files/file_kinds.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace talaria::tool {
namespace {

constexpr std::string_view kBinaryNames =
    " png jpg jpeg gif bmp ico webp tiff tif"
    " mp4 mov avi mkv webm wmv flv m4v mpeg mpg"
    " mp3 wav ogg flac aac m4a wma aiff opus"
    " zip tar gz bz2 7z rar xz z tgz iso"
    " exe dll so dylib bin o a obj lib app msi deb rpm"
    " doc docx xls xlsx ppt pptx odt ods odp"
    " ttf otf woff woff2 eot"
    " pyc pyo class jar war ear node wasm rlib"
    " sqlite sqlite3 db mdb idx"
    " psd ai eps sketch fig xd blend 3ds max"
    " swf fla lockb dat data ";

constexpr auto kImageBeginnings = std::to_array<std::string_view>(
    {"\x89PNG\r\n\x1a\n", "\xFF\xD8\xFF", "GIF87a", "GIF89a", "BM", "II*\0", "MM\0*"});

}  // namespace

std::string extension_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : lower_case(name.substr(dot));
}

bool has_binary_name(std::string_view path) {
  const std::string extension = extension_of(path);
  if (extension.size() < 2 || extension.contains(' ')) return false;
  return kBinaryNames.contains(" " + extension.substr(1) + " ");
}

bool is_binary(std::string_view head) {
  if (head.contains('\0')) return true;
  const auto is_control = [](char c) {
    return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t';
  };
  const auto controls = static_cast<std::size_t>(std::ranges::count_if(head, is_control));
  return controls * 10 > head.size() * 3;
}

bool is_image(std::string_view head) {
  if (head.starts_with("RIFF") && head.substr(0, 12).ends_with("WEBP")) return true;
  return std::ranges::any_of(kImageBeginnings,
                             [&](std::string_view begin) { return head.starts_with(begin); });
}

}  // namespace talaria::tool
