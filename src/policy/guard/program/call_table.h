// Which calls of a program do something outside of it: start a program, remove, write, change
// modes, send, or evaluate text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/program/program_language.h"

namespace talaria::guard {

enum class ProgramAct : std::uint8_t {
  start,         // a program, or the text of a shell
  start_remote,  // the same on another machine
  remove,        // files
  remove_all,    // directories with what is in them
  remove_empty,  // a directory that has nothing in it
  move,
  copy,
  link,
  truncate,
  write,
  make,   // a directory: what the program may remove again
  enter,  // a directory: relative paths are below it from now on
  read,
  list,  // what is in a directory
  change_mode,
  change_owner,
  kill,          // processes by their number
  kill_found,    // processes that the program has looked for
  send,          // to a server, with what is sent
  fetch,         // from a server, whose address may have what is sent
  connect,       // to a server
  download,      // into a file
  unpack,        // an archive into a directory
  run_file,      // a file of the language, perhaps of a server
  upload,        // a file
  fork_bomb,     // it starts itself again and again
  query,         // SQL for a database
  database,      // a connection to one
  documents,     // a change of a document database
  evaluate,      // text of the same language
  load,          // code by a name that is made when it runs
  hide,          // which function is called is known only when it runs
  as_command,    // what the command of the row does
  set_variable,  // of the environment
  use,           // a call that is not known gets what may be a path
  unpickle,      // data that holds code
  native,        // code that is not of the language
  unreadable,    // the program cannot be read
};

// Where the call has what.
enum class CallShape : std::uint8_t {
  first,  // the first argument
  second,
  all,           // every argument
  receiver,      // what stands before the dot
  text,          // shell text
  list_or_text,  // a list of words, or shell text
  words,         // the words, or shell text if there is one
  argv,          // the words
  program_list,  // a program, then a list of its words
  execl,         // a path, then the words with the name in front
  execv,         // a path, then a list of the words with the name in front
  spawnl,        // a mode, then as above
  spawnv,
  opens,      // a path and a mode
  perl_open,  // of Perl: a handle, a mode, a path; or a command
};

struct KnownCall {
  // Between blanks, as is_called() takes them.
  std::string_view names;
  ProgramAct act;
  CallShape shape = CallShape::first;
  std::string_view module = {};   // only in programs that import it, or one of these
  std::string_view command = {};  // that does the same, of `as_command`
};

// The rows that a call may be, by the last word of its dotted name. The first that fits counts.
const std::vector<const KnownCall*>& known_calls(ProgramLanguage language, std::string_view last);

// delete, destroy_all, terminateInstance of the client of a service: what others use ends.
bool ends_something(std::string_view name);
// Modules that are such clients, between blanks.
std::string_view service_clients(ProgramLanguage language);
inline constexpr std::string_view kServiceChange = "aws service delete";

}  // namespace talaria::guard
