// How a struct becomes a protobuf message and back, from one list of its fields. Only the .cc files
// of this folder include this.
//
// For a struct M, specialise Fields<M>:
//   static constexpr std::string_view kName = "M";
//   static void visit(auto& message, auto& field) { field(1, "id", message.id, kMaxId); ... }
// The last argument is a bound: bytes of a string, elements of a list (strings in a list: both),
// the highest known value of an enumeration; numbers have none. As in proto3, a default is not
// written, an unknown field or one of another wire type is skipped, and of a repeated scalar the
// last wins.
//
// protozero reports malformed input by throwing; decode_fields() is where that ends.
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
#include "link/limits.h"

namespace talaria::link {

template <class Message>
struct Fields;

template <class T>
concept HasFields = requires { Fields<T>::kName; };

template <class T>
concept Enumeration = std::is_enum_v<T>;

class FieldWriter {
 public:
  explicit FieldWriter(std::string& out) : out_(out) {}

  template <std::integral T>
  void operator()(std::uint32_t tag, std::string_view, const T& value) {
    if (value == T{}) return;
    if constexpr (std::same_as<T, bool>) {
      out_.add_bool(tag, value);
    } else if constexpr (std::signed_integral<T>) {
      out_.add_int64(tag, value);
    } else {
      out_.add_uint64(tag, value);
    }
  }

  template <Enumeration T>
  void operator()(std::uint32_t tag, std::string_view, const T& value, T) {
    if (value != T{}) out_.add_uint64(tag, std::to_underlying(value));
  }

  void operator()(std::uint32_t tag, std::string_view, const std::string& value, std::size_t) {
    if (!value.empty()) out_.add_bytes(tag, value);
  }

  void operator()(std::uint32_t tag, std::string_view, const std::optional<std::string>& value,
                  std::size_t) {
    if (value) out_.add_bytes(tag, *value);
  }

  void operator()(std::uint32_t tag, std::string_view, const std::optional<std::uint32_t>& value) {
    if (value) out_.add_uint64(tag, *value);
  }

  void operator()(std::uint32_t tag, std::string_view, const std::vector<std::string>& values,
                  std::size_t) {
    for (const std::string& value : values) out_.add_bytes(tag, value);
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view, const T& value) {
    if (value != T{}) add_message(tag, value);
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view, const std::optional<T>& value) {
    if (value) add_message(tag, *value);
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view, const std::vector<T>& values) {
    for (const T& value : values) add_message(tag, value);
  }

 private:
  template <class T>
  void add_message(std::uint32_t tag, const T& value) {
    std::string bytes;
    FieldWriter writer(bytes);
    Fields<T>::visit(value, writer);
    out_.add_message(tag, bytes);
  }

  protozero::pbf_writer out_;
};

// Reads the one field a pbf_reader stands at into the member with the same tag.
class FieldReader {
 public:
  FieldReader(protozero::pbf_reader& in, std::string_view message) : in_(in), message_(message) {}

  // To be asked once every member has been offered the field.
  bool taken() const { return taken_; }
  const std::optional<Error>& error() const { return error_; }

  template <std::integral T>
  void operator()(std::uint32_t tag, std::string_view, T& value) {
    if (!matches(tag, protozero::pbf_wire_type::varint)) return;
    if constexpr (std::same_as<T, bool>) {
      value = in_.get_uint64() != 0;  // get_bool() reads past the end of a message cut here
    } else if constexpr (std::signed_integral<T>) {
      value = static_cast<T>(in_.get_int64());
    } else {
      value = static_cast<T>(in_.get_uint64());
    }
  }

  template <Enumeration T>
  void operator()(std::uint32_t tag, std::string_view name, T& value, T highest) {
    if (!matches(tag, protozero::pbf_wire_type::varint)) return;
    const std::uint64_t number = in_.get_uint64();
    if (number > std::to_underlying(highest)) {
      refuse(name, std::to_string(number) + " is not a value this version knows");
      return;
    }
    value = static_cast<T>(number);
  }

  void operator()(std::uint32_t tag, std::string_view name, std::string& value, std::size_t most) {
    if (matches(tag, protozero::pbf_wire_type::length_delimited)) value = get_string(name, most);
  }

  void operator()(std::uint32_t tag, std::string_view name, std::optional<std::string>& value,
                  std::size_t most) {
    if (matches(tag, protozero::pbf_wire_type::length_delimited)) value = get_string(name, most);
  }

  void operator()(std::uint32_t tag, std::string_view, std::optional<std::uint32_t>& value) {
    if (!matches(tag, protozero::pbf_wire_type::varint)) return;
    value = static_cast<std::uint32_t>(in_.get_uint64());
  }

  void operator()(std::uint32_t tag, std::string_view name, std::vector<std::string>& values,
                  std::size_t most) {
    if (!matches(tag, protozero::pbf_wire_type::length_delimited)) return;
    std::string value = get_string(name, most);
    if (has_room(name, values.size())) values.push_back(std::move(value));
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view, T& value) {
    if (matches(tag, protozero::pbf_wire_type::length_delimited)) read_message(value);
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view, std::optional<T>& value) {
    if (!matches(tag, protozero::pbf_wire_type::length_delimited)) return;
    read_message(value.emplace());
  }

  template <HasFields T>
  void operator()(std::uint32_t tag, std::string_view name, std::vector<T>& values) {
    if (!matches(tag, protozero::pbf_wire_type::length_delimited)) return;
    T value;
    read_message(value);
    if (has_room(name, values.size())) values.push_back(std::move(value));
  }

 private:
  bool matches(std::uint32_t tag, protozero::pbf_wire_type type) {
    if (taken_ || in_.tag() != tag || in_.wire_type() != type) return false;
    taken_ = true;
    return true;
  }

  std::string get_string(std::string_view name, std::size_t most) {
    const protozero::data_view view = in_.get_view();
    if (view.size() > most) {
      refuse(name, std::to_string(view.size()) + " bytes; at most " + std::to_string(most));
      return {};
    }
    return std::string(view.data(), view.size());
  }

  bool has_room(std::string_view name, std::size_t size) {
    if (size < kMaxEntries) return true;
    refuse(name, "more than " + std::to_string(kMaxEntries) + " entries");
    return false;
  }

  template <class T>
  void read_message(T& value);

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
                                               " is needed and not known to this version");
    }
    in.skip();
  }
  return std::nullopt;
}

template <class T>
void FieldReader::read_message(T& value) {
  if (std::optional<Error> error = read_fields(in_.get_message(), value)) error_ = error;
}

template <HasFields Message>
std::string encode_fields(const Message& message) {
  std::string out;
  FieldWriter writer(out);
  Fields<Message>::visit(message, writer);
  return out;
}

template <HasFields Message>
Result<Message> decode_fields(std::string_view bytes) {
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
