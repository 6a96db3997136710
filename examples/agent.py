"""An agent that plays by tool calls and needs no language model: it reads the text of its turns, and
answers by rules of thumb.

    BOTEQUIM_TOKEN=<token of a bot> python agent.py http://127.0.0.1:8000 toepen
"""

import json
import os
import re
import sys
import urllib.request

VERSION = "2026-07-28"


def call(tool, **arguments):
    """Call a tool and return its text."""
    about = "io.modelcontextprotocol/"
    meta = {about + "protocolVersion": VERSION, about + "clientCapabilities": {}}
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "Authorization": "Bearer " + os.environ["BOTEQUIM_TOKEN"],
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "tools/call",
        "Mcp-Name": tool,
    }
    request = urllib.request.Request(sys.argv[1] + "/mcp", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=60) as reply:
        result = json.load(reply)["result"]
    text = result["content"][0]["text"]
    if result["isError"]:
        raise SystemExit(text)
    return text


def decide(text):
    """The turn in a text, an action for it and the reason; None if there is nothing to decide."""
    turn = re.search(r"^turn (\S+):", text, re.MULTILINE)
    legal = re.search(r"^Legal: (.*)", text, re.MULTILINE)
    if not turn or not legal:
        return None
    actions = legal[1].split(", ")
    hand = re.search(r"^Your hand: (.*)", text, re.MULTILINE)[1]
    # Raise with an ace or a three in hand, and stay in; otherwise stay out.
    brave = any(card[0] in "A3" for card in hand.split())
    wanted = ["truco", "accept", "stay"] if brave else ["run", "fold"]
    reason = "an ace or a three in hand" if brave else "no ace and no three in hand"
    for word in [*wanted, "keep", "no_cut", "trust", "play", "hide"]:
        for action in actions:
            if action.startswith(word):
                return turn[1], action, reason
    return turn[1], actions[0], reason


def main():
    joined = call("join", kind=sys.argv[2])
    print(joined)
    game = re.match(r"game (\w+)", joined)[1]
    text = call("observe", game=game, forced=True)
    while f"game {game} is finished" not in text:
        decided = decide(text)
        if decided is None:
            text = call("observe", game=game, forced=True)
        else:
            turn, action, reason = decided
            text = call("act", turn=turn, action=action, note=reason, forced=True)
    print(text.strip())


if __name__ == "__main__":
    main()
