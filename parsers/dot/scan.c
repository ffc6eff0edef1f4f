/* A tokenizer of the DOT language, with just enough grammar to recognise nodes: an ID outside
 * brackets that is no keyword, no "name = value", no name of a subgraph and no port. */
#include "parsers/dot/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/collections/grow.h"

enum kind { END, ID, ARROW, OTHER };

struct token {
    enum kind kind;
    char mark;   /* of OTHER: the character */
    bool quoted; /* of ID */
    const char *text;
    size_t length;
    struct br_pos pos;
};

/* Lines such as # 40 "file", as offsets. */
struct directives {
    const char *text;
    uint32_t count, room;
    size_t *at;
    bool memory_out;
};

struct lexer {
    const char *at;
    struct directives *directives; /* NULL: not wanted */
    struct br_pos pos;
    bool open;              /* the text ends within quotes, a comment or angle brackets, */
    struct br_pos open_pos; /* which begin here */
    struct br_pos hash_pos; /* the first # that begins no comment; line 0: none */
};

static void scan_pass(struct lexer *lexer)
{
    assert(*lexer->at);
    unsigned char c = (unsigned char)*lexer->at++;
    if (c == '\n')
        lexer->pos = (struct br_pos){lexer->pos.line + 1, 1};
    else if ((c & 0xc0) != 0x80)
        lexer->pos.column++;
}

/* The construct that begins at `from` is open if the text ends here. */
static void close_from(struct lexer *lexer, struct br_pos from)
{
    if (*lexer->at)
        return;
    lexer->open = true;
    lexer->open_pos = from;
}

static void pass_until(struct lexer *lexer, const char *end)
{
    size_t length = strlen(end);
    while (*lexer->at && strncmp(lexer->at, end, length) != 0)
        scan_pass(lexer);
    for (; length && *lexer->at; length--)
        scan_pass(lexer);
}

static void pass_comment(struct lexer *lexer)
{
    struct br_pos from = lexer->pos;
    for (int k = 0; k < 2; k++) /* the star of the opening does not close the comment */
        scan_pass(lexer);
    while (*lexer->at && strncmp(lexer->at, "*/", 2) != 0)
        scan_pass(lexer);
    close_from(lexer, from);
    for (int k = 0; k < 2 && *lexer->at; k++)
        scan_pass(lexer);
}

/* A comment whose # is followed by a number, perhaps with "line" between them. */
static bool is_directive(const char *hash)
{
    const char *p = hash + 1;
    p += strncmp(p, "line", 4) == 0 ? 4 : 0;
    p += strspn(p, " \t");
    return *p >= '0' && *p <= '9';
}

/* A text is scanned again if it is looked at ahead, so the last one may come twice. */
static void scan_add_directive(struct lexer *lexer)
{
    struct directives *found = lexer->directives;
    if (!found || !is_directive(lexer->at))
        return;
    const size_t at = (size_t)(lexer->at - found->text);
    if (found->count && found->at[found->count - 1] >= at)
        return;
    if (br_grow(&found->at, found->count, &found->room, sizeof *found->at))
        found->at[found->count++] = at;
    else
        found->memory_out = true;
}

static void skip_space(struct lexer *lexer)
{
    for (;;) {
        if (*lexer->at == '#' && lexer->pos.column == 1)
            scan_add_directive(lexer);
        if (*lexer->at && strchr(" \t\r\n\f\v", *lexer->at))
            scan_pass(lexer);
        else if (strncmp(lexer->at, "//", 2) == 0 || (*lexer->at == '#' && lexer->pos.column == 1))
            pass_until(lexer, "\n");
        else if (strncmp(lexer->at, "/*", 2) == 0)
            pass_comment(lexer);
        else
            return;
    }
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || (unsigned char)c >= 0x80;
}

/* Reads from a quotation mark to the closing one, including texts joined by +. */
static void pass_quoted(struct lexer *lexer)
{
    for (bool more = true; more;) {
        struct br_pos from = lexer->pos;
        for (scan_pass(lexer); *lexer->at && *lexer->at != '"'; scan_pass(lexer))
            if (*lexer->at == '\\' && lexer->at[1])
                scan_pass(lexer);
        close_from(lexer, from);
        if (*lexer->at)
            scan_pass(lexer);
        struct lexer ahead = *lexer;
        skip_space(&ahead);
        more = *ahead.at == '+';
        if (more) {
            scan_pass(&ahead);
            skip_space(&ahead);
            more = *ahead.at == '"';
        }
        if (more)
            *lexer = ahead;
    }
}

/* Does it begin as a number and continue as something else? Numbers have digits, perhaps a point.
 */
