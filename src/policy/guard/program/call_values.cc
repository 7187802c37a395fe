// Calls whose value is visible: paths that are joined, the home directory, temporary files, lists.
#include <algorithm>

#include "base/text.h"
#include "policy/guard/path_text.h"
#include "policy/guard/program/expression_reader.h"
#include "policy/guard/word_list.h"

namespace talaria::guard {
namespace {

using L = ProgramLanguage;

constexpr std::string_view kJoins =
    "os.path.join posixpath.join path.join path.resolve File.join filepath.Join file.path "
    "Path.of Paths.get Path.new PathBuf.from";
constexpr std::string_view kPathObjects =
    "=Path pathlib.Path pathlib.PurePath pathlib.PosixPath Pathname Pathname.new";
// They give back what they are given, or nearly.
constexpr std::string_view kSame =
    "os.path.expanduser os.path.abspath os.path.realpath os.path.normpath os.fspath =str =String "
    "shlex.quote pipes.quote escapeshellarg path.normalize path.expand normalizePath "
    "File.expand_path File.absolute_path File.realpath Shellwords.escape =list =tuple =sorted "
    "=reversed =set Array.from String.from String.raw =bytes";
constexpr std::string_view kHomes =
    "Path.home os.homedir =homedir Dir.home os.UserHomeDir home_dir dirs.home_dir";
constexpr std::string_view kHere =
    "os.getcwd Path.cwd process.cwd Dir.pwd =getcwd =pwd =cwd os.Getwd Deno.cwd";
constexpr std::string_view kParents =
    "os.path.dirname posixpath.dirname path.dirname File.dirname filepath.Dir =dirname";
constexpr std::string_view kTemporaryPlaces =
    "tempfile.gettempdir os.tmpdir Dir.tmpdir "
    "sys_get_temp_dir os.TempDir";
constexpr std::string_view kTemporary =
    "mkdtemp mkstemp NamedTemporaryFile TemporaryDirectory TemporaryFile SpooledTemporaryFile "
    "mkdtempSync mktmpdir Tempfile.new Tempfile.create Tempfile.open tempfile.mktemp =tempfile "
    "=tempdir =tempnam =tmpfile tempnam tmpnam os.tmpname os.MkdirTemp os.CreateTemp "
    "ioutil.TempDir "
    "ioutil.TempFile TempDir.new tempdir makeTempDir makeTempDirSync makeTempFile makeTempFileSync "
    "=mktempdir =mktemp";
constexpr std::string_view kVariables =
    "os.getenv environ.get =getenv os.Getenv Sys.getenv env.var System.getenv ENV.fetch "
    "Deno.env.get "
    "env.get";

ProgramValue own_path() { return {.text = std::string(1, kUnknownPiece), .own = true}; }

// Adds one more piece of a path.
void join_to(ProgramValue& whole, const ProgramValue& piece, bool first) {
  if (first || piece.text.starts_with('/') || piece.text.starts_with("~/")) {
    whole = piece;
  } else {
    if (!whole.text.ends_with('/')) whole.text += '/';
    whole.text += piece.list ? std::string(1, kUnknownPiece) : piece.text;
    whole.pattern = whole.pattern || piece.pattern;
  }
  whole.list = false;
}

ProgramValue join_all(const std::vector<ProgramValue>& all) {
  return of_each(all, [](const std::vector<ProgramValue>& pieces) {
    ProgramValue whole{.text = "."};
    for (std::size_t i = 0; i < pieces.size(); ++i) join_to(whole, pieces[i], i == 0);
    whole.path = true;
    return whole;
  });
}

// The directory above. What is not known of a path may be more than one piece of it.
ProgramValue parent_of(const ProgramValue& value) {
  return of_each({value}, [](const std::vector<ProgramValue>& one) {
    ProgramValue parent{.text = normalized_path(one[0].text), .path = true};
    std::string& text = parent.text;
    const std::size_t slash = text.find_last_of('/');
    if (one[0].list || one[0].wholly_unknown()) return ProgramValue::unknown();
    if (among(text, ". .. ~") || text.ends_with("/..")) {
      text = text == "." ? ".." : text + "/..";
    } else if (slash == std::string::npos) {
      text = text.contains(kUnknownPiece) ? std::string(1, kUnknownPiece) : ".";
    } else {
      text.resize(std::max<std::size_t>(slash, 1));
    }
    return parent;
  });
}

// $HOME at the front.
ProgramValue with_home(ProgramValue value) {
  for (const std::string_view name : {"$HOME", "${HOME}"}) {
    if (value.text.starts_with(name)) value.text.replace(0, name.size(), "~");
  }
  return value;
}

// enumerate(x), zip(x, y)
ProgramValue paired(const std::vector<ProgramValue>& values) {
  std::size_t size = 1;
  for (const ProgramValue& one : values) size = std::max(size, one.items.size());
  ProgramValue pairs = list_of({});
  for (std::size_t i = 0; i < size; ++i) {
    ProgramValue pair = list_of({});
    for (const ProgramValue& one : values) {
      const bool beyond = one.list && i >= one.items.size();
      pair.items.push_back(beyond ? ProgramValue::unknown() : one.list ? one.items[i] : one);
    }
    pairs.items.push_back(std::move(pair));
  }
  return pairs;
}

// d.items(), d.values()
ProgramValue fields_of(const ProgramValue& object, bool pairs) {
  ProgramValue all = list_of({});
  for (const auto& [name, value] : object.fields) {
    all.items.push_back(pairs ? list_of({{.text = name}, value}) : value);
  }
  return all;
}

// What is put in at a place of a format.
std::string put_in(const std::vector<ProgramValue>& values, std::size_t at) {
  if (at >= values.size() || values[at].list) return std::string(1, kUnknownPiece);
  return values[at].text;
}

// "a {} b".format("x"); a name or a number in the braces is not followed.
std::string filled_braces(std::string_view text, const std::vector<ProgramValue>& values) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{') {
      const bool plain = i + 1 < text.size() && text[i + 1] == '}';
      out += plain ? put_in(values, next++) : std::string(1, kUnknownPiece);
      i = std::min(text.find('}', i), text.size());
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

std::string filled_format(std::string_view text, const std::vector<ProgramValue>& values) {
  std::string out;
  std::size_t next = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
    } else {
      const bool plain = i + 1 < text.size() && text[i + 1] == 's';
      out += plain ? put_in(values, next) : std::string(1, kUnknownPiece);
      ++next;
      while (i + 1 < text.size() && !std::string_view("sdifuxXgeqcrv%").contains(text[i + 1])) ++i;
      ++i;
    }
  }
  return out;
}

ProgramValue ExpressionReader::call_value(const ProgramCallee& callee,
                                          const ProgramArguments& arguments) const {
  const std::vector<std::string>& names = callee.names;
  const std::vector<ProgramValue>& values = arguments.values;
  if (is_called(names, kTemporary)) return own_path();
  if (is_called(names, kJoins)) return join_all(values);
  if (is_called(names, kPathObjects)) return join_all(values);
  if (is_called(names, kHomes)) return {.text = "~", .path = true};
  if (is_called(names, kHere)) return {.text = ".", .path = true};
  if (is_called(names, kParents) && !values.empty()) return parent_of(values.front());
  if (is_called(names, kTemporaryPlaces)) return {.text = "/tmp"};
  const bool bytes = is_called(names, "=bytes =bytearray") && !values.empty() && values[0].list;
  if (bytes) return ProgramValue::unknown();  // of numbers
  if (is_called(names, kSame) && !values.empty()) return values.front();
  if (is_called(names, "os.path.expandvars") && !values.empty()) return with_home(values.front());
  if (is_called(names, kVariables) && !values.empty()) {
    return context_.start.environment(values.front().text);
  }
  if (language() == L::r && is_called(names, "=c =list =paste0 =paste")) {
    if (is_called(names, "=c =list")) return {.text = "", .items = values, .list = true};
    ProgramValue whole;
    for (const ProgramValue& one : values) {
      if (!whole.text.empty() && is_called(names, "=paste")) whole.text += ' ';
      whole.text += one.list ? std::string(1, kUnknownPiece) : one.text;
    }
    return whole;
  }
  if (is_called(names, "=enumerate") && !values.empty()) {
    return paired({ProgramValue::unknown(), values.front()});
  }
  if (is_called(names, "=zip")) return paired(values);
  const bool has_fields = !values.empty() && !values.front().fields.empty();
  if (has_fields && is_called(names, "Object.entries Object.values")) {
    return fields_of(values.front(), is_called(names, "Object.entries"));
  }
  if (is_called(names, "=dict Object.assign")) {  // dict(os.environ, X="y")
    ProgramValue object = ProgramValue::unknown();
    object.fields = arguments.named;
    for (const ProgramValue& one : values) {
      object.fields.insert(object.fields.end(), one.fields.begin(), one.fields.end());
    }
    return object;
  }
  const bool walks = is_called(names, "os.walk os.fwalk");
  ProgramValue name = ProgramValue::unknown();  // of a file there, without a directory
  name.pattern = true;
  if (is_called(names, "os.listdir readdirSync Dir.children Dir.each_child")) {
    return list_of({name});
  }
  if ((walks || is_called(names, "os.scandir")) && !values.empty()) {
    ProgramValue found = join_all({values[0], walks ? name : ProgramValue::unknown()});
    found.pattern = true;
    return walks ? list_of({list_of({found, list_of({name}), list_of({name})})}) : found;
  }
  if (is_called(names, "vec List.of Arrays.asList listOf arrayOf")) {
    return {.text = "", .items = values, .list = true};
  }
  if (is_called(names, "shlex.split Shellwords.split") && !values.empty()) {
    return method_value("split", values.front(), {});
  }
  if (is_called(names, "=sprintf string.format fmt.Sprintf String.format format!") &&
      !values.empty()) {
    return of_each(values, [](const std::vector<ProgramValue>& all) {
      return ProgramValue{.text = filled_format(all[0].text, {all.begin() + 1, all.end()}),
                          .pattern = std::ranges::any_of(all, &ProgramValue::pattern)};
    });
  }
  const bool globs =
      is_called(names, "glob.glob glob.iglob =glob Dir.glob globSync glob.sync fg.sync");
  if (globs && !values.empty()) {
    ProgramValue found = values.front();
    found.pattern = true;
    return found;
  }
  if (!callee.receiver) return ProgramValue::unknown();
  const ProgramValue receiver = deeper().evaluate(*callee.receiver);
  return method_value(std::string_view(callee.name).substr(callee.name.find_last_of('.') + 1),
                      receiver, arguments);
}

ProgramValue ExpressionReader::method_value(std::string_view method, const ProgramValue& receiver,
                                            const ProgramArguments& arguments) const {
  const std::vector<ProgramValue>& values = arguments.values;
  if (among(method,
            "expanduser resolve absolute as_posix toString encode decode strip trim rstrip "
            "to_s to_string unwrap copy lower String")) {
    return receiver;
  }
  if (receiver.path && among(method, "parent dirname getParent")) return parent_of(receiver);
  if (method == "joinpath" || (receiver.path && method == "join")) {
    std::vector<ProgramValue> pieces{receiver};
    pieces.insert(pieces.end(), values.begin(), values.end());
    return join_all(pieces);
  }
  if (!receiver.fields.empty() && among(method, "items values")) {
    return fields_of(receiver, method == "items");
  }
  if (among(method, "glob rglob iterdir")) {
    const bool all = method == "iterdir" || values.empty();
    return of_each({receiver, all ? ProgramValue{.text = "*"} : values.front()},
                   [](const std::vector<ProgramValue>& two) {
                     ProgramValue found = two[0];
                     join_to(found, two[1], false);
                     found.pattern = true;
                     return found;
                   });
  }
  if (method == "join" && values.size() == 1 && values.front().list) {
    ProgramValue whole{.text = ""};
    for (const ProgramValue& item : values.front().items) {
      if (&item != &values.front().items.front()) whole.text += receiver.text;
      whole.text += item.list ? std::string(1, kUnknownPiece) : item.text;
    }
    return whole;
  }
  if (receiver.list && among(method, "read readlines split splitlines each_line")) {
    ProgramValue lines = receiver;
    lines.each = lines.each || method == "read";
    return lines;
  }
  if (receiver.list && !receiver.each && method == "slice" && values.size() == 1) {
    const std::size_t first = parse_integer<std::size_t>(values[0].text).value_or(0);
    if (first > receiver.items.size()) return ProgramValue::unknown();
    return list_of(
        {receiver.items.begin() + static_cast<std::ptrdiff_t>(first), receiver.items.end()});
  }
  if (method == "split" && values.empty() && !receiver.list) {
    ProgramValue words{.text = "", .list = true};
    std::string_view rest = receiver.text;
    while (!rest.empty()) {
      const std::string_view word = next_word(rest);
      if (!word.empty()) words.items.push_back({.text = std::string(word)});
    }
    return words;
  }
  if (method == "format" && !receiver.list) {
    return of_each(values, [&](const std::vector<ProgramValue>& all) {
      return ProgramValue{.text = filled_braces(receiver.text, all),
                          .pattern = std::ranges::any_of(all, &ProgramValue::pattern)};
    });
  }
  return {.text = std::string(1, kUnknownPiece), .own = receiver.own};
}

}  // namespace talaria::guard
