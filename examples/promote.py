#!/usr/bin/env python3
"""Decide about claims with the current policies and thresholds of the graph. It uses only Python's standard library.

Reads lines of FACET CONFIDENCE from standard input and answers each with "promote" or "reject" and the reason. No value is
copied into this file: after a change in the graph, the next line is evaluated with it.

    printf 'POLITICAL 0.95\\nTEMPORAL 0.99\\n' | python3 examples/promote.py
"""

import json
import os
import subprocess
import sys


class Nomograph:
    """An MCP client that talks to one `nomograph serve` over its standard input and output."""

    def __init__(self):
        command = os.environ.get("NOMOGRAPH", "nomograph")
        self.server = subprocess.Popen([command, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.last_id = 0
        self.request("initialize", protocolVersion="2025-06-18", capabilities={},
                     clientInfo={"name": "promote.py", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.server.stdin.write(json.dumps(message) + "\n")
        self.server.stdin.flush()

    def request(self, method, **params):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params})
        for line in self.server.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    sys.exit(f"nomograph: {answer['error']['message']}")
                return answer["result"]
        sys.exit("nomograph: the server ended")

    def call(self, tool, **arguments):
        result = self.request("tools/call", name=tool, arguments=arguments)
        if result.get("isError"):
            # Fails closed: without current values nothing is promoted.
            error = json.loads(result["content"][0]["text"])
            sys.exit(f"nomograph: {error['message']}. {error.get('hint', '')}")
        return result["structuredContent"]


def judge(graph, facet, confidence):
    policies = graph.call("list_policies", active=True, has_facet_key=True)["policies"]
    for policy in policies:
        if policy["facet_key"] == facet:
            return f"reject: {facet} is forbidden by {policy['name']}"
    threshold = graph.call("get_threshold", name="claim_promotion_confidence")["value"]
    if confidence < threshold:
        return f"reject: {confidence} is below {threshold}"
    return f"promote: {confidence} reaches {threshold}"


def main():
    graph = Nomograph()
    for line in sys.stdin:
        facet, confidence = line.split()
        print(judge(graph, facet, float(confidence)), flush=True)
    graph.server.stdin.close()
    graph.server.wait()


if __name__ == "__main__":
    main()
