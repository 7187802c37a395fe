#!/usr/bin/env python3
"""A server that does to its clients what the web may do to them.

    server.py [CERTIFICATE KEY]     prints its port, serves 127.0.0.1 until its input ends

Paths say what it does; /log answers with the requests it got, as JSON.
"""

import gzip
import http.server
import json
import os
import ssl
import sys
import threading
import time
import urllib.parse
import zlib

LOG = []
BOMB = gzip.compress(b"x" * (32 << 20), 6)
CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, body, kind="text/html; charset=utf-8", status=200, **headers):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def send_json(self, value):
        self.send(json.dumps(value).encode(), "application/json")

    def drip(self, first):
        """Sends `first`, then a byte now and then, until the client has had enough."""
        self.wfile.write(first)
        while True:
            self.wfile.write(b"x")
            self.wfile.flush()
            time.sleep(0.05)

    def endless(self):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b"y" * 0x10000 + b"\r\n"
        while True:
            self.wfile.write(piece)

    def endless_line(self, first):
        """Sends `first`, and a line without an end behind it."""
        self.wfile.write(first)
        while True:
            self.wfile.write(b"z" * 0x10000)

    def chunked(self):
        self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                         b"Transfer-Encoding: chunked\r\n\r\n5\r\nin th\r\n9;x=y\r\nree parts\r\n0\r\n\r\n")

    def brave(self, values):
        """What Brave answers, or what its query asks for."""
        query = values.get("q")
        odd = {
            "no-json": lambda: self.send(b"<html>"),
            "too-many": lambda: self.send(b"{}", "application/json", 429),
            "endless": self.endless,
            "short": lambda: self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
            "redirect": lambda: self.send(b"", status=302, Location="https://elsewhere.test/"),
            "silent": lambda: time.sleep(60),
            "list": lambda: self.send_json([]),
            "no-web": lambda: self.send_json({"type": "search"}),
            "web-is-null": lambda: self.send_json({"web": None}),
            "web-is-text": lambda: self.send_json({"web": "x"}),
            "results-are-text": lambda: self.send_json({"web": {"results": "x"}}),
            "endless-words": lambda: self.send_json({"web": {"results": [
                {"url": "https://ok.example/", "title": "t" * 100000, "description": "d" * 100000}]}}),
            "odd-results": lambda: self.send_json({"web": {"results": [
                1, None, {}, {"title": "no place"}, {"url": 3},
                {"url": "https://ok.example/", "title": [], "description": {}}]}}),
        }
        if self.headers.get("X-Subscription-Token") != "brave-key":
            return self.send(b"{}", "application/json", 422)
        if query in odd:
            return odd[query]()
        return self.send_json({"web": {"results": [
            {"title": f"B{i}", "url": f"https://b{i}.example/", "description": f"about {query}"}
            for i in range(int(values["count"]))]}})

    def answer(self):
        path, _, query = self.path.partition("?")
        values = dict(urllib.parse.parse_qsl(query))
        simple = {
            "/page": lambda: self.send(b"<title>A page</title><h1>Hello</h1><p>from <a href='/x'>here</a></p>"),
            "/redirect": lambda: self.send(b"", status=302, Location=values["to"]),
            "/loop": lambda: self.send(b"", status=301, Location="/loop"),
            "/missing": lambda: self.send(b"gone", status=404),
            "/gzip": lambda: self.send(gzip.compress(b"<p>packed</p>"), Content_Encoding="gzip"),
            "/deflate": lambda: self.send(zlib.compress(b"<p>packed</p>"), Content_Encoding="deflate"),
            "/bomb": lambda: self.send(BOMB, Content_Encoding="gzip"),
            "/latin1": lambda: self.send(b"gr\xfc\xdfe", "text/plain; charset=iso-8859-1"),
            "/image": lambda: self.send(b"\x89PNG\r\n\0", "image/png"),
            "/inline": lambda: self.send(b"a data:image/png;base64,AAAA b", "text/plain"),
            "/long": lambda: self.send(b"z" * 6000, "text/plain"),
            "/deep": lambda: self.send(b"<div>" * 150000),
            "/plain": lambda: self.send(b"just text", "text/plain"),
            "/script": lambda: self.send(b"<script>draw()</script>"),
            "/loris": lambda: self.drip(b"HTTP/1.1 200 OK\r\nX-Slow: "),
            "/slow": lambda: self.drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
            "/headers": lambda: self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X-Many: 1\r\n" * 100000 + b"\r\n"),
            "/garbage": lambda: self.wfile.write(b"SSH-2.0-OpenSSH\r\n" * 10),
            "/silent": lambda: time.sleep(60),
            "/nothing": lambda: None,
            "/promise": lambda: self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n"),
            "/titled": lambda: self.send(b"<title>" + b"t" * 100000 + b"</title><p>x</p>"),
            "/short": lambda: self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nless"),
            "/until-end": lambda: self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nall of it"),
            "/endless": self.endless,
            "/endless-header": lambda: self.endless_line(b"HTTP/1.1 200 OK\r\nX-Long: "),
            "/endless-extension": lambda: self.endless_line(CHUNKED + b"5;x="),
            "/endless-size": lambda: self.endless_line(CHUNKED + b"5\r\nhello\r\n0000;"),
            "/endless-trailer": lambda: self.endless_line(CHUNKED + b"0\r\nX-Long: "),
            "/chunked": self.chunked,
            "/log": lambda: self.send_json(LOG),
            "/searxng/search": lambda: self.send_json(found(values)),
            "/blocked/search": lambda: self.send_json(found_nothing(values)),
            "/broken/search": lambda: self.send(b"<html>", "text/html"),
            "/own/search": lambda: self.send_json(found_here(self.headers["Host"])),
            "/res/v1/web/search": lambda: self.brave(values),
        }
        self.close_connection = True
        simple.get(path, lambda: self.send(b"no such thing", status=404))()

    def note(self, body=""):
        LOG.append({"path": self.path, "host": self.headers.get("Host"), "body": body,
                    "authorization": self.headers.get("Authorization"),
                    "token": self.headers.get("X-Subscription-Token"),
                    "evil": self.headers.get("X-Evil")})

    def do_GET(self):
        if self.path != "/log":
            self.note()
        try:
            self.answer()
        except OSError:
            pass  # the client went away, as it should

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        self.note(body)
        self.close_connection = True
        if self.path == "/tavily/search":
            self.send_json({"results": [{"title": "T", "url": "https://t.example/", "content": "c"}]})
        elif self.path == "/tavily/extract":
            first, *rest = json.loads(body)["urls"]
            self.send_json({"results": [{"url": first, "raw_content": "# by tavily"}],
                            "failed_results": [{"url": url, "error": "cannot"} for url in rest]})
        else:
            self.send(b"", status=404)


