"""Judges a call through the C interface, as an engine's Python side would. Arguments: a shared library and its prefix."""

import ctypes
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p, pointer


class Text(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.size).decode() if self.size else ""


class Tensor(Structure):
    _fields_ = [
        ("data", c_void_p), ("extents", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
        ("rank", c_int32), ("device_kind", c_int32), ("device_ordinal", c_int32),
        ("type_code", c_uint8), ("type_bits", c_uint8), ("type_lanes", c_uint8), ("read_only", c_uint8),
    ]


class Report(Structure):
    _fields_ = [
        ("verdict", c_int32), ("violation_count", c_int32), ("headline", c_int32), ("symbol_count", c_int32),
        ("unevaluated", c_int32), ("depends_on_parameter", c_int32), ("incomplete", c_int32),
        ("device_ordinal", c_int32), ("branch", Text), ("content", c_void_p),
    ]


class Violation(Structure):
    _fields_ = [
        ("kind", Text), ("evidence", Text), ("argument_name", Text), ("symbol", Text), ("where", Text),
        ("found", c_int64), ("needed", c_int64),
        ("argument", c_int32), ("dim", c_int32), ("other_argument", c_int32), ("is_consequence", c_int32),
    ]


library = ctypes.CDLL(sys.argv[1])
exported = getattr(library, sys.argv[2] + "_mla")
exported.restype = c_void_p
check = library.stridelock_v1_check
check.argtypes = [c_void_p, POINTER(POINTER(Tensor)), c_int32, c_void_p, POINTER(Report)]
report_text = library.stridelock_v1_report_text
report_text.argtypes = [POINTER(Report), c_char_p, c_size_t]
report_text.restype = c_size_t
name = library.stridelock_v1_contract_name
name.argtypes = [c_void_p]
name.restype = Text


def tensor(type_code, extents, strides=None):
    numbers = c_int64 * len(extents)
    memory = (c_int32 * 128)()
    t = Tensor(
        data=ctypes.cast(memory, c_void_p), extents=numbers(*extents), strides=numbers(*strides) if strides else None,
        rank=len(extents), device_kind=2, type_code=type_code, type_bits=32, type_lanes=1)
    t.keep = memory
    return t


def judge(*tensors):
    arguments = (POINTER(Tensor) * len(tensors))(*[pointer(t) if t else None for t in tensors])
    report = Report()
    verdict = check(exported(), arguments, len(tensors), None, byref(report))
    length = report_text(byref(report), None, 0)
    buffer = ctypes.create_string_buffer(length + 1)
    report_text(byref(report), buffer, length + 1)
    violations = []
    for i in range(report.violation_count):
        violation = Violation()
        assert library.stridelock_v1_report_violation(byref(report), i, byref(violation)) == 1
        violations.append((str(violation.kind), str(violation.argument_name), violation.found, violation.needed))
    library.stridelock_v1_report_release(byref(report))
    return verdict, violations, buffer.value.decode()


assert str(name(exported())) == "mla"
q = tensor(2, (8, 8))
assert judge(q, tensor(0, (8, 4)), None) == (0, [], "ok")
verdict, violations, message = judge(q, tensor(0, (8, 4), (16, 1)), None)
assert (verdict, violations) == (2, [("row_pitch", "indices", 16, 4)]), (verdict, violations)
assert message.startswith("mla: argument 'indices' breaks its contract: row pitch is 16, needs 4"), message
assert judge(q, None, None)[1] == [("missing", "indices", 0, 0)], judge(q, None, None)
print("ok")
