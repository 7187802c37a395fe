// How a struct becomes a protobuf message and back, from one list of its fields. Only .cc files
// include this: those of messages here, and those of the files that a runner writes.
//
// A message that has encode() and decode():
//   TALARIA_MESSAGE(Resize) {
//     field(1, "process", message.process, kMaxId);
//     field(2, "size", message.size);
//   }
// TALARIA_FIELDS lists the fields of a struct that is only part of other messages.
//
// The last argument of field() is a bound: bytes of a string, elements of a list (strings in a
// list: both), the highest known value of an enumeration; numbers have none. As in proto3, a
// default is not written, an unknown field or one of another wire type is skipped, and of a
// repeated scalar the last wins. kFixedWidth in place of a bound: a 64-bit number that is written
// in 8 bytes, such as a hash. kAnyCount: a list of a stored file, which has no limit of its own.
//
// protozero reports malformed input by throwing; decode() catches that.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/result.h"
#include "base/shared_texts.h"
#include "link/limits.h"
#include "link/messages.h"

namespace talaria::link {

template <class Message>
struct Fields;

#define TALARIA_DECLARE_FIELDS(Type, name)          \
  template <>                                       \
  struct Fields<Type> {                             \
    static constexpr std::string_view kName = name; \
    static void visit(auto& message, auto& field);  \
  }

#define TALARIA_DEFINE_FIELDS(Type) \
  void Fields<Type>::visit([[maybe_unused]] auto& message, [[maybe_unused]] auto& field)

#define TALARIA_NAMED_FIELDS(Type, name) \
  TALARIA_DECLARE_FIELDS(Type, name);    \
  TALARIA_DEFINE_FIELDS(Type)

#define TALARIA_FIELDS(Type) TALARIA_NAMED_FIELDS(Type, #Type)

#define TALARIA_MESSAGE(Type)                     \
  TALARIA_DECLARE_FIELDS(Type, #Type);            \
  template std::string encode(const Type&);       \
  template Result<Type> decode(std::string_view); \
  TALARIA_DEFINE_FIELDS(Type)

inline constexpr struct FixedWidth {
} kFixedWidth;

// For a list in a file of our own: the file has a limit, its lists have none.
inline constexpr struct AnyCount {
} kAnyCount;

template <class T, class... Bound>
constexpr protozero::pbf_wire_type wire_type() {
  if ((std::same_as<Bound, FixedWidth> || ...)) return protozero::pbf_wire_type::fixed64;
  if (std::integral<T> || std::is_enum_v<T>) return protozero::pbf_wire_type::varint;
  return protozero::pbf_wire_type::length_delimited;
}

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : text_(out), out_(out) {}

  template <class T>
  void operator()(std::uint32_t tag, std::string_view, const T& value, auto... bound) {
    if (value != T{}) write(tag, value, bound...);
  }

  template <class T>
  void operator()(std::uint32_t tag, std::string_view, const std::optional<T>& value,
                  auto... bound) {
    if (value) write(tag, *value, bound...);
  }

  template <class T>
  void operator()(std::uint32_t tag, std::string_view, const std::vector<T>& values,
                  auto... bound) {
    if constexpr (std::same_as<T, std::string>) make_room(values);
    for (const T& value : values) write(tag, value, bound...);
  }

  void operator()(std::uint32_t tag, std::string_view name, const SharedTexts& texts,
                  auto... bound) {
    (*this)(tag, name, texts.get(), bound...);
  }

 private:
  void make_room(const std::vector<std::string>& texts) {
    constexpr std::size_t kAround = 4;  // a tag and a length
    std::size_t size = text_.size();
    for (const std::string& text : texts) size += text.size() + kAround;
    text_.reserve(size);
  }

  template <class T>
  void write(std::uint32_t tag, const T& value, FixedWidth) {
    out_.add_fixed64(tag, value);
  }

  template <class T>
  void write(std::uint32_t tag, const T& value, auto...) {
    if constexpr (std::same_as<T, bool>) {
      out_.add_bool(tag, value);
    } else if constexpr (std::signed_integral<T>) {
      out_.add_int64(tag, value);
    } else if constexpr (std::integral<T>) {
      out_.add_uint64(tag, value);
    } else if constexpr (std::is_enum_v<T>) {
      out_.add_uint64(tag, std::to_underlying(value));
    } else if constexpr (std::same_as<T, std::string>) {
      out_.add_bytes(tag, value);
    } else {
      out_.add_message(tag, encode(value));
    }
  }

  std::string& text_;
  protozero::pbf_writer out_;
};

template <class T>
std::optional<Error> read_fields(protozero::pbf_reader in, T& value);

// Reads the one field a pbf_reader stands at into the member with the same tag.
class FieldReader {
 public:
  FieldReader(protozero::pbf_reader& in, std::string_view message) : in_(in), message_(message) {}

