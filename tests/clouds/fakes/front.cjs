// The port clients of a fake connect to: hands every connection on to the server behind it, and
// cuts them all when a fault says so.
'use strict';

const net = require('node:net');

class Front {
  constructor(port) {
    this.open = new Set();
    this.server = net.createServer((client) => {
      const server = net.connect(port, '127.0.0.1');
      for (const [one, other] of [[client, server], [server, client]]) {
        this.open.add(one);
        one.setNoDelay(true);
        one.on('error', () => other.destroy());
        one.once('close', (broken) => {
          this.open.delete(one);
          if (broken) other.destroy(); else other.end();  // what it said before goes out
        });
        one.pipe(other);
      }
    });
  }

  async listen() {
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this.server.address().port;
  }

  cut() {
    for (const socket of this.open) socket.resetAndDestroy();
  }
}

module.exports = { Front };
