/* The only user of libxml2. Its SAX2 interface serves better here than its text reader: exact
 * places beyond line 65535, and no tree.
 *
 * After a failure the source reports its end. This ends libxml2 at once, without touching its state
 * from inside a callback. */
#include "parsers/text/xml.h"

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/text/foreign.h"

/* libxml2 refuses nesting deeper than 256. */
enum { TEXT_MAX = 1 << 20, DEPTH_MAX = 512 };

struct reader {
    struct br_xml element; /* first, so that handlers' pointers lead back here */
    struct br_source *source;
    const struct br_xml_handler *handler;
    void *context;
    enum br_status status; /* of the first failure */
    xmlParserCtxtPtr parser;

    uint32_t spaces[DEPTH_MAX + 1]; /* by depth: namespaces in force there */
    uint32_t skipped;               /* depth of the skipped element; 0: none */

    const xmlChar **attribute; /* five entries each, libxml2's */
    int attributes;
    char *scratch; /* the values, one after the other, each with a NUL */
    size_t scratch_room;

    uint32_t text_depth; /* the element whose text is kept; 0: none */
    char *text;
    size_t text_size, text_room;
};

/* The start of the tag just read: its "<" is the last one, since values cannot hold one. If
 * libxml2's buffer no longer reaches back that far, the end of the tag. */
static struct br_pos tag_place(xmlParserCtxtPtr parser)
{
    const xmlParserInput *input = parser->input;
    if (!input || input->line < 1)
        return BR_NO_POS;
    struct br_pos end = {(uint32_t)input->line, (uint32_t)(input->col > 0 ? input->col : 0)};
    const xmlChar *p = input->cur;
    uint32_t lines = 0, columns = 0;
    while (p > input->base && *p != '<') {
        p--;
        lines += *p == '\n';
        columns += (*p & 0xc0) != 0x80; /* characters, not bytes */
    }
    if (*p != '<' || lines >= end.line)
        return end;
    if (lines == 0)
        return (struct br_pos){end.line, end.column > columns ? end.column - columns : 0};
    struct br_pos pos = {end.line - lines, 1};
    for (; p > input->base && p[-1] != '\n'; p--)
        pos.column += (p[-1] & 0xc0) != 0x80;
    if (p == input->base)
        pos.column = 0; /* the line's beginning is no longer there */
    return pos;
}

static void text_xml_fail(struct reader *reader, enum br_status status)
{
    if (!reader->status)
        reader->status = status;
}

static void place_at(struct reader *reader, struct br_pos pos)
{
    reader->element.pos = pos;
    reader->element.diag->line = pos.line;
    reader->element.diag->column = pos.column;
}

static void text_xml_refuse_number(struct reader *reader)
{
    struct br_pos pos = {(uint32_t)reader->parser->input->line, 0};
    text_xml_fail(
        reader,
        br_fail_at(reader->element.diag, pos, BR_BAD_INPUT, "leave some out",
                   "an element has more than %d attributes, or %d namespaces are declared for it",
                   BR_XML_ATTRIBUTES, BR_XML_SPACES));
}

