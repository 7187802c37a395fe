#include "modal/report.h"

#include <string>

#include <gtest/gtest.h>

#include "os/file.h"

namespace talaria::modal {
namespace {

// What a report wrote.
class ModalReport : public ::testing::Test {
 protected:
  std::string said() const { return os::read_whole(file_->get(), 1 << 20).value_or("unreadable"); }

  Result<os::UniqueFd> file_ = os::make_memory_file("report");
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

// Who listened had room for a megabyte. Behind more of a build's words there was none for what had
// failed.
TEST_F(ModalReport, OfMuchProgressTheFirstAndTheLastIsToldAndAlwaysTheFailure) {
  for (int line = 0; line < 100'000; ++line) {
    report_.progress("this is line " + std::to_string(line) + ".");
  }
  report_.progress(std::string(1 << 20, 'x') + "the end");
  report_.failure({ErrorKind::bad_request, "Call", "", "what failed"});
  const std::string all = said();
  EXPECT_LT(all.size(), 300u * 1024);
  EXPECT_NE(all.find("this is line 0."), std::string::npos);
  EXPECT_NE(all.find("this is line 99999."), std::string::npos);
  EXPECT_EQ(all.find("this is line 50000."), std::string::npos);
  EXPECT_NE(all.find("xthe end\"}\n{\"error\":"), std::string::npos);
  EXPECT_TRUE(all.ends_with("what failed\"}}\n"));
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
}  // namespace talaria::modal
