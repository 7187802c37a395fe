#include "policy/guard/rules/arguments.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "policy/guard/run/links.h"

namespace talaria::guard {
namespace {

// Options that take a value and may stand before a sub-command.
struct Values {
  std::string_view programs;
  std::string_view options;
};
constexpr Values kValues[] = {
    {"git", "-C -c --git-dir --work-tree --namespace --exec-path"},
    {"docker podman", "-H --host -c --context --config -l --log-level"},
    {"nerdctl", "-H --host -n --namespace -a --address --snapshotter"},
    {"docker-compose", "-f --file -p --project-name --project-directory --env-file --profile"},
    {"kubectl oc",
     "-n --namespace --context --kubeconfig --cluster --user -s --server -l --selector -c "
     "--container"},
    {"helmfile", "-f --file -e --environment -n --namespace -l --selector --kube-context"},
    {"argocd flux velero nomad openstack lxc incus", "-n --namespace --context --project --server"},
    {"migrate", "-path -database -source"},
    {"wp drush", "--path --root"},
    {"helm", "-n --namespace --kube-context --kubeconfig"},
    {"systemctl",
     "-H --host -M --machine -t --type -p --property -s --signal -n -o --output --root"},
    {"aws", "--profile --region --output --endpoint-url --query --exclude --include --acl"},
    {"gcloud gsutil bq", "--project --account --configuration --format -o -h"},
    {"az", "--subscription --output -o --query"},
    {"gh glab", "-R --repo"},
    {"npm yarn pnpm", "-C --prefix --cwd -w --workspace --dir --filter"},
    {"cargo", "--manifest-path --color --config -Z -C"},
    {"apt apt-get", "-o -c -t"},
    {"redis-cli", "-h -p -a -n -u -s --user --pass"},
    {"install", "-m -o -g -S --mode --owner --group"},
    {"cp mv ln", "-S --suffix"},
    {"chmod chown", "--reference --from"},
    {"sed gsed", "-e -f --expression --file -l"},
    {"tar", "--exclude -X"},
    {"truncate", "-s --size -r"},
    {"uniq", "-f -s -w"},
    {"split", "-b -l -n -C -a"},
    {"patch", "-i -p -d -o -r -B -D -F -V -Y -z --input --strip --directory --output"},
    {"fallocate", "-l -o --length --offset"},
    {"xxd", "-l -s -c -g -o -len -seek -cols"},
    {"touch", "-r -t -d --reference --date"},
    {"ssh", "-i -p -l -F -o -J -c -b -e -I -m -O -Q -S -w -E -B -P"},
    {"scp sftp", "-i -P -F -o -J -c -l -S -D -B -b"},
    {"rsync",
     "-e --rsh --exclude --include --exclude-from --include-from --files-from "
     "--password-file --log-file --bwlimit -f --filter --rsync-path --chmod --chown"},
    {"rclone",
     "--config --exclude --include --filter --transfers --checkers --bwlimit --log-file "
     "--filter-from --max-age --min-age --log-level"},
    {"restic rustic borg kopia duplicity",
     "-r --repo --repository-file -p --password-file "
     "--config-file --cache-dir --keep-last"},
    {"pkill killall", "-s --signal -u --user -U -G -g -t -P --parent"},
    {"hermes", "-p --profile"},
    {"nmap masscan",
     "-p --script --script-args --exclude --top-ports --min-rate --max-rate --rate -oN -oX -oG -oA "
     "-e -S -D"},
    {"fab", "-H --hosts -i -f --fabfile -R --roles -u --user -c --collection -r --search-root"},
};

std::string_view value_options(std::string_view program) {
  static const NameIndex<Values> index(kValues, &Values::programs);
  const auto found = index.find(program);
  return found.empty() ? "" : found.front()->options;
}

bool is_cluster(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] != '-' &&
         std::ranges::all_of(word.substr(1), [](unsigned char c) { return std::isalnum(c) != 0; });
}

// "--har" for "--hard": most programs take what is left of a long name when it is clear enough.
bool is_shortened(std::string_view word, std::string_view option) {
  constexpr std::size_t kLeast = 3;
  const std::size_t name = std::min(word.find('='), word.size());
  const std::size_t end = std::min(option.find('='), option.size());
  if (name < kLeast || !option.substr(0, end).starts_with(word.substr(0, name))) return false;
  return end == option.size() || word.substr(name) == option.substr(end);  // --prune=now
}

bool is_option(std::string_view word, std::string_view option) {
  if (option.ends_with('*')) {
    option.remove_suffix(1);
    return word.starts_with(option) || (option.starts_with("--") && is_shortened(word, option));
  }
  if (option.starts_with("--")) return is_shortened(word, option);
  if (option.size() == 2) return word == option || (is_cluster(word) && word.contains(option[1]));
  return word == option;
}

}  // namespace