static void text_xml_on_start(void *data, const xmlChar *name, const xmlChar *prefix,
                              const xmlChar *uri, int namespaces, const xmlChar **declared,
                              int attributes, int defaulted, const xmlChar **attribute)
{
    struct reader *reader = data;
    struct br_xml *xml = &reader->element;
    (void)prefix, (void)declared, (void)defaulted;
    xml->depth++;
    if (reader->status || xml->depth > DEPTH_MAX)
        return;
    reader->spaces[xml->depth] = reader->spaces[xml->depth - 1] + (uint32_t)namespaces;
    if (attributes > BR_XML_ATTRIBUTES || reader->spaces[xml->depth] > BR_XML_SPACES) {
        text_xml_refuse_number(reader);
        return;
    }
    if (reader->skipped)
        return;
    xml->name = (const char *)name;
    xml->space = uri ? (const char *)uri : "";
    reader->attribute = attribute;
    reader->attributes = attributes;
    size_t room = 0;
    for (int a = 0; a < attributes; a++)
        room += (size_t)(attribute[5 * a + 4] - attribute[5 * a + 3]) + 1;
    if (room > reader->scratch_room) {
        free(reader->scratch);
        reader->scratch_room = 0;
        reader->scratch = malloc(room * 2);
        if (!reader->scratch) {
            text_xml_fail(reader, br_fail_memory(xml->diag));
            return;
        }
        reader->scratch_room = room * 2;
    }
    char *copy = reader->scratch;
    for (int a = 0; a < attributes; a++) {
        size_t length = (size_t)(attribute[5 * a + 4] - attribute[5 * a + 3]);
        memcpy(copy, attribute[5 * a + 3], length);
        copy[length] = 0;
        copy += length + 1;
    }
    assert(!copy || copy == reader->scratch + room);
    place_at(reader, tag_place(reader->parser));
    text_xml_fail(reader, reader->handler->start(reader->context, xml));
    reader->attributes = 0;
}

static void text_xml_on_end(void *data, const xmlChar *name, const xmlChar *prefix,
                            const xmlChar *uri)
{
    struct reader *reader = data;
    struct br_xml *xml = &reader->element;
    (void)prefix;
    assert(xml->depth > 0);
    uint32_t depth = xml->depth--;
    if (reader->status)
        return;
    if (reader->skipped) {
        assert(depth >= reader->skipped);
        if (reader->skipped == depth)
            reader->skipped = 0;
        return;
    }
    xml->depth = depth;
    xml->name = (const char *)name;
    xml->space = uri ? (const char *)uri : "";
    const char *text = NULL;
    if (reader->text_depth == depth) {
        reader->text_depth = 0;
        text = reader->text_size ? reader->text : "";
    }
    place_at(reader, (struct br_pos){(uint32_t)reader->parser->input->line,
                                     (uint32_t)reader->parser->input->col});
    text_xml_fail(reader, reader->handler->end(reader->context, xml, text));
    xml->depth = depth - 1;
}

/* Text at a wrong place; blanks are allowed everywhere. */
static void refuse_text(struct reader *reader, const char *text, int length)
{
    int at = 0;
    while (at < length && strchr(" \t\r\n", text[at]))
        at++;
    if (at == length || !reader->handler->only_known)
        return;
    struct br_pos pos = {(uint32_t)reader->parser->input->line, 0};
    for (int k = at; k < length; k++)
        pos.line -= text[k] == '\n' && pos.line > 1;
    int end = at;
    while (end < length && end - at < 40 && text[end] != '\n')
        end++;
    text_xml_fail(reader,
                  br_fail_at(reader->element.diag, pos, BR_BAD_INPUT,
                             "only <command> holds text; give notes a namespace of their own",
                             "text is not allowed here: '%.*s'", end - at, text + at));
}

static void on_text(void *data, const xmlChar *text, int length)
{
    struct reader *reader = data;
    if (reader->status || length <= 0 || reader->skipped)
        return;
    if (reader->text_depth != reader->element.depth) {
        refuse_text(reader, (const char *)text, length);
        return;
    }
    size_t need = reader->text_size + (size_t)length + 1;
    if (need > TEXT_MAX) {
        text_xml_fail(reader,
                      br_fail(reader->element.diag, BR_BAD_INPUT, "write a shorter text",
                              "the text of <%s> is longer than 1 MiB", reader->element.name));
        return;
    }
    if (need > reader->text_room) {
        char *larger = realloc(reader->text, need * 2);
        if (!larger) {
            text_xml_fail(reader, br_fail_memory(reader->element.diag));
            return;
        }
        reader->text = larger;
        reader->text_room = need * 2;
    }
    assert(reader->text_size + (size_t)length < reader->text_room);
    memcpy(reader->text + reader->text_size, text, (size_t)length);
    reader->text_size += (size_t)length;
    reader->text[reader->text_size] = 0;
}

