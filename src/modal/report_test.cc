#include "modal/report.h"

#include <string>

#include <gtest/gtest.h>

#include "os/file.h"

namespace talaria {
namespace {

// What a report wrote.
class ModalReport : public ::testing::Test {
 protected:
  std::string said() const { return read_whole(file_->get(), 1 << 20).value_or("unreadable"); }

  Result<UniqueFd> file_ = make_memory_file("report");
  Report report_{file_->get()};
};

TEST_F(ModalReport, IsLines) {
  report_.progress("one\ntwo");
  report_.failure({ErrorKind::limit, "Call", "RESOURCE_EXHAUSTED", "full"});
  report_.for_people({ErrorKind::limit, "Call", "RESOURCE_EXHAUSTED", "full\nof it"});
  EXPECT_EQ(said(),
            "{\"progress\":\"one\\ntwo\"}\n"
            "{\"error\":{\"kind\":\"limit\",\"call\":\"Call\",\"status\":\"RESOURCE_EXHAUSTED\","
            "\"message\":\"full\"}}\n"
            "talaria-modal: Call: RESOURCE_EXHAUSTED: full of it\n");
}

TEST_F(ModalReport, KeepsSecrets) {
  report_.keep_secret("as-secret");
  report_.keep_secret("head.claims.sign");
  report_.keep_secret("");
  report_.progress("got head.claims.sign");
  report_.failure({ErrorKind::denied, "", "", "as-secret, again as-secret"});
  report_.for_people({ErrorKind::denied, "", "", "Bearer head.claims.sign"});
  EXPECT_EQ(said().find("as-secret"), std::string::npos);
  EXPECT_EQ(said().find("claims"), std::string::npos);
}

}  // namespace
}  // namespace talaria
