"""TLS in front of a server that has none: tls_front.py CERTIFICATE KEY PORT

Prints the port it listens on; hands every connection on to PORT. Ends when its stdin does.
"""

import asyncio
import os
import ssl
import sys
import threading


async def pump(reader, writer):
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    writer.close()


async def main():
    certificate, key, port = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)

    async def serve(reader, writer):
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", int(port))
        await asyncio.gather(pump(reader, there_writer), pump(there_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
asyncio.run(main())
