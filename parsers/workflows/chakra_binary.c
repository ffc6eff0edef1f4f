/* The form of Chakra's traces that simulators read (.et, perhaps compressed by gzip): messages of
 * protocol buffers, each behind its length. The first is of the whole, the others are nodes; the
 * numbers of the fields are those of et_def.proto (1.0.0). */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "parsers/text/protobuf.h"
#include "parsers/workflows/chakra_forms.h"

enum { VERSION = 1, WHOLE_ATTR };
enum { ID = 1, NAME, TYPE, CTRL_DEPS, DATA_DEPS, DURATION = 7, ATTR = 10 };
enum {
    ATTR_NAME = 1,
    ATTR_INT32 = 7,
    ATTR_INT64 = 9,
    ATTR_UINT32 = 11,
    ATTR_UINT64 = 13,
    ATTR_BOOL = 27
};

/* Is it a version such as 1.1.1-chakra.0.0.4, and no text that looks alike? */
static bool binary_is_version(const uint8_t *text, size_t size, size_t there)
{
    bool dot = false;
    if (size < 3 || size > 31 || size > there || text[0] < '0' || text[0] > '9')
        return false;
    for (size_t k = 0; k < size; k++) {
        dot |= text[k] == '.';
        if (!isalnum(text[k]) && text[k] != '.' && text[k] != '-' && text[k] != '_')
            return false;
    }
    return dot;
}

/* The first message has a version, or a named attribute, perhaps of more than 127 bytes. */
bool chakra_is_binary(const char *text)
{
    struct br_proto file = br_proto_of(text, strlen(text));
    uint64_t length;
    if (!br_proto_varint(&file, &length) || length < 4 || file.end - file.at < 4)
        return false;
    const uint8_t *at = file.at, name = ATTR_NAME << 3 | BR_PROTO_BYTES;
    if (at[0] == (VERSION << 3 | BR_PROTO_BYTES))
        return at[1] + 2u <= length &&
               binary_is_version(at + 2, at[1], (size_t)(file.end - at) - 2);
    return at[0] == (WHOLE_ATTR << 3 | BR_PROTO_BYTES) &&
           (at[2] == name || (at[1] & 0x80 && at[2] < 0x80 && at[3] == name));
}

static enum br_status binary_damaged(struct chakra *all, uint32_t number)
{
    return br_fail_at(all->diag, BR_NO_POS, BR_BAD_INPUT,
                      "is the file whole, and a trace that chakra_converter wrote?",
                      "message %" PRIu32 " of the trace is cut short or damaged", number);
}

/* One number, or several in one field. */
static enum br_status binary_needs(struct chakra *all, const struct br_proto *field, bool *damaged)
{
    if (field->kind == BR_PROTO_NUMBER)
        return chakra_need(all, field->number, field->field == CTRL_DEPS);
    struct br_proto packed = br_proto_inside(field);
    uint64_t id;
    enum br_status status = BR_OK;
    while (!status && br_proto_varint(&packed, &id))
        status = chakra_need(all, id, field->field == CTRL_DEPS);
    *damaged |= packed.damaged;
    return status;
}

static void binary_attribute(struct br_proto attribute, struct chakra_node *node, bool *damaged)
{
    char name[16] = "";
    uint64_t number = 0;
    while (br_proto_next(&attribute)) {
        if (br_proto_is_bytes(&attribute, ATTR_NAME))
            br_proto_text(&attribute, name, sizeof name);
        else if (attribute.kind == BR_PROTO_NUMBER &&
                 (attribute.field == ATTR_INT32 || attribute.field == ATTR_INT64 ||
                  attribute.field == ATTR_UINT32 || attribute.field == ATTR_UINT64 ||
                  attribute.field == ATTR_BOOL))
            number = attribute.number;
    }
    *damaged |= attribute.damaged;
    chakra_attribute(node, name, number);
}

static enum br_status binary_node(struct chakra *all, struct br_proto message, uint32_t number)
{
    struct chakra_node node = {0};
    bool damaged = false;
    enum br_status status = BR_OK;
    while (!status && br_proto_next(&message)) {
        if (br_proto_is_number(&message, ID))
            node.id = message.number;
        else if (br_proto_is_bytes(&message, NAME))
            br_proto_text(&message, node.name, sizeof node.name);
        else if (br_proto_is_number(&message, TYPE))
            node.type = message.number;
        else if (message.field == CTRL_DEPS || message.field == DATA_DEPS)
            status = binary_needs(all, &message, &damaged);
        else if (br_proto_is_number(&message, DURATION))
            node.micros = message.number;
        else if (br_proto_is_bytes(&message, ATTR))
            binary_attribute(br_proto_inside(&message), &node, &damaged);
    }
    if (status)
        return status;
    return damaged || message.damaged ? binary_damaged(all, number) : chakra_add(all, &node);
}

enum br_status chakra_read_binary(struct chakra *all, const char *bytes, size_t size)
{
    struct br_proto file = br_proto_of(bytes, size);
    uint64_t length;
    uint32_t number = 0;
    enum br_status status = BR_OK;
    while (!status && br_proto_varint(&file, &length)) {
        number++;
        if (length > (size_t)(file.end - file.at))
            return binary_damaged(all, number);
        struct br_proto message = br_proto_of(file.at, (size_t)length);
        file.at += length;
        if (number > 1) {
            status = binary_node(all, message, number);
            continue;
        }
        while (br_proto_next(&message))
            ;
        if (message.damaged)
            status = binary_damaged(all, number);
    }
    return !status && file.damaged ? binary_damaged(all, number + 1) : status;
}