static bool is_bad_number(const struct token *token)
{
    const char *p = token->text, *end = p + token->length;
    uint32_t digits = 0, points = 0;
    p += *p == '-';
    if (p == end || !((*p >= '0' && *p <= '9') || *p == '.'))
        return false;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && points == 0)); p++) {
        digits += *p != '.';
        points += *p == '.';
    }
    return p < end || digits == 0;
}

static struct token scan_next(struct lexer *lexer)
{
    skip_space(lexer);
    struct token token = {.kind = ID, .text = lexer->at, .pos = lexer->pos};
    if (*lexer->at == 0) {
        token.kind = END;
    } else if (*lexer->at == '"') {
        token.quoted = true;
        pass_quoted(lexer);
    } else if (*lexer->at == '<') {
        uint32_t open = 0;
        do {
            open += *lexer->at == '<';
            open -= *lexer->at == '>';
            scan_pass(lexer);
        } while (open && *lexer->at);
        if (open)
            close_from(lexer, token.pos);
    } else if (strncmp(lexer->at, "->", 2) == 0 || strncmp(lexer->at, "--", 2) == 0) {
        token.kind = ARROW;
        scan_pass(lexer);
        scan_pass(lexer);
    } else if (is_word(*lexer->at) || *lexer->at == '-') {
        do
            scan_pass(lexer);
        while (is_word(*lexer->at));
    } else {
        token.kind = OTHER;
        token.mark = *lexer->at;
        if (token.mark == '#' && lexer->hash_pos.line == 0)
            lexer->hash_pos = lexer->pos;
        scan_pass(lexer);
    }
    token.length = (size_t)(lexer->at - token.text);
    return token;
}

static bool is_keyword(const struct token *token, const char *word)
{
    return token->kind == ID && !token->quoted && token->length == strlen(word) &&
           strncasecmp(token->text, word, token->length) == 0;
}

static bool begins_graph(const struct token *token)
{
    return is_keyword(token, "digraph") || is_keyword(token, "graph") ||
           is_keyword(token, "strict");
}

struct name {
    const char *text;
    size_t length;
};

static int scan_by_text(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    if (x->length != y->length)
        return x->length < y->length ? -1 : 1;
    return memcmp(x->text, y->text, x->length);
}

/* Open braces: the last completed endpoint of an edge in each. */
struct level {
    uint64_t left; /* nodes of the last endpoint; 0: none */
    bool arrow;    /* and another one follows */
    bool named;    /* may hold nodes from earlier groups of the name */
    uint32_t first_mention;
};

enum { LEVELS = 256 }; /* deeper ones are not distinguished; readers refuse them */

struct scanner {
    struct br_dot_scan *scan;
    struct level level[LEVELS];
    uint32_t depth;
    uint32_t mention_room, port_room, empty_room, names, name_room;
    struct name *name; /* every name of an attribute, repeated */
    bool memory_out;
};

/* Leaves each name once. */
static void unite_names(struct scanner *scanner)
{
    uint32_t kept = 0;
    if (scanner->names == 0)
        return;
    qsort(scanner->name, scanner->names, sizeof *scanner->name, scan_by_text);
    for (uint32_t k = 1; k < scanner->names; k++)
        if (scan_by_text(&scanner->name[kept], &scanner->name[k]) != 0)
            scanner->name[++kept] = scanner->name[k];
    scanner->names = kept + 1;
}

static void scan_add_name(struct scanner *scanner, const struct token *token)
{
    if (scanner->names == scanner->name_room) {
        unite_names(scanner);
        /* Grows only if half of the room is distinct names, so that sorting pays. */
        if (scanner->names > scanner->name_room / 2 || scanner->name_room == 0) {
            if (!br_grow(&scanner->name, scanner->name_room, &scanner->name_room,
                         sizeof *scanner->name)) {
                scanner->memory_out = true;
                return;
            }
        }
    }
    assert(scanner->names < scanner->name_room);
    scanner->name[scanner->names++] = (struct name){token->text, token->length};
}

static void add_mention(struct scanner *scanner, const struct token *token, bool after_arrow)
{
    struct br_dot_scan *scan = scanner->scan;
    if (!br_grow(&scan->mention, scan->mentions, &scanner->mention_room, sizeof *scan->mention)) {
        scanner->memory_out = true;
        return;
    }
    scan->mention[scan->mentions++] =
        (struct br_dot_mention){token->text, (uint32_t)token->length, after_arrow, token->pos};
}

static bool is_compass(const struct token *token)
{
    static const char *const points[] = {"n", "ne", "e", "se", "s", "sw", "w", "nw", "c", "_"};
    for (size_t k = 0; k < sizeof points / sizeof *points; k++)
        if (token->length == strlen(points[k]) &&
            strncmp(token->text, points[k], token->length) == 0)
            return true;
    return false;
}

