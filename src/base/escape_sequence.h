// The bytes of escape sequences for terminals (ECMA-48): how one begins, and where it ends.
#pragma once

#include <string_view>

namespace talaria::escape {

inline constexpr char kEscape = '\x1b';
inline constexpr char kBell = '\x07';  // ends a title, beside ESC \ .
// Both end a sequence that is under way.
inline constexpr char kCancel = '\x18';
inline constexpr char kSubstitute = '\x1a';

// Behind ESC: '[' opens a control sequence, one of these a string. Any other begins a short
// sequence.
inline constexpr std::string_view kStringOpeners = "]PX^_";

constexpr bool is_between(char c, char first, char last) { return c >= first && c <= last; }
// Of a control sequence, before its intermediates.
constexpr bool is_parameter(char c) { return is_between(c, '0', '?'); }
constexpr bool is_intermediate(char c) { return is_between(c, ' ', '/'); }
// Where a control sequence ends, and where a short one does.
constexpr bool is_control_end(char c) { return is_between(c, '@', '~'); }
constexpr bool is_short_end(char c) { return is_between(c, '0', '~'); }

}  // namespace talaria::escape
