#include "modal/command_line.h"

#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace talaria::modal {
namespace {

constexpr std::string_view kVerbs = "create, find, look, exec, snapshot, terminate or version";

// The options of one verb: each with a value, in any order, until `--` or the end. The first error
// is remembered.
class Options {
 public:
  explicit Options(const std::vector<std::string>& arguments) {
    const bool takes_command = arguments[0] == "exec";
    for (std::size_t at = 1; at < arguments.size() && !error_; at += 2) {
      const std::string& name = arguments[at];
      if (takes_command && name == "--") {
        command_.assign(arguments.begin() + static_cast<std::ptrdiff_t>(at) + 1, arguments.end());
        return;
      }
      if (!name.starts_with("--") || name.size() < 3) {
        refuse("'" + name + "' is not an option of " + arguments[0]);
      } else if (at + 1 == arguments.size()) {
        refuse(name + ": a value is missing");
      } else if (!values_.emplace(name, arguments[at + 1]).second) {
        refuse(name + " is given twice");
      }
    }
  }

  // Each is taken once; one that is left is not an option of the verb.
  std::string required(const std::string& name) {
    const auto found = values_.extract(name);
    if (!found.empty() && !found.mapped().empty()) return found.mapped();
    refuse(name + " is required");
    return {};
  }

  std::chrono::seconds seconds(const std::string& name, std::chrono::seconds usual) {
    const auto found = values_.extract(name);
    if (found.empty()) return usual;
    const std::string& text = found.mapped();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
      refuse(name + ": a whole number of seconds is expected, not '" + text + "'");
    }
    return std::chrono::seconds(value);
  }

  std::vector<std::string> command() {
    if (command_.empty()) refuse("exec: the command is missing (after --)");
    return command_;
  }

  Result<Verb> finish(Verb verb) {
    if (!values_.empty()) refuse("there is no option " + values_.begin()->first);
    if (error_) return fail(*error_);
    return verb;
  }

  void refuse(std::string message) {
    if (!error_) error_.emplace(ErrorKind::bad_request, std::move(message));
  }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> command_;
  std::optional<Error> error_;
};

}  // namespace

Result<Verb> parse_verb(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return fail(ErrorKind::bad_request, "a verb is missing: " + std::string(kVerbs));
  }
  const std::string& verb = arguments[0];
  Options options(arguments);
  if (verb == "create") return options.finish(CreateVerb());
  if (verb == "version" || verb == "--version") return options.finish(VersionVerb());
  if (verb == "find") {
    return options.finish(
        FindVerb{.app = options.required("--app"), .name = options.required("--name")});
  }
  if (verb == "look") return options.finish(LookVerb{options.required("--sandbox")});
  if (verb == "exec") {
    return options.finish(
        ExecVerb{.sandbox = options.required("--sandbox"), .command = options.command()});
  }
  if (verb == "snapshot") {
    const SnapshotVerb usual;
    return options.finish(SnapshotVerb{.sandbox = options.required("--sandbox"),
                                       .ttl = options.seconds("--ttl-s", usual.ttl),
                                       .limit = options.seconds("--limit-s", usual.limit)});
  }
  if (verb == "terminate") {
    return options.finish(
        TerminateVerb{.sandbox = options.required("--sandbox"),
                      .limit = options.seconds("--limit-s", TerminateVerb().limit)});
  }
  return fail(ErrorKind::bad_request, "'" + verb + "' is not a verb: " + std::string(kVerbs));
}

}  // namespace talaria::modal
