"""A host for the agent in Python, with the standard library only: python3 host.py [--agent "tiller"] "your prompt".

It prints the response as it streams, registers one tool, and passes the questions of the agent to you in the terminal.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time

CLOCK = {
    "name": "clock",
    "description": "Tells the time of day where the user is.",
    "parameters": {"type": "object", "properties": {"format": {"type": "string", "description": "as for strftime"}}},
    "readOnly": True,
}


class Agent:
    """The agent's process: frames out, frames in."""

    def __init__(self, command):
        flags = ["--mode", "rpc", "--rpc-stream", "delta", "--no-session", "--permission-mode", "confirm"]
        self.process = subprocess.Popen(command + flags, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def send(self, **frame):
        self.process.stdin.write(json.dumps(frame).encode() + b"\n")
        self.process.stdin.flush()

    def frames(self):
        # Bytes end at LF only; a text stream would also split at other line separators.
        for line in self.process.stdout:
            yield json.loads(line)

    def stop(self):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def ask(text):
    print(text, end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip()


def answer_dialog(frame):
    """The fields of an answer; None for what only tells something."""
    method = frame["method"]
    if method == "select":
        options = frame["options"]
        listed = "".join(f"  {number}. {option}\n" for number, option in enumerate(options, 1))
        choice = ask(f"{frame['title']}\n{listed}> ")
        is_one = choice.isdigit() and 1 <= int(choice) <= len(options)
        return {"value": options[int(choice) - 1]} if is_one else {"cancelled": True}
    if method == "confirm":
        return {"confirmed": ask(f"{frame['title']}: {frame['message']} (y/n) ").lower() == "y"}
    if method == "input":
        return {"value": ask(f"{frame['title']}: ")}
    if method == "editor":
        return {"cancelled": True}  # a terminal has no editor to offer
    if method == "notify":
        print(frame["message"], file=sys.stderr)
    return None


def run_clock(arguments):
    """What becomes of a call of the tool: text, and whether it failed."""
    try:
        return time.strftime(arguments.get("format", "%H:%M")), False
    except (TypeError, ValueError) as error:
        return str(error), True


def handle(agent, frame):
    """Serves one frame. Returns whether the run is over."""
    kind = frame["type"]
    if kind == "response" and not frame["success"]:
        raise SystemExit(frame["error"])
    if kind == "message_update" and frame["assistantMessageEvent"]["type"] == "text_delta":
        print(frame["assistantMessageEvent"]["delta"], end="", flush=True)
    elif kind == "message_end" and frame["message"].get("stopReason") == "error":
        print(frame["message"]["errorMessage"], file=sys.stderr)
    elif kind == "host_tool_call":
        text, is_error = run_clock(frame["arguments"])
        result = {"content": [{"type": "text", "text": text}]}
        agent.send(type="host_tool_result", id=frame["id"], result=result, isError=is_error)
    elif kind == "extension_ui_request":
        answer = answer_dialog(frame)
        if answer is not None:
            agent.send(type="extension_ui_response", id=frame["id"], **answer)
    return kind == "agent_settled"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agent", default="tiller", help="command line of the agent")
    parser.add_argument("prompt", nargs="?", default="What time is it here? Use the clock tool.")
    options = parser.parse_args()
    agent = Agent(shlex.split(options.agent))
    try:
        agent.send(type="set_host_tools", id="tools", tools=[CLOCK])
        agent.send(type="prompt", id="prompt", message=options.prompt)
        for frame in agent.frames():
            if handle(agent, frame):
                print()
                return
        raise SystemExit(f"The agent ended with exit code {agent.process.wait()}.")
    finally:
        agent.stop()


if __name__ == "__main__":
    main()