/* After the colon of the last mention. */
static void add_port(struct scanner *scanner, const struct token *token)
{
    struct br_dot_scan *scan = scanner->scan;
    if (!scan->mentions || is_compass(token))
        return;
    if (!br_grow(&scan->port, scan->ports, &scanner->port_room, sizeof *scan->port))
        scanner->memory_out = true;
    else
        scan->port[scan->ports++] =
            (struct br_dot_port){scan->mentions - 1, token->text, (uint32_t)token->length};
}

/* Reads the value after "label", from the last mention's own list. */
static void add_label(struct scanner *scanner, const struct token *name, const struct token *value)
{
    struct br_dot_scan *scan = scanner->scan;
    const char *p = value->text + 1, *end = value->text + value->length - 1;
    if (!is_keyword(name, "label") || !value->quoted)
        return;
    while (p < end && *p == ' ')
        p++;
    if (p < end)
        return;
    assert(scan->mentions > 0);
    if (!br_grow(&scan->empty, scan->empties, &scanner->empty_room, sizeof *scan->empty))
        scanner->memory_out = true;
    else
        scan->empty[scan->empties++] = scan->mentions - 1;
}

static void note_number(struct br_dot_scan *scan, const struct token *token)
{
    if (scan->number || token->kind != ID || token->quoted || !is_bad_number(token))
        return;
    scan->number = token->text;
    scan->number_length = (uint32_t)token->length;
    scan->number_pos = token->pos;
}

static struct level *scan_top(struct scanner *scanner)
{
    return &scanner->level[scanner->depth < LEVELS ? scanner->depth : LEVELS - 1];
}

/* A node, or a group of at most this many, has been read. */
static void add_endpoint(struct scanner *scanner, uint64_t nodes)
{
    struct level *level = scan_top(scanner);
    uint64_t edges;
    if (level->arrow &&
        (__builtin_mul_overflow(level->left, nodes, &edges) ||
         __builtin_add_overflow(scanner->scan->edges, edges, &scanner->scan->edges)))
        scanner->scan->edges = UINT64_MAX;
    level->left = nodes;
    level->arrow = false;
}

static void scan_open_group(struct scanner *scanner, bool named)
{
    scanner->depth++;
    if (scanner->scan->depth < scanner->depth)
        scanner->scan->depth = scanner->depth;
    *scan_top(scanner) = (struct level){.named = named, .first_mention = scanner->scan->mentions};
}

static void close_group(struct scanner *scanner)
{
    const struct level *level = scan_top(scanner);
    uint32_t all = scanner->scan->mentions;
    if (scanner->depth == 0)
        return;
    scanner->depth--;
    add_endpoint(scanner, level->named ? all : all - level->first_mention);
}

/* "subgraph name", with or without a body to come; returns the token after it. */
static struct token scan_subgraph(struct scanner *scanner, struct lexer *lexer, struct token ahead,
                                  bool *named)
{
    *named = ahead.kind == ID;
    if (*named)
        ahead = scan_next(lexer);
    if (ahead.kind != OTHER || ahead.mark != '{')
        add_endpoint(scanner, scanner->scan->mentions);
    return ahead;
}

/* Punctuation outside skipped constructs. */
static void scan_mark(struct scanner *scanner, char mark, bool named, bool *in_list)
{
    if (mark == '[' || mark == ']')
        *in_list = mark == '[';
    if (mark == '{')
        scan_open_group(scanner, named);
    else if (mark == '}')
        close_group(scanner);
    else if (!*in_list)
        scan_top(scanner)->arrow = false;
}

/* The graph ends with the last token, and `after` follows it. cgraph is not asked: its treatment of
 * the text after a graph differs by version. */
static void scan_rest(struct br_dot_scan *scan, const char *text, const struct token *last,
                      const struct token *after)
{
    scan->length = (size_t)(last->text + last->length - text);
    scan->end_pos = (struct br_pos){last->pos.line, last->pos.column + 1};
    scan->rest_pos = after->pos;
    if (begins_graph(after))
        scan->rest = BR_DOT_GRAPH;
    else if (after->kind != END)
        scan->rest = BR_DOT_STRAY;
}

