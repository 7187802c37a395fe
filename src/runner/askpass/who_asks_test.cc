// What can be seen without a sudo; tests/sudo has one.
#include "runner/askpass/who_asks.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "os/channel.h"
#include "os/file.h"
#include "runner/askpass/askpass_main.h"
#include "runner/starts.h"
#include "testing/temporary_directory.h"

namespace talaria::runner {
namespace {

TEST(WhoAsksTest, OnlyThePipesOfRootLeadToRoot) {
  const auto pipe = os::make_pipe();
  ASSERT_TRUE(pipe);
  EXPECT_EQ(leads_to_root(pipe->writer.get()), ::geteuid() == 0);
  EXPECT_FALSE(leads_to_root(pipe->reader.get()));
  EXPECT_FALSE(leads_to_root(-1));

  const auto sockets = os::make_channel();
  EXPECT_FALSE(leads_to_root(sockets->ours.get()));
  const test::TemporaryDirectory directory;
  const std::string named = directory.path("fifo");
  ASSERT_EQ(::mkfifo(named.c_str(), 0600), 0);
  EXPECT_FALSE(leads_to_root(os::open_file(named, O_RDWR)->get()));
  EXPECT_FALSE(leads_to_root(os::open_file(directory.write("file", ""), O_WRONLY)->get()));
  EXPECT_FALSE(leads_to_root(os::open_file("/dev/null", O_WRONLY)->get()));
}

TEST(WhoAsksTest, WeAreNoSudo) {
  const auto sudo = find_asking_sudo(::getpid(), ::getppid());
  ASSERT_FALSE(sudo);
  EXPECT_EQ(sudo.error().message(), "not called by sudo");
  EXPECT_FALSE(find_asking_sudo(0x3fffffff, 1));
}

TEST(WhoAsksTest, TheProgramIsKnownByItsName) {
  EXPECT_TRUE(is_askpass("/run/x/askpass"));
  EXPECT_FALSE(is_askpass("askpass"));  // who calls it so has not found it by SUDO_ASKPASS
  EXPECT_FALSE(is_askpass("/usr/bin/ssh-askpass"));
  EXPECT_FALSE(is_askpass("talaria-runner"));
}

TEST(WhoAsksTest, InTheBackgroundThereIsNoPassword) {
  link::Start start{.start_id = "p", .command = "sudo ls", .sudo_password = "secret"};
  EXPECT_TRUE(check_start(start));
  start.lifetime = link::ProcessLifetime::session;
  EXPECT_FALSE(check_start(start));
}

}  // namespace
}  // namespace talaria::runner
