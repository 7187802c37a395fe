#include "modal/words.h"

#include <charconv>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

namespace talaria::modal {
namespace {

std::unexpected<Error> bad(std::string message) {
  return fail(ErrorKind::bad_request, std::move(message));
}

// The options of one verb: each with a value, in any order, until `--` or the end.
class Options {
 public:
  static Result<Options> parse(const std::vector<std::string>& words, bool takes_words) {
    Options options;
    for (std::size_t at = 1; at < words.size(); at += 2) {
      if (takes_words && words[at] == "--") {
        options.words_.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
        return options;
      }
      if (!words[at].starts_with("--") || words[at].size() < 3) {
        return bad("'" + words[at] + "' is no option of " + words[0]);
      }
      if (at + 1 == words.size()) return bad(words[at] + ": a value is missing");
      if (!options.values_.emplace(words[at], words[at + 1]).second) {
        return bad(words[at] + " is there twice");
      }
    }
    return options;
  }

  // Each is taken once; what nobody took is no option of the verb.
  Result<std::string> required(const std::string& name) {
    auto found = values_.extract(name);
    if (found.empty() || found.mapped().empty()) return bad(name + " is required");
    return std::move(found.mapped());
  }

  Result<std::chrono::seconds> seconds(const std::string& name, std::chrono::seconds usual) {
    const auto found = values_.extract(name);
    if (found.empty()) return usual;
    const std::string& text = found.mapped();
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1) {
      return bad(name + ": a whole number of seconds is expected, not '" + text + "'");
    }
    return std::chrono::seconds(value);
  }

  Result<void> none_left() const {
    if (!values_.empty()) return bad("there is no option " + values_.begin()->first);
    return {};
  }

  std::vector<std::string> take_words() { return std::move(words_); }

 private:
  std::map<std::string, std::string> values_;
  std::vector<std::string> words_;
};

// The verb, unless something is wrong with what it was made of.
template <class Made, class... Parts>
Result<Verb> verb_of(const Options& options, Made made, const Result<Parts>&... parts) {
  const Error* wrong = nullptr;
  (void)((parts ? true : (wrong = &parts.error(), false)) && ...);
  if (wrong != nullptr) return fail(*wrong);
  if (const auto rest = options.none_left(); !rest) return fail(rest.error());
  return made();
}

Result<Verb> parse_find(Options options) {
  const auto app = options.required("--app");
  const auto name = options.required("--name");
  return verb_of(options, [&] { return FindVerb{*app, *name}; }, app, name);
}

Result<Verb> parse_look(Options options) {
  const auto sandbox = options.required("--sandbox");
  return verb_of(options, [&] { return LookVerb{*sandbox}; }, sandbox);
}

Result<Verb> parse_exec(Options options) {
  const auto sandbox = options.required("--sandbox");
  std::vector<std::string> words = options.take_words();
  if (words.empty()) return bad("exec: the command is missing (behind --)");
  return verb_of(options, [&] { return ExecVerb{*sandbox, std::move(words)}; }, sandbox);
}

Result<Verb> parse_snapshot(Options options) {
  const SnapshotVerb usual;
  const auto sandbox = options.required("--sandbox");
  const auto ttl = options.seconds("--ttl-s", usual.ttl);
  const auto limit = options.seconds("--limit-s", usual.limit);
  return verb_of(
      options, [&] { return SnapshotVerb{*sandbox, *ttl, *limit}; }, sandbox, ttl, limit);
}

Result<Verb> parse_terminate(Options options) {
  const auto sandbox = options.required("--sandbox");
  const auto limit = options.seconds("--limit-s", TerminateVerb().limit);
  return verb_of(options, [&] { return TerminateVerb{*sandbox, *limit}; }, sandbox, limit);
}

template <class Alone>
Result<Verb> parse_alone(const Options& options) {
  return verb_of(options, [] { return Alone(); });
}

}  // namespace

Result<Verb> parse_verb(const std::vector<std::string>& words) {
  constexpr std::string_view kVerbs = "create, find, look, exec, snapshot, terminate or version";
  if (words.empty()) return bad("a verb is missing: " + std::string(kVerbs));
  const std::string& verb = words[0];
  Result<Options> options = Options::parse(words, verb == "exec");
  if (!options) return fail(options.error());
  if (verb == "create") return parse_alone<CreateVerb>(*options);
  if (verb == "find") return parse_find(std::move(*options));
  if (verb == "look") return parse_look(std::move(*options));
  if (verb == "exec") return parse_exec(std::move(*options));
  if (verb == "snapshot") return parse_snapshot(std::move(*options));
  if (verb == "terminate") return parse_terminate(std::move(*options));
  if (verb == "version" || verb == "--version") return parse_alone<VersionVerb>(*options);
  return bad("'" + verb + "' is no verb: " + std::string(kVerbs));
}

}  // namespace talaria::modal