static void on_doctype(void *data, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
    struct reader *reader = data;
    (void)name, (void)id, (void)system;
    if (reader->status)
        return;
    place_at(reader, tag_place(reader->parser));
    text_xml_fail(reader, br_fail(reader->element.diag, BR_BAD_INPUT,
                                  "remove it; jobs need neither a DTD nor entities",
                                  "document type declarations are refused"));
}

#if LIBXML_VERSION >= 21200
static void on_error(void *data, const xmlError *error)
#else
static void on_error(void *data, xmlErrorPtr error)
#endif
{
    struct reader *reader = data;
    /* An undeclared prefix is no reason to refuse: elements that we read have none. */
    if (reader->status || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE)
        return;
    if (error->code == XML_ERR_NO_MEMORY)
        return; /* reported at the end, as whenever memory is out */
    const char *hint = "the XML has to be well-formed";
    const char *what = error->message ? error->message : "unknown fault";
    struct br_pos pos = {error->line > 0 ? (uint32_t)error->line : 0,
                         error->int2 > 0 ? (uint32_t)error->int2 : 0};
    if (pos.line == 0 && reader->parser && reader->parser->input)
        pos.line = (uint32_t)reader->parser->input->line;
    if (error->code == XML_ERR_INVALID_ENCODING || error->domain == XML_FROM_I18N ||
        strstr(what, "not proper UTF-8")) {
        what = "the text does not fit its encoding";
        hint = "save the file as UTF-8, or declare the encoding in its first line";
    } else if (error->code == XML_ERR_DOCUMENT_EMPTY) {
        what = "the document is empty";
        hint = "give it a root element";
    } else if (strstr(what, "XML_PARSE_HUGE") && strstr(what, "depth")) {
        what = "elements are nested too deeply";
        hint = "nest less than 256 elements";
    } else if (strstr(what, "XML_PARSE_HUGE")) {
        what = "a single name, value or comment is too long";
        hint = "keep each below 10 MB";
    }
    size_t length = strcspn(what, "\n");
    text_xml_fail(reader, br_fail_at(reader->element.diag, pos, BR_BAD_INPUT, hint, "%.*s",
                                     (int)(length < 400 ? length : 400), what));
}

/* libxml2 passes on only whole tags, and never one without an end. The parser's room shows how much
 * it holds of the current tag: five entries per attribute, two per namespace, and room for at most
 * twice as many. These members are deprecated since libxml2 2.14, but nothing else shows it. */
static bool is_tag_endless(const struct reader *reader)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return reader->parser && (reader->parser->maxatts > 2 * 5 * BR_XML_ATTRIBUTES ||
                              reader->parser->nsMax > 2 * 2 * BR_XML_SPACES);
#pragma GCC diagnostic pop
}

static int text_xml_on_read(void *data, char *to, int size)
{
    struct reader *reader = data;
    if (reader->status || size <= 0)
        return 0;
    if (is_tag_endless(reader)) {
        text_xml_refuse_number(reader);
        return 0;
    }
    ssize_t n = br_source_read(reader->source, to, (size_t)size);
    if (n < 0) {
        text_xml_fail(reader, br_source_fail(reader->source, reader->element.diag));
        return 0;
    }
    return (int)n;
}

static int on_close(void *data)
{
    (void)data;
    return 0;
}

const char *br_xml_attribute(struct br_xml *xml, const char *name)
{
    struct reader *reader = (struct reader *)xml;
    const char *value = reader->scratch;
    for (int a = 0; a < reader->attributes; a++) {
        const xmlChar **entry = reader->attribute + 5 * a; /* name, prefix, space, begin, end */
        if (!entry[1] && strcmp((const char *)entry[0], name) == 0)
            return value;
        value += entry[4] - entry[3] + 1;
    }
    return NULL;
}

bool br_xml_is_our_space(const char *space)
{
    static const char ours[] = "urn:bigrocks:";
    return strncmp(space, ours, sizeof ours - 1) == 0;
}

