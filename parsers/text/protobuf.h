/* Messages of protocol buffers, walked field by field without a schema: a reader takes the fields
 * that it knows by their numbers and passes over the others. */
#ifndef BR_PARSERS_TEXT_PROTOBUF_H
#define BR_PARSERS_TEXT_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum br_proto_kind { BR_PROTO_NUMBER, BR_PROTO_FIXED64, BR_PROTO_BYTES, BR_PROTO_FIXED32 = 5 };

struct br_proto {
    const uint8_t *at, *end; /* what is left of the message; borrowed */
    bool damaged;            /* the message is cut short, or is no message */
    /* The field that was read last. */
    uint32_t field;
    enum br_proto_kind kind;
    uint64_t number;      /* of all kinds but bytes: as the wire has it */
    const uint8_t *bytes; /* of bytes: a text, a message, or packed numbers */
    size_t size;
};

struct br_proto br_proto_of(const void *bytes, size_t size);
/* Moves to the next field; false at the end, and if the message is damaged. */
bool br_proto_next(struct br_proto *message);
/* Is the field that was read the one of this number, and of bytes or of a plain number? */
bool br_proto_is_bytes(const struct br_proto *message, uint32_t field);
bool br_proto_is_number(const struct br_proto *message, uint32_t field);
/* The message that the field which was read last holds; an empty one if it is a number. */
struct br_proto br_proto_inside(const struct br_proto *message);
/* Reads a number of seven bits a byte, as packed fields and lengths before messages have it; false
 * at the end, and if it is damaged. */
bool br_proto_varint(struct br_proto *message, uint64_t *number);
/* Copies the text of the field, cut to the room, with what no line can show as '?'. */
void br_proto_text(const struct br_proto *message, char *text, size_t room);

#endif
