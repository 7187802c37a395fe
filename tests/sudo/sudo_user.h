// Tests as a user who may use sudo. The user is there in a mount namespace of its own only, where
// the files that say so lie over those of this machine; talaria runs there as that user.
#pragma once

#include <crypt.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "support/talaria_test.h"

namespace talaria::test {

class SudoUserTest : public TalariaTest {
 protected:
  static constexpr int kUser = 54321;
  static constexpr const char* kPassword = "correct horse battery";

  void SetUp() override {
    ASSERT_EQ(::getuid(), 0u) << "these tests make a user, so they need root";
    ASSERT_TRUE(std::filesystem::exists("/usr/bin/sudo")) << "scripts/install-deps test";
    make_user(kPassword);
  }

  // `rule` is a line of sudoers.
  void make_user(const std::string& password, const std::string& rule = "pat ALL=(ALL) ALL") {
    const std::string id = std::to_string(kUser);
    const std::string hash = ::crypt(password.c_str(), "$6$talaria$");
    add_line("passwd", "pat:x:" + id + ":" + id + "::" + world_.path("user") + ":/bin/bash");
    add_line("shadow", "pat:" + hash + ":19000:0:99999:7:::");
    add_line("group", "pat:x:" + id + ":");
    std::ofstream(world_.directory("etc") + "/sudoers")
        << "Defaults timestamp_timeout=0, lecture=never, !syslog, iolog_dir=" << world_.path("io")
        << "\n"
        << "root ALL=(ALL) ALL\n"
        << rule << "\n";
    ::chmod(world_.path("etc/sudoers").c_str(), 0440);
    const std::ofstream program(world_.path("program"));
    ::chmod(world_.path("").c_str(), 0755);
    for (const char* name : {"user", "work", "home"}) {
      ASSERT_EQ(::chown(world_.directory(name).c_str(), kUser, kUser), 0);
    }
    world_.start_by({"/usr/bin/unshare", "-m", "/bin/sh", "-c", kBecomeUser, world_.path("")});
  }

  // What a command printed, with SUDO_PASSWORD set.
  std::string output(const std::string& command) {
    world_.set("SUDO_PASSWORD", kPassword);
    const Finished done = world_.exec(command);
    return done.out + done.err;
  }

  // What the test sees of a file a command wrote.
  std::string written(const std::string& name) { return world_.read("work/" + name); }

 private:
  // $0: the test's directory, $1: talaria. What sudo writes down is nobody's either.
  static constexpr const char* kBecomeUser = R"sh(set -e
for f in passwd shadow group sudoers; do mount --bind "$0etc/$f" "/etc/$f"; done
for d in /run/sudo /var/lib/sudo; do [ ! -d $d ] || mount -t tmpfs none $d; done
mount --bind "$1" "$0program"
shift
exec setpriv --reuid 54321 --regid 54321 --clear-groups "$0program" "$@"
)sh";

  void add_line(const std::string& name, const std::string& line) {
    const std::string file = world_.directory("etc") + "/" + name;
    std::filesystem::copy_file("/etc/" + name, file,
                               std::filesystem::copy_options::overwrite_existing);
    std::ofstream(file, std::ios::app) << line << "\n";
  }
};

}  // namespace talaria::test
