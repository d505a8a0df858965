#!/usr/bin/env python3
"""PyTorch's own graphs, audited: each bad case is found and each cured one silent.

usage: torch_graph_audit_test.py LIBRARY [FOLDER]    with FOLDER the snapshots are saved there as JSON"""
import os
import sys

try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)
for folder_of_module in ("../python", "."):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), folder_of_module))
from stridelock_graphs import GRAPH_JSON, audit, capture, load


def main():
    if not torch.cuda.is_available():
        print("skipped: no CUDA device")
        return 77
    library = load(sys.argv[1])
    folder = sys.argv[2] if len(sys.argv) > 2 else None
    buffer = torch.zeros(512, 1024, dtype=torch.int32, device="cuda")
    out = torch.zeros(66, 256, dtype=torch.int32, device="cuda")
    bad = capture(lambda: torch.add(buffer[:66, :256].contiguous(), 1, out=out))
    good = capture(lambda: torch.add(buffer[:66, :256], 1, out=out))
    lost = torch.zeros(66, 256, dtype=torch.int32, device="cuda")
    gone = capture(lambda: torch.add(lost, 1, out=out))
    alive = audit(library, gone, "tensor alive")
    del lost
    failed = 0
    # PyTorch's elementwise kernels take their pointers inside a struct: never more than possible.
    for name, graph, wanted, part in [("contiguous", bad, "possible", "audit/framework-copy"), ("strided", good, "ok", ""),
                                      ("freed_tensor", gone, "possible", "audit/freed-block")]:
        verdict, text = audit(library, graph, name)
        right = verdict == wanted and part in text
        failed += not right
        print(("ok      " if right else "FAILED  ") + name + ": " + verdict + "\n" + text)
        if folder:
            open(f"{folder}/torch_{name}.json", "w").write(audit(library, graph, name, GRAPH_JSON)[1])
    if alive[0] != "ok":
        print("FAILED  tensor alive: " + alive[0] + "\n" + alive[1])
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
