#include "environment/modal/modal_image.h"

#include <boost/json/serialize.hpp>
#include <gtest/gtest.h>

#include "testing/temporary_directory.h"

namespace talaria::environment::modal {
namespace {

std::string shown(const std::string& image) {
  const auto made = modal_image(image);
  return made ? json::serialize(*made) : "error: " + made.error().message();
}

std::string lines_of(const std::string& text) {
  const auto lines = dockerfile_lines(text, "Dockerfile");
  return lines ? json::serialize(*lines) : "error: " + lines.error().message();
}

TEST(ModalImageTest, AnIdIsAnId) { EXPECT_EQ(shown("im-abc"), R"({"id":"im-abc"})"); }

TEST(ModalImageTest, AnImageOfARegistryGetsAPipThatWorks) {
  const std::string plain = shown("python:3.11");
  EXPECT_TRUE(plain.starts_with(R"({"layers":[["FROM python:3.11","RUN rm -rf )")) << plain;
  EXPECT_NE(plain.find("ensurepip"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("apt-get"), std::string::npos) << plain;
  for (const char* image : {"ubuntu:24.04", "registry.example/debian:bookworm"}) {
    const std::string made = shown(image);
    EXPECT_NE(made.find("apt-get install -y -qq python3 python3-venv"), std::string::npos) << made;
    EXPECT_LT(made.find("apt-get"), made.find("ensurepip")) << made;
  }
}

TEST(ModalImageTest, APathOfADockerfileIsItsLines) {
  const test::TemporaryDirectory directory;
  const std::string lines = R"({"layers":[["FROM a","RUN b"]]})";
  for (const char* name : {"Dockerfile", "x.dockerfile", "Dockerfile.dev"}) {
    EXPECT_EQ(shown(directory.write(name, "FROM a\nRUN b\n")), lines) << name;
  }
  const std::string missing = shown("/nowhere/Dockerfile");
  EXPECT_NE(missing.find("the Dockerfile cannot be read"), std::string::npos) << missing;
}

TEST(ModalImageTest, WhatIsNoImageIsRefused) {
  for (const char* image : {"", "-x", "a\nb"}) {
    EXPECT_TRUE(shown(image).starts_with("error: TERMINAL_MODAL_IMAGE")) << image;
  }
}

TEST(ModalImageTest, LinesThatGoOnAreKeptAsTheyAre) {
  EXPECT_EQ(lines_of("# syntax=x\nFROM a\r\n\nRUN b && \\\n  # why\n  copy c d\nENV E=f"),
            R"(["# syntax=x","FROM a","","RUN b && \\","  # why","  copy c d","ENV E=f"])");
}

TEST(ModalImageTest, FilesOfThisMachineAreRefused) {
  const struct {
    const char* name;
    const char* line;
    bool refused;
  } cases[] = {
      {"copy", "COPY a /b", true},
      {"copy in small letters", "copy a /b", true},
      {"copy with an option", "COPY --chown=1:1 a /b", true},
      {"add", "ADD a.tar /b", true},
      {"copy of a stage", "COPY --from=build /a /b", false},
      {"copy of a stage, with an option before", "COPY --chmod=755 --from=build /a /b", false},
      {"add of an address", "ADD https://example.org/a /b", false},
      {"add of a repository", "ADD git@example.org:a/b.git /b", false},
      {"add of an address, as a list", R"(ADD ["https://example.org/a", "/b"])", false},
      {"copy as a list", R"(COPY ["a", "/b"])", true},
      {"copy behind a number", "RUN echo $((1 << 3))\nCOPY a b", true},
      {"copy of a text", "COPY <<EOF /b\nCOPY a b\nEOF", false},
      {"copy as a part of a command", "RUN true && \\\nCOPY a b", false},
      {"copy as a part of a text", "RUN <<'EOF'\nCOPY a b\nEOF", false},
      {"copy behind a text", "RUN <<EOF\ntrue\nEOF\nCOPY a b", true},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string found = lines_of(std::string("FROM x\n") + c.line + "\n");
    EXPECT_EQ(found.starts_with("error: Dockerfile, line "), c.refused) << found;
    EXPECT_EQ(found.find("needs files of this machine") != std::string::npos, c.refused) << found;
  }
}

}  // namespace
}  // namespace talaria::environment::modal
