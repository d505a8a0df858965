#!/usr/bin/env python3
"""Audits CUDA graphs that PyTorch captures.   usage: audit.py LIBRARY [FOLDER]

LIBRARY is libstridelock_graph_audit.so. With FOLDER the snapshots are saved there as JSON."""
import ctypes
import sys

try:
    import torch
except ImportError:
    print("skipped: no PyTorch")
    sys.exit(77)


class KnownRange(ctypes.Structure):  # stridelock_known_range of graph_audit_c.h
    _fields_ = [("name", ctypes.c_char_p), ("begin", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("generation", ctypes.c_uint64), ("role", ctypes.c_uint32), ("live", ctypes.c_uint32)]


PRIVATE, SEGMENT, BLOCK = 1, 2, 3
VERDICTS = ["ok", "unknown", "possible", "violated", "failed"]


def allocator_memory():
    """What PyTorch's allocator holds. A segment of a graph's pool stays as long as the graph; in the others only
    blocks in use do."""
    ranges = []
    for segment in torch.cuda.memory_snapshot():
        private = tuple(segment["segment_pool_id"]) != (0, 0)
        ranges.append(KnownRange(b"graph pool" if private else b"segment", segment["address"], segment["total_size"], 0,
                                 PRIVATE if private else SEGMENT, 1))
        address = segment["address"]
        for block in segment["blocks"]:
            if not private:
                ranges.append(KnownRange(b"tensor" if block["state"] == "active_allocated" else b"free block", address,
                                         block["size"], 0, BLOCK, block["state"] == "active_allocated"))
            address += block["size"]
    return (KnownRange * len(ranges))(*ranges)


def audit(library, graph, label, form=0):
    """(verdict, text); form: 0 findings, 1 findings as JSON, 2 the graph, 3 the graph as JSON."""
    known, needed = allocator_memory(), ctypes.c_size_t()
    raw = ctypes.c_void_p(graph.raw_cuda_graph())
    text = ctypes.create_string_buffer(1 << 22)
    code = library.stridelock_graph_audit(raw, label.encode(), known, ctypes.c_size_t(len(known)), form, text,
                                          ctypes.c_size_t(len(text)), ctypes.byref(needed))
    return VERDICTS[code], text.value.decode()


def capture(step):
    """Captured, not instantiated: keep_graph=True leaves that to graph.instantiate(), so the audit comes first."""
    step()  # warm up: libraries make their handles and workspaces
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        step()
    return graph


def main():
    if not torch.cuda.is_available():
        print("skipped: no CUDA device")
        return 77
    library = ctypes.CDLL(sys.argv[1])
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
            open(f"{folder}/torch_{name}.json", "w").write(audit(library, graph, name, 3)[1])
    if alive[0] != "ok":
        print("FAILED  tensor alive: " + alive[0] + "\n" + alive[1])
        failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
