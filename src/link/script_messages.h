// What a controller and a runner say to each other about the tool calls of a script (messages.h
// says what all requests have in common). The runner does not read calls: it passes on what the
// script's connections bring, and gives them what comes back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "link/messages.h"

namespace talaria::link {

// The bytes of a script's connections as DATA from `from`, in records (below). Answered by an empty
// body when the script has ended.
struct ScriptCalls {
  static constexpr Method kMethod = Method::script_calls;

  std::string process;
  std::uint64_t from = 0;
  bool takes = false;  // the connections themselves, if the controller can reach the socket (below)
  friend bool operator==(const ScriptCalls&, const ScriptCalls&) = default;
};

// Its note: by what a controller takes the connections itself (below).
struct ScriptSocket {
  std::string name;  // in the directory of the runner
  std::string key;
  friend bool operator==(const ScriptSocket&, const ScriptSocket&) = default;
};

// Bytes for one of its connections. Those of one answer stay together, in however many parts they
// come. Answered by an empty body, also if nobody is there to read them.
struct ScriptAnswer {
  static constexpr Method kMethod = Method::script_answer;

  std::string process;
  std::uint32_t connection = 0;
  std::uint64_t number = 0;  // of the answer, from 1: each is given once
  std::uint64_t from = 0;    // which of its bytes the first one is
  std::string data;
  bool last = false;   // nothing more belongs to it
  bool close = false;  // nothing of it is given: the connection ends, once it has what came before
  friend bool operator==(const ScriptAnswer&, const ScriptAnswer&) = default;
};

// One record: the number of the connection and how many bytes follow, each 4 bytes, little-endian;
// then the bytes.
struct ScriptRecord {
  std::uint32_t connection = 0;
  std::string_view bytes;  // none: it sends nothing more
  friend bool operator==(const ScriptRecord&, const ScriptRecord&) = default;
};

inline constexpr std::size_t kScriptRecordHeader = 8;

std::string encode_record(const ScriptRecord& record);
// The first of `stream`, which is then what follows it. Nothing: the rest of it has not come yet.
std::optional<ScriptRecord> take_record(std::string_view& stream);

// A controller that can reach the socket of a script connects to it, says the key, and gets the
// connections that the script makes from then on: for each a number, 4 bytes,
// little-endian, with the descriptor. It sends the number back when it has closed the connection.
inline constexpr std::size_t kTakenNumber = 4;
inline constexpr std::size_t kMostTaken = 64;     // connections at once; others pass the runner
inline constexpr std::size_t kMostUnread = 1024;  // answers that one connection does not read

std::string encode_taken(std::uint32_t connection);
std::uint32_t read_taken(std::string_view number);

}  // namespace talaria::link