def found(values):
    """What a SearXNG answers, the worst first."""
    if values.get("format") != "json":
        return {}
    query = values.get("q")
    return {"query": query, "results": [
        {"title": f"T{i}", "url": f"https://r{i}.example/", "content": f"about {query}", "score": i}
        for i in range(30)]}


def found_nothing(values):
    """What SearXNG answers if the engines it asked were blocked or too slow (format=json): these
    keys, and of each failed engine its name and the reason. "partly": another engine answered."""
    query = values.get("q")
    results = [{"title": "T", "url": "https://t.example/", "content": "c", "engine": "wikipedia",
                "engines": ["wikipedia"], "score": 1.0, "category": "general"}]
    return {"query": query, "number_of_results": 0, "results": results if query == "partly" else [],
            "answers": [], "corrections": [], "infoboxes": [], "suggestions": [],
            "unresponsive_engines": [] if query == "rare" else
            [["duckduckgo", "CAPTCHA"], ["google", "Suspended: too many requests"]]}


def found_here(host):
    """The answer of a SearXNG that knows nothing but this server."""
    return {"results": [{"title": "A page", "url": f"http://{host}/page", "content": "says hello"},
                        {"title": "None", "url": f"http://{host}/missing", "content": "is gone"}]}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


def main():
    server = Server(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True,
                                            do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    os._exit(0)


main()
