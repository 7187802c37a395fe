#!/usr/bin/env python3
"""A registry with one image, for `docker pull` from loopback.

  registry.py IMAGE      prints "PORT" and serves `docker save IMAGE` as 127.0.0.1:PORT/IMAGE until killed
"""
import hashlib
import http.server
import io
import json
import subprocess
import sys
import tarfile

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONFIG = "application/vnd.docker.container.image.v1+json"
LAYER = "application/vnd.docker.image.rootfs.diff.tar"


def saved_image(name):
    """The manifest, and all blobs by digest."""
    saved = subprocess.run(["docker", "save", name], check=True, stdout=subprocess.PIPE).stdout
    blobs = {}

    def blob(media_type, content):
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        blobs[digest] = (media_type, content)
        return {"mediaType": media_type, "size": len(content), "digest": digest}

    with tarfile.open(fileobj=io.BytesIO(saved)) as archive:
        entry = json.load(archive.extractfile("manifest.json"))[0]
        config = blob(CONFIG, archive.extractfile(entry["Config"]).read())
        layers = [blob(LAYER, archive.extractfile(path).read()) for path in entry["Layers"]]
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": layers}
    return blob(MANIFEST, json.dumps(manifest).encode()), blobs


class Registry(http.server.BaseHTTPRequestHandler):
    manifest, blobs = None, None

    def do_GET(self):
        words = self.path.split("/")
        name = words[-1]
        if len(words) > 2 and words[-2] == "manifests":
            name = Registry.manifest["digest"]
        media_type, content = Registry.blobs.get(name, ("application/json", b"{}"))
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Docker-Content-Digest", name)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(content)

    do_HEAD = do_GET

    def log_message(self, *words):
        pass


Registry.manifest, Registry.blobs = saved_image(sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Registry)
print(server.server_port, flush=True)
server.serve_forever()
