/* Two published hash functions, with ninja's seeds and constants, and little endian as on all of
 * its platforms. */
#include "emit/ninja/hash.h"

#include "base/numbers/wide.h"

static uint64_t hash_read_bytes(const char *at, size_t size)
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
        uint64_t block = hash_read_bytes(text, 8) * factor;
        block = (block ^ block >> 47) * factor;
        sum = (sum ^ block) * factor;
    }
    if (size)
        sum = (sum ^ hash_read_bytes(text, size)) * factor;
    sum = (sum ^ sum >> 47) * factor;
    return sum ^ sum >> 47;
}

/* ---- rapidhash ---- */

static const uint64_t secret[] = {UINT64_C(0x2d358dccaa6c78a5), UINT64_C(0x8bb84b93962eacc9),
                                  UINT64_C(0x4b33a62ed433d4a3)};

static void hash_multiply(uint64_t *low, uint64_t *high)
{
    br_uwide product = (br_uwide)*low * *high;
    *low = (uint64_t)product;
    *high = (uint64_t)(product >> 64);
}

static uint64_t hash_mix(uint64_t a, uint64_t b)
{
    hash_multiply(&a, &b);
    return a ^ b;
}

static uint64_t hash_word(const char *at)
{
    return hash_read_bytes(at, 8);
}

static void hash_read_short(const char *text, size_t size, uint64_t *a, uint64_t *b)
{
    *a = *b = 0;
    if (size >= 4) {
        const char *last = text + size - 4;
        size_t step = (size & 24) >> (size >> 3);
        *a = hash_read_bytes(text, 4) << 32 | hash_read_bytes(last, 4);
        *b = hash_read_bytes(text + step, 4) << 32 | hash_read_bytes(last - step, 4);
    } else if (size) {
        *a = hash_read_bytes(text, 1) << 56 | hash_read_bytes(text + size / 2, 1) << 32 |
             hash_read_bytes(text + size - 1, 1);
    }
}

uint64_t br_ninja_rapid(const char *text, size_t size)
{
    uint64_t sum = UINT64_C(0xbdd89aa982704029), a, b;
    size_t left = size;
    sum ^= hash_mix(sum ^ secret[0], secret[1]) ^ size;
    if (size <= 16) {
        hash_read_short(text, size, &a, &b);
    } else {
        if (left > 48) {
            uint64_t second = sum, third = sum;
            for (; left >= 48; text += 48, left -= 48) {
                sum = hash_mix(hash_word(text) ^ secret[0], hash_word(text + 8) ^ sum);
                second = hash_mix(hash_word(text + 16) ^ secret[1], hash_word(text + 24) ^ second);
                third = hash_mix(hash_word(text + 32) ^ secret[2], hash_word(text + 40) ^ third);
            }
            sum ^= second ^ third;
        }
        if (left > 16)
            sum = hash_mix(hash_word(text) ^ secret[2], hash_word(text + 8) ^ sum ^ secret[1]);
        if (left > 32)
            sum = hash_mix(hash_word(text + 16) ^ secret[2], hash_word(text + 24) ^ sum);
        /* The last sixteen bytes, some of which may have been hashed already. */
        a = hash_word(text + left - 16);
        b = hash_word(text + left - 8);
    }
    a ^= secret[1];
    b ^= sum;
    hash_multiply(&a, &b);
    return hash_mix(a ^ secret[0] ^ size, b ^ secret[1]);
}
