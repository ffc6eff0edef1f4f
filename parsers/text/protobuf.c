#include "parsers/text/protobuf.h"

#include <string.h>

#include "base/text/text.h"

struct br_proto br_proto_of(const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    return (struct br_proto){.at = at, .end = at + size};
}

static bool proto_damaged(struct br_proto *message)
{
    message->damaged = true;
    message->at = message->end;
    return false;
}

bool br_proto_varint(struct br_proto *message, uint64_t *number)
{
    *number = 0;
    if (message->at == message->end)
        return false;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (message->at == message->end)
            return proto_damaged(message);
        const uint8_t byte = *message->at++;
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return proto_damaged(message);
}

static bool proto_fixed(struct br_proto *message, unsigned size)
{
    message->number = 0;
    if ((size_t)(message->end - message->at) < size)
        return proto_damaged(message);
    for (unsigned k = 0; k < size; k++)
        message->number |= (uint64_t)*message->at++ << (8 * k);
    return true;
}

static bool proto_bytes(struct br_proto *message)
{
    uint64_t size;
    if (!br_proto_varint(message, &size) || size > (size_t)(message->end - message->at))
        return proto_damaged(message);
    message->bytes = message->at;
    message->size = (size_t)size;
    message->at += size;
    return true;
}

bool br_proto_next(struct br_proto *message)
{
    uint64_t key;
    if (!br_proto_varint(message, &key))
        return false;
    if (key >> 3 == 0 || key >> 3 > UINT32_MAX)
        return proto_damaged(message);
    message->field = (uint32_t)(key >> 3);
    switch (key & 7) {
    case BR_PROTO_NUMBER:
        message->kind = BR_PROTO_NUMBER;
        return br_proto_varint(message, &message->number) || proto_damaged(message);
    case BR_PROTO_FIXED64:
        message->kind = BR_PROTO_FIXED64;
        return proto_fixed(message, 8);
    case BR_PROTO_BYTES:
        message->kind = BR_PROTO_BYTES;
        return proto_bytes(message);
    case BR_PROTO_FIXED32:
        message->kind = BR_PROTO_FIXED32;
        return proto_fixed(message, 4);
    default: /* groups, which no schema has that is read here */
        return proto_damaged(message);
    }
}

bool br_proto_is_bytes(const struct br_proto *message, uint32_t field)
{
    return message->field == field && message->kind == BR_PROTO_BYTES;
}

bool br_proto_is_number(const struct br_proto *message, uint32_t field)
{
    return message->field == field && message->kind == BR_PROTO_NUMBER;
}

struct br_proto br_proto_inside(const struct br_proto *message)
{
    if (message->kind != BR_PROTO_BYTES)
        return (struct br_proto){.at = message->end, .end = message->end};
    return br_proto_of(message->bytes, message->size);
}

void br_proto_text(const struct br_proto *message, char *text, size_t room)
{
    size_t size = message->size < room - 1 ? message->size : room - 1;
    while (size > 0 && size < message->size && (message->bytes[size] & 0xc0) == 0x80)
        size--; /* not within a character */
    memcpy(text, message->bytes, size);
    text[size] = 0;
    br_text_screen(text);
}
