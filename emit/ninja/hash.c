/* Two published hash functions, with the seeds and constants that ninja has them with, and little
 * endian as all of its platforms are. */
#include "emit/ninja/hash.h"

#include "base/numbers/wide.h"

static uint64_t read_bytes(const char *at, size_t size)
{
    uint64_t value = 0;
    for (size_t k = 0; k < size; k++)
        value |= (uint64_t)(unsigned char)at[k] << (8 * k);
    return value;
}

/* ---- MurmurHash64A ---- */

uint64_t br_ninja_murmur(const char *text, size_t size)
{
    const uint64_t factor = UINT64_C(0xc6a4a7935bd1e995);
    uint64_t sum = UINT64_C(0xdecafbaddecafbad) ^ (size * factor);
    for (; size >= 8; text += 8, size -= 8) {
        uint64_t block = read_bytes(text, 8) * factor;
        block = (block ^ block >> 47) * factor;
        sum = (sum ^ block) * factor;
    }
    if (size)
        sum = (sum ^ read_bytes(text, size)) * factor;
    sum = (sum ^ sum >> 47) * factor;
    return sum ^ sum >> 47;
}

/* ---- rapidhash ---- */

static const uint64_t secret[] = {UINT64_C(0x2d358dccaa6c78a5), UINT64_C(0x8bb84b93962eacc9),
                                  UINT64_C(0x4b33a62ed433d4a3)};

static void multiply(uint64_t *low, uint64_t *high)
{
    br_uwide product = (br_uwide)*low * *high;
    *low = (uint64_t)product;
    *high = (uint64_t)(product >> 64);
}

static uint64_t mix(uint64_t a, uint64_t b)
{
    multiply(&a, &b);
    return a ^ b;
}

static uint64_t word(const char *at)
{
    return read_bytes(at, 8);
}

static void read_short(const char *text, size_t size, uint64_t *a, uint64_t *b)
{
    *a = *b = 0;
    if (size >= 4) {
        const char *last = text + size - 4;
        size_t step = (size & 24) >> (size >> 3);
        *a = read_bytes(text, 4) << 32 | read_bytes(last, 4);
        *b = read_bytes(text + step, 4) << 32 | read_bytes(last - step, 4);
    } else if (size) {
        *a = read_bytes(text, 1) << 56 | read_bytes(text + size / 2, 1) << 32 |
             read_bytes(text + size - 1, 1);
    }
}

uint64_t br_ninja_rapid(const char *text, size_t size)
{
    uint64_t sum = UINT64_C(0xbdd89aa982704029), a, b;
    size_t left = size;
    sum ^= mix(sum ^ secret[0], secret[1]) ^ size;
    if (size <= 16) {
        read_short(text, size, &a, &b);
    } else {
        if (left > 48) {
            uint64_t second = sum, third = sum;
            for (; left >= 48; text += 48, left -= 48) {
                sum = mix(word(text) ^ secret[0], word(text + 8) ^ sum);
                second = mix(word(text + 16) ^ secret[1], word(text + 24) ^ second);
                third = mix(word(text + 32) ^ secret[2], word(text + 40) ^ third);
            }
            sum ^= second ^ third;
        }
        if (left > 16)
            sum = mix(word(text) ^ secret[2], word(text + 8) ^ sum ^ secret[1]);
        if (left > 32)
            sum = mix(word(text + 16) ^ secret[2], word(text + 24) ^ sum);
        /* The last sixteen bytes, some of which may have had their turn. */
        a = word(text + left - 16);
        b = word(text + left - 8);
    }
    a ^= secret[1];
    b ^= sum;
    multiply(&a, &b);
    return mix(a ^ secret[0] ^ size, b ^ secret[1]);
}
