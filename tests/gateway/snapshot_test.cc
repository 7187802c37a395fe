// What is kept of a sandbox, also if the gateway is killed while it keeps it.
#include <filesystem>
#include <string>

#include "gateway/gateway_test.h"

namespace talaria::test {
namespace {

namespace fs = std::filesystem;

class GatewaySnapshotTest : public GatewayTest {
 protected:
  // As if the gateway had been killed right behind writing that down.
  void note_termination(const std::string& sandbox) {
    const std::string change =
        "UPDATE sandboxes SET state = 2, keep = 1 WHERE id = '" + sandbox + "' AND ended IS NULL";
    const std::string program =
        "import sqlite3, sys\n"
        "with sqlite3.connect(sys.argv[1]) as base:\n"
        "    sys.exit(base.execute(sys.argv[2]).rowcount != 1)";
    Program python({.argv = {"/usr/bin/python3", "-c", program,
                             world_.path("home/talaria/talaria.db"), change},
                    .env = world_.env()});
    const auto ended = python.wait();
    ASSERT_TRUE(ended && exit_code_of(*ended) == 0) << python.err();
  }
  std::size_t directories() const {
    const fs::directory_iterator entries(world_.path("home/talaria/sandboxes"));
    return static_cast<std::size_t>(std::distance(begin(entries), end(entries)));
  }
};

// Whoever asked again was told that all was well, and the files were gone.
TEST_F(GatewaySnapshotTest, KilledInTheMiddleOfATerminationItKeepsWhatItWasToKeep) {
  const json::object wanted{{"persistentFilesystem", true}, {"logicalKey", "k"}};
  start_gateway();
  HttpTestClient first = client();
  std::string sandbox = create(first, wanted);
  for (const bool moved : {false, true}) {
    SCOPED_TRACE(moved ? "behind the move" : "before the move");
    HttpTestClient http = client();
    run(http, sandbox, "w", "echo x >> file");
    kill_gateway();
    note_termination(sandbox);
    const std::string base = world_.path("home/talaria/sandboxes/");
    if (moved) fs::rename(base + sandbox, base + "snapshot_" + sandbox);
    start_gateway();
    HttpTestClient again = client();
    const HttpAnswer over = again.post("/v1/sandboxes/" + sandbox + "/terminate",
                                       body({{"snapshotBeforeTerminate", true}}));
    EXPECT_EQ(over.status, 200);
    EXPECT_EQ(over.text("snapshotError"), "");
    const HttpAnswer next = again.post("/v1/sandboxes", body(wanted));
    ASSERT_EQ(next.status, 201) << next.body;
    EXPECT_TRUE(next.json().at("restored").as_bool());
    sandbox = next.text("id");
    EXPECT_EQ(run(again, sandbox, "r", "cat file").at("output").as_string(),
              moved ? "x\nx\n" : "x\n");
    EXPECT_EQ(directories(), 2u) << "the sandbox and the newest snapshot";
  }
}

}  // namespace
}  // namespace talaria::test
