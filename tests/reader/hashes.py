"""From a key to a hash: docs/format.md, section 6. SipHash after Aumasson and Bernstein, 2012."""
import xxhash

M = (1 << 64) - 1

def rotl(x, n):
    return (x << n | x >> (64 - n)) & M

def sip_rounds(a, b, c, d, n):
    for _ in range(n):
        a, c = (a + b) & M, (c + d) & M
        b, d = rotl(b, 13) ^ a, rotl(d, 16) ^ c
        a, c = (rotl(a, 32) + d) & M, (c + b) & M
        b, d, c = rotl(b, 17) ^ c, rotl(d, 21) ^ a, rotl(c, 32)
    return a, b, c, d

def siphash_2_4_128(key, data):
    """Both 64-bit words of the output, as little-endian numbers."""
    k0, k1 = (int.from_bytes(key[i:i + 8], "little") for i in (0, 8))
    a, b = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE
    c, d = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    last = len(data) // 8 * 8
    for i in range(0, last + 8, 8):
        word = int.from_bytes(data[i:i + 8], "little") | (i == last and (len(data) & 0xFF) << 56)
        a, b, c, d = sip_rounds(a, b, c, d ^ word, 2)
        a ^= word
    a, b, c, d = sip_rounds(a, b, c ^ 0xEE, d, 4)
    lo = a ^ b ^ c ^ d
    a, b, c, d = sip_rounds(a, b ^ 0xDD, c, d, 4)
    return lo, a ^ b ^ c ^ d

def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M
    x = (x ^ x >> 27) * 0x94D049BB133111EB & M
    return x ^ x >> 31

def sip(secret, seed, key):
    first = int.from_bytes(secret[:8], "little") ^ seed
    return siphash_2_4_128(first.to_bytes(8, "little") + secret[8:], key)

def hash_of(name, seed, key, secret=None, wide=False):
    """Both words; wide: of a kind that needs 128 bits."""
    if name == "xxh3-128":
        whole = xxhash.xxh3_128_intdigest(key, seed)
        return whole & M, whole >> 64
    if name == "given-64":
        lo = int.from_bytes(key, "little")
        return lo, mix(lo)
    lo, hi = (xxhash.xxh3_64_intdigest(key, seed), 0) if name == "xxh3-64" else sip(secret, seed, key)
    return lo, hi if wide else mix(lo)

def key_check(secret):
    return sip(secret, 0, b"bloomery check")[0] if secret else 0
