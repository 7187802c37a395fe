#include "policy/guard/run/wrapper.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace talaria::guard {
namespace {

// The words behind the wrapper that `text`, split at blanks, begins with.
std::string wrapped(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const Wrapper* const wrapper = find_wrapper(words.front());
  if (wrapper == nullptr) return "no wrapper";
  std::string found;
  for (std::size_t i = wrapped_at(*wrapper, words); i < words.size(); ++i) {
    found += (found.empty() ? "" : " ") + std::string(words[i]);
  }
  return found;
}

TEST(WrapperTest, TellsItsOwnWordsFromThoseOfTheCommand) {
  const struct {
    const char* text;
    const char* command;
  } cases[] = {
      {"nice -n 5 ls -l", "ls -l"},
      {"nice -5 ls", "ls"},
      {"timeout --signal KILL 5 ls", "ls"},
      {"timeout --sig KILL 5 ls", "ls"},
      {"timeout --signal=KILL 5 ls", "ls"},
      {"timeout -sKILL 5 ls", "ls"},
      {"env -i A=b -- C=d ls", "ls"},
      {"sudo -u root A=b ls", "ls"},
      {"sudo -l ls", ""},
      {"sudo -ualice rm", "rm"},
      {"sudo -p -l rm", "rm"},
      {"sudo --login rm", "rm"},
      {"sudo -nl rm", ""},
      {"npx --no rm", "rm"},
      {"numactl -l rm", "rm"},
      {"systemd-run -t rm", "rm"},
      {"nsenter -t 1 -r rm", "rm"},
      {"setarch -R rm", "rm"},
      {"setarch x86_64 -R rm", "rm"},
      {"chrt -r 50 rm", "rm"},
      {"chroot /x -- ls", "ls"},
      {"taskset -p 1 2", ""},
      {"uv run --with x -p 3.12 pytest -q", "pytest -q"},
      {"uv sync", ""},
      {"mise exec node@20 -- node x", "node x"},
      {"direnv exec . make", "make"},
      {"bwrap --bind / / --proc /proc ls", "ls"},
      {"ld-linux-x86-64.so.2 --library-path /l /bin/ls", "/bin/ls"},
      {"qemu-system-x86_64 -m 1", "no wrapper"},
      {"ls -l", "no wrapper"},
  };
  for (const auto& c : cases) EXPECT_EQ(wrapped(c.text), c.command) << c.text;
}

TEST(WrapperTest, EveryNameStandsOnce) {
  std::set<std::string_view> names;
  for (const Wrapper& wrapper : kWrappers) EXPECT_TRUE(names.insert(wrapper.name).second);
}

}  // namespace
}  // namespace talaria::guard
