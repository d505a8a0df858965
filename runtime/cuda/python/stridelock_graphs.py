"""The graph audit for CUDA graphs that PyTorch captures: libstridelock_graph_audit.so through ctypes.

    library = load("libstridelock_graph_audit.so")
    verdict, text = audit(library, capture(step), "decode[bs=4]")
"""
import ctypes

import torch


class KnownRange(ctypes.Structure):  # stridelock_known_range of graph_audit_c.h
    _fields_ = [("name", ctypes.c_char_p), ("begin", ctypes.c_uint64), ("bytes", ctypes.c_uint64),
                ("generation", ctypes.c_uint64), ("role", ctypes.c_uint32), ("live", ctypes.c_uint32)]


PRIVATE, SEGMENT, BLOCK = 1, 2, 3
FINDINGS, FINDINGS_JSON, GRAPH, GRAPH_JSON = range(4)
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


def audit(library, graph, label, form=FINDINGS):
    """(verdict, text) of a captured torch.cuda.CUDAGraph. The verdict is one of VERDICTS; `form` chooses the text."""
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


def load(path):
    return ctypes.CDLL(path)
