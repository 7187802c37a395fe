// A directory for one test, and in it a program called `apptainer` that does what the test says.
// tests/targets has the real one; this is for what needs a registry, or must go wrong.
#pragma once

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "os/directory.h"
#include "os/file.h"

namespace talaria::environment::singularity {

class SingularityTest : public testing::Test {
 protected:
  SingularityTest() { ::setenv("PATH", (directory_ + "/bin:" + path_).c_str(), 1); }
  ~SingularityTest() override {
    ::setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }

  // `text` is a shell script; $DIR is the test's directory.
  void make_engine(const std::string& text, const std::string& name = "apptainer") {
    const std::string program = directory_ + "/bin/" + name;
    ASSERT_TRUE(os::make_private_directory(directory_ + "/bin"));
    ASSERT_TRUE(os::replace_file(program, "#!/bin/sh\nDIR=" + directory_ + "\n" + text));
    ASSERT_EQ(::chmod(program.c_str(), 0700), 0);
  }

  std::string content(const std::string& name) const {
    return os::read_file(directory_ + "/" + name, 1 << 20).value_or("(none)");
  }

  const std::string directory_ = *os::make_fresh_directory("/tmp/talaria-test-");
  const std::string path_ = std::getenv("PATH");
};

}  // namespace talaria::environment::singularity
