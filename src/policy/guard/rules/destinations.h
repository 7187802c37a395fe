// Which files a command reads and writes by its own words: `cp A B` reads A and writes B.
#pragma once

#include <string_view>
#include <vector>

#include "policy/guard/rules/arguments.h"

namespace talaria::guard {

// The programs it knows, between blanks.
inline constexpr std::string_view kWritingPrograms =
    "cp install ln scp rsync gcp mv gmv rename tee sponge truncate unlink rmdir shred ed ex sed "
    "gsed perl ruby gawk yq dasel tomlq xq crudini vim vi nvim tar gtar bsdtar unzip cpio curl "
    "wget sort gsort gpg gpg2 split touch dd ffmpeg convert magick gzip gunzip bzip2 bunzip2 xz "
    "unxz lzma compress dos2unix unix2dos mogrify exiftool patch 7z 7za 7zz unrar git python "
    "python3";

// Where it writes, from the root where that is known; without redirections.
std::vector<SeenWord> destinations(const Arguments& arguments);

// What cp, mv, scp and their like take from.
std::vector<SeenWord> sources(const Arguments& arguments);

// host:path, rsync://host/path, remote: of rclone, s3://bucket.
bool is_remote(std::string_view path);

}  // namespace talaria::guard
