"""An MCP server with one tool, which asks the person for a name before it answers."""
import json
import sys


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


SCHEMA = {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}
waiting = None
for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "form", "version": "1"},
        }
        send({"id": message["id"], "result": result})
    elif method == "tools/list":
        tool = {"name": "greet", "description": "Greets", "inputSchema": {"type": "object", "properties": {}}}
        send({"id": message["id"], "result": {"tools": [tool]}})
    elif method == "tools/call":
        waiting = message["id"]
        send({"id": "e1", "method": "elicitation/create", "params": {"message": "Whom to greet?", "requestedSchema": SCHEMA}})
    elif message.get("id") == "e1":
        text = json.dumps(message.get("result", message.get("error")))
        send({"id": waiting, "result": {"content": [{"type": "text", "text": text}]}})
    elif method and "id" in message:
        send({"id": message["id"], "error": {"code": -32601, "message": "not known"}})
