"""A receiver of Squelch's webhooks: python3 receiver.py

SQUELCH_SECRET is the webhook's secret; PORT is where it listens (0: a free port).
"""
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["SQUELCH_SECRET"].encode()
OLDEST = 5 * 60  # seconds: a copy that somebody sends later is refused
seen = set()  # keep these in your database


def verify(secret, header, body, now=None):
    """Whether a body, the bytes as they came, came from who knows the secret."""
    match = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", header or "")
    if not match or abs((time.time() if now is None else now) - int(match[1])) > OLDEST:
        return False
    want = hmac.new(secret, match[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    return hmac.compare_digest(want, match[2])


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not verify(SECRET, self.headers["Squelch-Signature"], body):
            self.answer(401)
            return
        if self.headers["Squelch-Id"] not in seen:
            # An event may come twice, always with the same id. Answer soon, work afterwards.
            seen.add(self.headers["Squelch-Id"])
            event = json.loads(body)
            print(event["event"], event["kind"], event.get("name", ""), event.get("channel", ""), event.get("detail", ""), flush=True)
        self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


server = HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
