#include "link/silence.h"

namespace talaria::link {

void Silence::broken(Time now) {
  since_ = now;
  if (state_ == State::asked) state_ = State::open;
}

void Silence::greeted() {
  if (state_ == State::greeting) state_ = State::open;
}

void Silence::deaf(Time now) {
  since_ = now;
  state_ = State::deaf;
}

Silence::Verdict Silence::judge(Time now) {
  if (now < next()) return Verdict::bear;
  if (state_ != State::open) return Verdict::give_up;
  state_ = State::asked;
  since_ = now;
  return Verdict::ask;
}

std::chrono::milliseconds Silence::limit() const {
  switch (state_) {
    case State::open:
      return limits_.ask_after;
    case State::asked:
      return limits_.answer;
    case State::greeting:
    case State::deaf:
      break;
  }
  return limits_.greeting;
}

}  // namespace talaria::link
