#!/usr/bin/env python3
"""Verify a session that `nomograph trace export SESSION --out FILE` wrote, without Nomograph.

Usage: verify_trace.py FILE
"""
import hashlib
import json
import re
import sys


def digest(*fields):
    form = b"".join(b"%d:%s," % (len(f.encode()), f.encode()) for f in fields)
    return hashlib.sha256(form).hexdigest()


before = None
for line in open(sys.argv[1], encoding="utf-8"):
    event = json.loads(line)
    if before is None:
        begins = event["begins"]
        before = digest("nomograph.session.1", event["session"], begins["id"], begins["agent"], begins["workspace"],
                        begins["started_at"])
    fields = ["nomograph.event.1", event["session"], str(event["seq"]), event["type"], event["at"], event["agent"]]
    if event.get("schema") == 2:
        fields[0] = "nomograph.event.2"
    # The payload is hashed as it is written, so it is cut from the line. A forgotten payload leaves only its hash.
    found = re.search(r'"payload":(.*),"prev_hash":"[0-9a-f]*","hash":"[0-9a-f]*"', line)
    if found:
        fields += [found.group(1), before] + ([event["uid"]] if fields[0].endswith("2") else [])
    if event["prev_hash"] != before or found and digest(*fields) != event["hash"]:
        sys.exit(f"event {event['seq']} was changed, or does not follow the one before it")
    before = event["hash"]
print("intact; head", before)
