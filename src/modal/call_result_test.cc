#include "modal/call_result.h"

#include <gtest/gtest.h>

namespace talaria::modal {
namespace {

TEST(ModalCallResult, EachStatusHasAKind) {
  const struct {
    int code;
    const char* name;
    const char* kind;
  } cases[] = {
      {1, "CANCELLED", "unavailable"},
      {2, "UNKNOWN", "unavailable"},
      {3, "INVALID_ARGUMENT", "bad_request"},
      {4, "DEADLINE_EXCEEDED", "timed_out"},
      {5, "NOT_FOUND", "not_found"},
      {6, "ALREADY_EXISTS", "bad_request"},
      {7, "PERMISSION_DENIED", "denied"},
      {8, "RESOURCE_EXHAUSTED", "limit"},
      {9, "FAILED_PRECONDITION", "bad_request"},
      {10, "ABORTED", "unavailable"},
      {11, "OUT_OF_RANGE", "bad_request"},
      {12, "UNIMPLEMENTED", "unavailable"},
      {13, "INTERNAL", "unavailable"},
      {14, "UNAVAILABLE", "unavailable"},
      {15, "DATA_LOSS", "unavailable"},
      {16, "UNAUTHENTICATED", "denied"},
      {99, "UNKNOWN", "unavailable"},
      {-1, "UNKNOWN", "unavailable"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(status_name(c.code), c.name);
    EXPECT_EQ(kind_name(kind_of_status(c.code)), c.kind) << c.name;
  }
}

TEST(ModalCallResult, AFailureIsOneLine) {
  const CallFailure failure{ErrorKind::limit, "SandboxCreateV2", "RESOURCE_EXHAUSTED",
                            "a\n\xff\"b"};
  EXPECT_EQ(failure_line(failure),
            R"({"error":{"kind":"limit","call":"SandboxCreateV2","status":"RESOURCE_EXHAUSTED",)"
            "\"message\":\"a\\n\xef\xbf\xbd\\\"b\"}}");
}

TEST(ModalCallResult, IsSaidToPeopleWithoutWhatIsEmpty) {
  EXPECT_EQ(message_of({ErrorKind::unavailable, "TaskExecStart", "UNAVAILABLE", "away"}),
            "TaskExecStart: UNAVAILABLE: away");
  EXPECT_EQ(message_of({ErrorKind::timed_out, "", "", "too late"}), "too late");
}

}  // namespace
}  // namespace talaria::modal
