#include "tools/files/tar_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"

namespace talaria::tool {
namespace {

// What describes an entry may be so long.
constexpr std::uint64_t kMostDescription = 1u << 20;

std::string_view field(std::string_view block, std::size_t from, std::size_t size) {
  const std::string_view text = block.substr(from, size);
  return text.substr(0, text.find('\0'));
}

// Octal digits, or, for large ones, a number with its first bit set.
std::optional<std::uint64_t> number(std::string_view block, std::size_t from, std::size_t size) {
  const std::string_view text = block.substr(from, size);
  if ((static_cast<unsigned char>(text.front()) & 0x80) != 0) {
    std::uint64_t value = static_cast<unsigned char>(text.front()) & 0x7f;
    for (const char c : text.substr(1)) {
      if (value >> 55 != 0) return std::nullopt;
      value = (value << 8) | static_cast<unsigned char>(c);
    }
    return value;
  }
  const std::string_view digits = trim(field(block, from, size));
  if (digits.empty()) return 0;
  return parse_integer<std::uint64_t>(digits, 8);
}

bool checksum_fits(std::string_view block) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < block.size(); ++at) {
    const bool of_sum = at >= 148 && at < 156;
    sum += of_sum ? ' ' : static_cast<unsigned char>(block[at]);
  }
  return number(block, 148, 8) == sum;
}

// One record of a pax header: "17 path=abc\n". Takes it off.
std::optional<std::pair<std::string_view, std::string_view>> next_record(std::string_view& text) {
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  const auto digits = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || size <= digits + 1 || size > text.size()) return std::nullopt;
  std::string_view record = text.substr(digits + 1, size - digits - 2);
  text.remove_prefix(size);
  const std::size_t equals = record.find('=');
  if (equals == record.npos) return std::nullopt;
  return std::pair(record.substr(0, equals), record.substr(equals + 1));
}

Error not_an_archive(std::string what) {
  return {ErrorKind::bad_request, "the data is not a tar archive: " + std::move(what)};
}

}  // namespace

Result<void> TarNames::feed(std::string_view bytes) {
  while (!bytes.empty() && !ended_) {
    if (skip_ > 0) {
      const std::size_t size = std::min<std::uint64_t>(skip_, bytes.size());
      const std::size_t of_data = std::min<std::uint64_t>(wanted_, size);
      data_ += bytes.substr(0, of_data);
      wanted_ -= of_data;
      skip_ -= size;
      bytes.remove_prefix(size);
      if (skip_ > 0 || data_type_ == '\0') continue;
      if (const auto taken = take_data(data_); !taken) return taken;
      data_.clear();
      data_type_ = '\0';
      continue;
    }
    const std::size_t size = std::min(kBlock - block_.size(), bytes.size());
    block_ += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (block_.size() < kBlock) break;
    const std::string block = std::exchange(block_, {});
    if (const auto taken = take_block(block); !taken) return taken;
  }
  return {};
}

Result<void> TarNames::take_block(std::string_view block) {
  if (block.find_first_not_of('\0') == block.npos) {
    ended_ = true;  // what follows is padding
    return {};
  }
  if (!checksum_fits(block)) return fail(not_an_archive("the checksum of a header is wrong"));
  return take_header(block);
}

Result<void> TarNames::take_header(std::string_view block) {
  const auto size = number(block, 124, 12);
  if (!size) return fail(not_an_archive("the size of an entry is wrong"));
  const char type = block[156] == '\0' ? '0' : block[156];
  const bool has_content =
      type != '1' && type != '2' && type != '3' && type != '4' && type != '5' && type != '6';
  skip_ = has_content ? (*size + kBlock - 1) / kBlock * kBlock : 0;
  if (type == 'x' || type == 'L' || type == 'K') {
    if (*size > kMostDescription) return fail(not_an_archive("the header of an entry is too long"));
    data_type_ = type;
    wanted_ = *size;
    return {};
  }
  if (type == 'g') return {};
  std::string name(field(block, 0, 100));
  const bool is_ustar = block.substr(257, 6) == std::string_view("ustar\0", 6);
  if (const std::string_view prefix = field(block, 345, 155); is_ustar && !prefix.empty()) {
    name = std::string(prefix) + "/" + name;
  }
  TarEntry entry{
      .name = std::exchange(long_name_, std::nullopt).value_or(name),
      .link_to =
          std::exchange(long_link_, std::nullopt).value_or(std::string(field(block, 157, 100))),
      .is_file = type == '0' || type == '7',
      .is_link = type == '1' || type == '2'};
  if (entry.is_file) ++files_;
  return take_(entry);
}

Result<void> TarNames::take_data(std::string_view data) {
  if (data_type_ == 'L') long_name_ = std::string(data.substr(0, data.find('\0')));
  if (data_type_ == 'K') long_link_ = std::string(data.substr(0, data.find('\0')));
  if (data_type_ != 'x') return {};
  while (!data.empty()) {
    const auto record = next_record(data);
    if (!record) return fail(not_an_archive("an extended header cannot be read"));
    if (record->first == "path") long_name_ = std::string(record->second);
    if (record->first == "linkpath") long_link_ = std::string(record->second);
    if (record->first == "size") {
      return fail(not_an_archive("an entry is larger than a plain header can say (8 GiB)"));
    }
  }
  return {};
}

}  // namespace talaria::tool
