"""NumPy's C_CONTIGUOUS and F_CONTIGUOUS against our verdicts. docs/differences.md lists no difference, and none is allowed.

usage: numpy_test.py LAYOUTS_FOR_NUMPY SCRATCH_FILE
"""
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: this Python has no NumPy")
    sys.exit(77)

COUNT = 1_000_000
program, scratch = sys.argv[1:3]
subprocess.run([program, str(COUNT), scratch], check=True)
rows = np.fromfile(scratch, dtype=np.int64).reshape(-1, 12)
assert len(rows) == COUNT

ITEM = 4
memory = np.zeros(1 << 18, dtype=np.uint8)
wrong, seen = [], [0, 0]
for row in rows.tolist():
    rank, extents, strides, low, dense, turned = row[0], row[1:5], row[5:9], row[9], row[10], row[11]
    array = np.ndarray(
        extents[:rank], dtype=np.int32, buffer=memory, offset=-low * ITEM, strides=[s * ITEM for s in strides[:rank]]
    )
    flags = array.flags
    if flags.c_contiguous != bool(dense) or flags.f_contiguous != bool(turned):
        wrong.append(row)
    seen[0] += dense
    seen[1] += turned
if wrong:
    print(f"{len(wrong)} of {COUNT} layouts are judged differently; the first: {wrong[0]}")
    sys.exit(1)
if min(seen) < COUNT // 20 or max(seen) > COUNT * 4 // 5:
    print(f"too few layouts of one kind to compare anything: {seen} of {COUNT}")
    sys.exit(1)
print(f"NumPy {np.__version__}: {COUNT} layouts, {seen[0]} C-contiguous, {seen[1]} F-contiguous, no difference")
