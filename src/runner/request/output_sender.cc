#include "runner/request/output_sender.h"

namespace talaria::runner {

bool OutputSender::send(link::Connection& connection, link::ExchangeId id, const OutputLog& log) {
  bool sent = false;
  while (cursor_ < until_ && !beyond_credit_) {
    const std::uint64_t room = std::min(connection.sendable(id, cursor_), until_ - cursor_);
    if (room == 0) break;
    const OutputLog::Piece piece =
        log.read(cursor_, std::min<std::uint64_t>(room, link::kMaxFrameData));
    if (piece.bytes.empty()) break;
    if (piece.from == cursor_) {
      connection.send_data(id, piece.from, piece.bytes, piece.errors);
      cursor_ += piece.bytes.size();
      sent = true;
    } else {  // a gap: the room is counted from where it ends
      lost_ += piece.from - cursor_;
      cursor_ = piece.from;
      beyond_credit_ = connection.sendable(id, cursor_) == 0;
    }
  }
  return sent;
}

}  // namespace talaria::runner
