"""Powers of two and logarithms as polynomials, so that the compiled loops use SIMD lanes.

The compiler keeps calls of ``math.exp`` and ``math.log`` scalar. The functions here consist of additions,
multiplications and bit shifts only, and agree with the library functions to about 4e-16 relative
(``tests/research/test_research_loops.py``). Importing this module imports numba; nothing is compiled until a
loop that uses it is called.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

#: Options of every compiled loop. ``contract`` allows fused multiply-add; sums are not re-ordered, so the
#: number of SIMD lanes does not change a result. With ``error_model="numpy"`` a division has no branch.
LOOP: dict[str, Any] = {"cache": True, "error_model": "numpy", "nogil": True, "fastmath": {"contract"}}

LN2 = math.log(2.0)
#: Rating points of the logistic law in which the odds double: ``x = D * POINTS_TO_BITS`` is log2 of the odds.
POINTS_TO_BITS = math.log2(10.0) / 400.0

_C = tuple(LN2**n / math.factorial(n) for n in range(14))
_SHIFT = 1.5 * 2.0**52
_ONE_BITS = 1023 << 52
_MANTISSA = (1 << 52) - 1
_SQRT2 = math.sqrt(2.0)


@intrinsic
def _bits(typing_context, number):
    """The 64 bits of a float64 as int64."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


@intrinsic
def _float_of(typing_context, bits):
    """The float64 with these 64 bits."""

    def generate(context, builder, signature, arguments):
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


@intrinsic
def _prefetch(typing_context, address):
    """Ask the processor to load the cache line at this address."""

    def generate(context, builder, signature, arguments):
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        word = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, word, word, word])
        function = builder.module.globals.get("llvm.prefetch.p0") or ir.Function(
            builder.module, kind, name="llvm.prefetch.p0"
        )
        builder.call(function, [pointer, word(1), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(types.intp), generate


@njit(**LOOP)
def prefetch_row(address, row, row_bytes):
    """Load the row of an array (address of its data, bytes of a row) into the cache, ahead of its use."""
    start = address + row * row_bytes
    for offset in range(0, row_bytes, 64):
        _prefetch(start + offset)


@njit(**LOOP)
def power_of_two(z):
    """2**z for -1000 < z < 1000 (outside: the value at the border)."""
    z = min(max(z, -1000.0), 1000.0)
    # Adding 1.5 * 2**52 rounds to the nearest whole number and leaves it in the low bits.
    shifted = z + _SHIFT
    f = z - (shifted - _SHIFT)
    # Estrin's scheme: pairs first, so that the steps do not wait for each other.
    f2 = f * f
    f4 = f2 * f2
    low = (_C[0] + _C[1] * f) + (_C[2] + _C[3] * f) * f2
    middle = (_C[4] + _C[5] * f) + (_C[6] + _C[7] * f) * f2
    high = (_C[8] + _C[9] * f) + (_C[10] + _C[11] * f) * f2
    top = _C[12] + _C[13] * f
    p = low + f4 * middle + (f4 * f4) * (high + f4 * top)
    return p * _float_of((_bits(shifted) << 52) + _ONE_BITS)


@njit(**LOOP)
def natural_log(x):
    """ln x of a positive normal number."""
    bits = _bits(x)
    exponent = ((bits >> 52) & 2047) - 1023
    m = _float_of((bits & _MANTISSA) | _ONE_BITS)
    big = m > _SQRT2
    m = m * 0.5 if big else m
    e = float(exponent) + (1.0 if big else 0.0)
    s = (m - 1.0) / (m + 1.0)
    t = s * s
    p = 1.0 / 21.0
    p = p * t + 1.0 / 19.0
    p = p * t + 1.0 / 17.0
    p = p * t + 1.0 / 15.0
    p = p * t + 1.0 / 13.0
    p = p * t + 1.0 / 11.0
    p = p * t + 1.0 / 9.0
    p = p * t + 1.0 / 7.0
    p = p * t + 1.0 / 5.0
    p = p * t + 1.0 / 3.0
    p = p * t + 1.0
    return e * LN2 + 2.0 * s * p
