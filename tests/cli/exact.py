"""Correctly rounded numbers, from fractions: what exact results have to be. No tests here."""

import math
import random
import struct
from fractions import Fraction

# Type: bits of the significand, exponents of the least normal and of the greatest number, bits of the whole.
FORMATS = {"f16": (11, -14, 15, 16), "bf16": (8, -126, 127, 16), "f32": (24, -126, 127, 32), "f64": (53, -1022, 1023, 64)}
INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "iu" for bits in (8, 16, 32, 64)}
LETTERS = {"f16": "e", "f32": "f", "f64": "d", "bool": "B", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
           "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
DTYPES = ["bool", *INTEGERS, *FORMATS]
NAN, INFINITY = float("nan"), float("inf")


def nearest(exact, dtype):
    """The fraction, rounded once to nearest, ties to even; infinities and NaN stay what they are."""
    if isinstance(exact, float) and not math.isfinite(exact):
        return exact
    bits, least, greatest, _ = FORMATS[dtype]
    exact = Fraction(exact)
    if exact == 0:
        return 0.0
    exponent = abs(exact.numerator).bit_length() - exact.denominator.bit_length()
    if abs(exact) < Fraction(2) ** exponent:
        exponent -= 1
    quantum = Fraction(2) ** (max(exponent, least) - bits + 1)
    rounded = round(exact / quantum) * quantum
    if abs(rounded) >= Fraction(2) ** (greatest + 1):
        return INFINITY if rounded > 0 else -INFINITY
    return float(rounded)


def root(exact):
    """A fraction that rounds as the square root of `exact` does: the root, or the middle between the two multiples of
    2^-1200 that it lies between. The numbers of every format, and the middles between them, are such multiples."""
    if isinstance(exact, float) and not math.isfinite(exact):
        return exact
    scaled = Fraction(exact) * 4**1200
    whole = math.isqrt(math.floor(scaled))
    return Fraction(2 * whole + (whole * whole != scaled), 2 * 2**1200)


def bits_of(value, dtype):
    """The bits of a value that `dtype` holds."""
    if dtype == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    return int.from_bytes(struct.pack("<" + LETTERS[dtype], value if dtype in FORMATS else int(value)), "little")


def value_of(bits, dtype):
    if dtype == "bf16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    width = struct.calcsize("<" + LETTERS[dtype])
    return struct.unpack("<" + LETTERS[dtype], bits.to_bytes(width, "little"))[0]


def data_of(values, dtype):
    if dtype == "bf16":
        return struct.pack(f"<{len(values)}H", *(bits_of(value, dtype) for value in values))
    return struct.pack(f"<{len(values)}{LETTERS[dtype]}", *values)


def hex_of(exact, dtype):
    """What --hex prints for `exact`, a number that has yet to be rounded."""
    value = nearest(exact, dtype) if dtype in FORMATS else exact
    digits = (FORMATS[dtype][3] if dtype in FORMATS else 8 * struct.calcsize("<" + LETTERS[dtype])) // 4
    return f"0x{bits_of(value, dtype):0{digits}x}"


def any_finite(dtype, generator):
    """Any bits but those of infinities and NaN."""
    if dtype == "bool":
        return generator.randint(0, 1)
    if dtype in INTEGERS:
        sign, bits = INTEGERS[dtype]
        return generator.randint(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if sign == "i" else generator.randrange(2**bits)
    while True:
        value = value_of(generator.getrandbits(FORMATS[dtype][3]), dtype)
        if math.isfinite(value):
            return value


def modest(dtype, generator):
    """A number whose squares are far from all limits."""
    if dtype in FORMATS:
        return nearest(Fraction(generator.uniform(0.25, 4) * generator.choice((-1, 1))), dtype)
    return generator.randint(0, 1) if dtype == "bool" else generator.randint(-50 if dtype[0] == "i" else 0, 100)


def rows(dtype, length, seed):
    """Rows of `length` elements of each kind: modest, of any bits, cancelling, and all the same."""
    generator = random.Random(f"{seed} {dtype} {length}")
    wild = [any_finite(dtype, generator) for _ in range(length)]
    cancelling = list(wild)
    for i in range(1, length, 2):
        cancelling[i] = -cancelling[i - 1] if dtype in FORMATS else cancelling[i - 1]
    generator.shuffle(cancelling)
    same = any_finite(dtype, generator)
    return [[modest(dtype, generator) for _ in range(length)], wild, cancelling, [same] * length]