const char *br_xml_stray_attribute(struct br_xml *xml, const char *const *known, const char **space)
{
    const struct reader *reader = (const struct reader *)xml;
    for (int a = 0; a < reader->attributes; a++) {
        const char *const *entry = (const char *const *)reader->attribute + 5 * a, *const * k;
        *space = entry[2] ? entry[2] : "";
        /* An undeclared prefix is foreign. */
        if (entry[1] && !br_xml_is_our_space(*space))
            continue;
        for (k = known; !entry[1] && *k && strcmp(*k, entry[0]) != 0;)
            k++;
        if (entry[1] || !*k)
            return entry[0];
    }
    return NULL;
}

void br_xml_skip(struct br_xml *xml)
{
    assert(!((struct reader *)xml)->skipped && xml->depth > 0);
    ((struct reader *)xml)->skipped = xml->depth;
}

void br_xml_keep_text(struct br_xml *xml)
{
    struct reader *reader = (struct reader *)xml;
    reader->text_depth = xml->depth;
    reader->text_size = 0;
}

/* libxml2 initialises itself at its first use, which must not be in two threads at once. */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static void text_xml_prepare(void)
{
    xmlMemSetup(free, br_foreign_alloc, br_foreign_resize, br_foreign_text);
    xmlInitParser();
}

enum br_status br_xml_read(struct br_source *source, const struct br_xml_handler *handler,
                           void *context, struct br_diag *diag)
{
    struct br_diag own = {0};
    struct reader reader = {.element = {.diag = diag ? diag : &own},
                            .source = source,
                            .handler = handler,
                            .context = context};
    xmlSAXHandler sax = {.initialized = XML_SAX2_MAGIC,
                         .startElementNs = text_xml_on_start,
                         .endElementNs = text_xml_on_end,
                         .characters = on_text,
                         .cdataBlock = on_text,
                         .ignorableWhitespace = on_text,
                         .internalSubset = on_doctype,
                         .serror = (xmlStructuredErrorFunc)on_error};
    pthread_once(&prepared, text_xml_prepare);
#if LIBXML_VERSION >= 21200
    /* From here on libxml2 aborts if a thread's own data gets no memory. */
    if (xmlCheckThreadLocalStorage() != 0)
        return br_fail_memory(reader.element.diag);
#endif
    br_foreign_was_out();
    /* Faults of a character encoding bypass the parser's handler and would be printed; the thread's
     * handler catches them, and is restored afterwards. */
    void *outer_context = xmlStructuredErrorContext;
    xmlStructuredErrorFunc outer = xmlStructuredError;
    xmlSetStructuredErrorFunc(&reader, (xmlStructuredErrorFunc)on_error);
    reader.parser = xmlCreateIOParserCtxt(&sax, &reader, text_xml_on_read, on_close, &reader,
                                          XML_CHAR_ENCODING_NONE);
    if (reader.parser) {
        /* NOENT: else "&amp;" in an attribute comes as "&#38;". Only the predefined entities can be
         * replaced, since declarations are refused. */
        xmlCtxtUseOptions(reader.parser, XML_PARSE_NONET | XML_PARSE_NOENT);
        xmlParseDocument(reader.parser);
        if (br_foreign_was_out())
            reader.status = br_fail_memory(reader.element.diag);
        if (!reader.status && !reader.parser->wellFormed)
            text_xml_fail(&reader, br_fail(reader.element.diag, BR_BAD_INPUT, NULL,
                                           "the XML is not well-formed"));
        if (reader.parser->myDoc)
            xmlFreeDoc(reader.parser->myDoc);
        xmlFreeParserCtxt(reader.parser);
    } else {
        text_xml_fail(&reader, br_fail_memory(reader.element.diag));
    }
    assert(reader.status || reader.element.depth == 0);
    xmlSetStructuredErrorFunc(outer_context, outer);
    free(reader.scratch);
    free(reader.text);
    return reader.status;
}
