#!/usr/bin/env python3
"""Audits one captured step.   usage: audit.py LIBRARY    with runtime/cuda/python in PYTHONPATH"""
import sys

try:
    import torch
except ImportError:
    sys.exit(77)
from stridelock_graphs import audit, capture, load

if not torch.cuda.is_available():
    sys.exit(77)
buffer = torch.zeros(512, 1024, dtype=torch.int32, device="cuda")
out = torch.zeros(66, 256, dtype=torch.int32, device="cuda")

graph = capture(lambda: torch.add(buffer[:66, :256].contiguous(), 1, out=out))
verdict, text = audit(load(sys.argv[1]), graph, "decode[bs=66]")
print(text)
sys.exit(0 if verdict == "possible" and "framework-copy" in text else 1)  # the copy that .contiguous() left