bool br_dot_scan(const char *text, struct br_pos begin, struct br_dot_scan *scan)
{
    *scan = (struct br_dot_scan){.length = strlen(text), .begin = begin, .title.id = text};
    struct directives directives = {.text = text};
    struct lexer lexer = {.at = text, .directives = &directives, .pos = begin};
    struct scanner *scanner = calloc(1, sizeof *scanner);
    if (!scanner)
        return false;
    scanner->scan = scan;
    if (strncmp(text, "\xef\xbb\xbf", 3) == 0)
        lexer.at += 3;
    bool in_list = false, arrow = false, from_node = false, named = false, of_node = false;
    struct token token = scan_next(&lexer);
    for (; token.kind != END && (token.kind != OTHER || token.mark != '{');
         token = scan_next(&lexer))
        if (token.kind == ID && !begins_graph(&token))
            scan->title =
                (struct br_dot_mention){token.text, (uint32_t)token.length, false, token.pos};
    scan->open = (size_t)(token.text - text);
    while (token.kind != END && !scanner->memory_out) {
        struct token ahead = scan_next(&lexer);
        bool assigns = ahead.kind == OTHER && ahead.mark == '=';
        note_number(scan, &token);
        if (token.kind == OTHER && token.mark == ':') {
            if (!in_list && ahead.kind == ID) {
                add_port(scanner, &ahead);
                ahead = scan_next(&lexer);
            }
        } else if (token.kind == OTHER) {
            if (token.mark == '[')
                of_node = from_node && !scan->mention[scan->mentions - 1].after_arrow;
            scan_mark(scanner, token.mark, named, &in_list);
            arrow = from_node = named = false;
            if (token.mark == '}' && scanner->depth == 0) {
                scan_rest(scan, text, &token, &ahead);
                break;
            }
        } else if (token.kind == ARROW) {
            arrow = from_node;
            scan_top(scanner)->arrow = scan_top(scanner)->left > 0;
        } else if (assigns) {
            scan_add_name(scanner, &token);
            ahead = scan_next(&lexer); /* its value */
            note_number(scan, &ahead);
            if (in_list && of_node && ahead.kind == ID)
                add_label(scanner, &token, &ahead);
            if (ahead.kind == ID)
                ahead = scan_next(&lexer); /* the token after it */
            arrow = from_node = false;
        } else if (is_keyword(&token, "subgraph")) {
            ahead = scan_subgraph(scanner, &lexer, ahead, &named);
            arrow = from_node = false;
        } else if (!in_list && !is_keyword(&token, "node") && !is_keyword(&token, "edge") &&
                   !is_keyword(&token, "graph")) {
            add_mention(scanner, &token, arrow);
            scan->brackets |= *token.text == '<';
            add_endpoint(scanner, 1);
            arrow = false;
            from_node = true;
        }
        token = ahead;
    }
    if (lexer.open) {
        scan->rest = BR_DOT_OPEN;
        scan->rest_pos = lexer.open_pos;
    } else if (lexer.hash_pos.line) {
        scan->rest = BR_DOT_HASH;
        scan->rest_pos = lexer.hash_pos;
    }
    unite_names(scanner);
    scan->names = scanner->names;
    scan->directives = directives.count;
    scan->directive = directives.at;
    bool done = !scanner->memory_out && !directives.memory_out;
    free(scanner->name);
    free(scanner);
    return done;
}

void br_dot_scan_silence(const struct br_dot_scan *scan, char *text)
{
    for (uint32_t k = 0; k < scan->directives; k++) {
        assert(text[scan->directive[k]] == '#');
        text[scan->directive[k]] = text[scan->directive[k] + 1] = '/';
    }
}

void br_dot_scan_finish(struct br_dot_scan *scan)
{
    free(scan->mention);
    free(scan->port);
    free(scan->empty);
    free(scan->directive);
    scan->directive = NULL;
    scan->mention = NULL;
    scan->port = NULL;
    scan->empty = NULL;
}

/* The place after the quotation mark of the next text joined to this one by +; NULL: there is none.
 */
static const char *scan_joined(const char *after_quote, const char *end)
{
    struct lexer lexer = {.at = after_quote, .pos = {1, 2}};
    skip_space(&lexer);
    if (lexer.at >= end || *lexer.at != '+')
        return NULL;
    scan_pass(&lexer);
    skip_space(&lexer);
    return lexer.at < end && *lexer.at == '"' ? lexer.at + 1 : NULL;
}

void br_dot_unquote(const struct br_dot_mention *mention, char *id)
{
    const char *p = mention->id, *end = p + mention->length;
    if (*p == '"') {
        p++;
        end -= end > p && end[-1] == '"';
        while (p < end) {
            if (*p == '"') {
                p = scan_joined(p + 1, end);
                if (!p)
                    break;
                continue;
            }
            if (p + 1 < end && *p == '\\' && p[1] == '"') {
                p++;
            } else if (p + 1 < end && *p == '\\' && p[1] == '\n') {
                p += 2;
                continue;
            }
            *id++ = *p++;
        }
    } else {
        if (*p == '<' && end > p + 1) {
            p++;
            end--;
        }
        while (p < end)
            *id++ = *p++;
    }
    *id = 0;
}