Arguments::Arguments(const SeenCommand& seen, const PathKinds& kinds)
    : command(seen), paths(kinds) {
  std::string_view values = value_options(seen.program);
  bool options = true;
  for (std::size_t i = 1; i < seen.words.size(); ++i) {
    const std::string_view word = seen.word(i);
    if (options && word == "--") {
      options = false;
    } else if (options && word.size() > 1 && word.front() == '-') {
      if (among(word, values)) ++i;
    } else {
      operands_.push_back(&seen.words[i]);
      if (word == "compose" && operands_.size() == 1) values = value_options("docker-compose");
    }
  }
}

bool Arguments::has(std::string_view options) const {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const std::string_view word = command.word(i);
    if (word == "--") return false;
    if (!word.starts_with('-')) continue;
    for (std::string_view rest = options; !rest.empty();) {
      if (is_option(word, next_word(rest, '|'))) return true;
    }
  }
  return false;
}

bool Arguments::has_each(std::string_view options) const {
  while (!options.empty()) {
    if (!has(next_word(options))) return false;
  }
  return true;
}

bool Arguments::begins(std::string_view verbs) const {
  for (std::size_t i = 0; !verbs.empty(); ++i) {
    const std::string_view group = next_word(verbs);
    if (i >= operands_.size() || !among(operands_[i]->text, group, '|')) return false;
  }
  return true;
}

std::string_view Arguments::verb(std::size_t at) const {
  return at < operands_.size() ? std::string_view(operands_[at]->text) : std::string_view();
}

bool Arguments::any_operand(const std::function<bool(const SeenWord&)>& test) const {
  return std::ranges::any_of(operands_, [&](const SeenWord* word) { return test(*word); });
}

SeenWord Arguments::resolved(const SeenWord& word) const {
  const bool whole = word.text.starts_with('~') ||
                     (word.text.starts_with('/') && !word.text.starts_with("/proc/"));
  if (whole || word.text.empty()) return word;  // an empty word names no file
  uses_start_ = uses_start_ || command.from_start;
  if (command.directory.empty()) return word;
  SeenWord path = word;
  path.text = path_in(command.directory, word.text);
  return path;
}

bool Arguments::any_operand(Test test) const {
  return any_operand([&](const SeenWord& word) { return (paths.*test)(resolved(word).text); });
}

bool Arguments::last_operand(Test test) const {
  return !operands_.empty() && (paths.*test)(resolved(*operands_.back()).text);
}

bool Arguments::writes_to(Test test) const {
  return std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
    return redirect.writes() && (paths.*test)(resolved(redirect.target).text);
  });
}

bool Arguments::any_word(const std::function<bool(std::string_view)>& test) const {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (test(command.word(i))) return true;
  }
  return false;
}

bool Arguments::writes_to(const std::function<bool(std::string_view path)>& test) const {
  return std::ranges::any_of(command.redirects, [&](const SeenRedirect& redirect) {
    return redirect.writes() && test(resolved(redirect.target).text);
  });
}

bool is_in_container(const SeenCommand& command) {
  return command.elsewhere && !among("ssh", command.run_by);
}

bool formats_temporary_file(const Arguments& arguments) {
  const auto& words = arguments.operands();
  if (words.empty() || arguments.command.elsewhere) return false;
  const auto device = [&](const SeenWord* word) {
    return arguments.resolved(*word).text.starts_with("/dev/") || !word->known();
  };
  const SeenWord& last = *words.back();
  return std::ranges::none_of(words, device) && !last.pattern &&
         (arguments.paths.is_temporary(arguments.resolved(last).text) ||
          arguments.paths.is_disposable(last.text));
}

}  // namespace talaria::guard