  // Whether one of the members had the tag.
  bool taken() const { return taken_; }
  const std::optional<Error>& error() const { return error_; }

  template <class T>
  void operator()(std::uint32_t tag, std::string_view name, T& value, auto... bound) {
    if (matches(tag, wire_type<T, decltype(bound)...>())) read(name, value, bound...);
  }

  template <class T>
  void operator()(std::uint32_t tag, std::string_view name, std::optional<T>& value,
                  auto... bound) {
    if (matches(tag, wire_type<T, decltype(bound)...>())) read(name, value.emplace(), bound...);
  }

  void operator()(std::uint32_t tag, std::string_view name, SharedTexts& texts, auto... bound) {
    if (!taken_ && in_.tag() == tag) (*this)(tag, name, texts.own(), bound...);
  }

  template <class T>
  void operator()(std::uint32_t tag, std::string_view name, std::vector<T>& values, auto... bound) {
    if (!matches(tag, wire_type<T, decltype(bound)...>())) return;
    T value{};
    read(name, value, bound...);
    constexpr bool any_count = std::integral<T> || (std::same_as<decltype(bound), AnyCount> || ...);
    if (any_count || values.size() < kMaxEntries) {
      values.push_back(std::move(value));
    } else {
      refuse(name, "more than " + std::to_string(kMaxEntries) + " entries");
    }
  }

 private:
  bool matches(std::uint32_t tag, protozero::pbf_wire_type type) {
    if (taken_ || in_.tag() != tag || in_.wire_type() != type) return false;
    taken_ = true;
    return true;
  }

  template <class T>
  void read(std::string_view, T& value, FixedWidth) {
    value = in_.get_fixed64();
  }

  template <class T>
  void read(std::string_view name, T& value, auto... bound) {
    if constexpr (std::same_as<T, bool>) {
      value = in_.get_uint64() != 0;  // get_bool() reads past the end of a message cut here
    } else if constexpr (std::signed_integral<T>) {
      value = static_cast<T>(in_.get_int64());
    } else if constexpr (std::integral<T>) {
      value = static_cast<T>(in_.get_uint64());
    } else if constexpr (std::is_enum_v<T> || std::same_as<T, std::string>) {
      read_bounded(name, value, bound...);
    } else if (std::optional<Error> error = read_fields(in_.get_message(), value)) {
      error_ = error;
    }
  }

  template <class T>
  void read_bounded(std::string_view name, T& value, T highest) {
    const std::uint64_t number = in_.get_uint64();
    if (number > std::to_underlying(highest)) {
      return refuse(name, std::to_string(number) + " is not a value this version knows");
    }
    value = static_cast<T>(number);
  }

  void read_bounded(std::string_view name, std::string& value, std::size_t most) {
    const protozero::data_view view = in_.get_view();
    if (view.size() > most) {
      return refuse(name, std::to_string(view.size()) + " bytes; at most " + std::to_string(most));
    }
    value.assign(view.data(), view.size());
  }

  void refuse(std::string_view name, const std::string& why) {
    error_ =
        Error(ErrorKind::bad_request, std::string(message_) + "." + std::string(name) + ": " + why);
  }

  protozero::pbf_reader& in_;
  std::string_view message_;
  bool taken_ = false;
  std::optional<Error> error_;
};

template <class T>
std::optional<Error> read_fields(protozero::pbf_reader in, T& value) {
  while (in.next()) {
    FieldReader field(in, Fields<T>::kName);
    Fields<T>::visit(value, field);
    if (field.error()) return field.error();
    if (field.taken()) continue;
    if (in.tag() >= kFirstObligatoryField) {
      return Error(ErrorKind::bad_request, std::string(Fields<T>::kName) + ": field " +
                                               std::to_string(in.tag()) +
                                               " is required but unknown to this version");
    }
    in.skip();
  }
  return std::nullopt;
}

template <class Message>
std::string encode(const Message& message) {
  std::string out;
  FieldWriter writer(out);
  Fields<Message>::visit(message, writer);
  return out;
}

template <class Message>
Result<Message> decode(std::string_view bytes) {
  try {
    Message message;
    const protozero::pbf_reader in(bytes.data(), bytes.size());
    if (std::optional<Error> error = read_fields(in, message)) return fail(*std::move(error));
    return message;
  } catch (const protozero::exception& malformed) {
    return fail(ErrorKind::bad_request,
                std::string(Fields<Message>::kName) + ": " + malformed.what());
  }
}

}  // namespace talaria::link
