/* The tool that a command runs, from the name of its program: the meaning of its words depends on
 * it. */
#ifndef BR_CLI_ADMISSION_TOOL_H
#define BR_CLI_ADMISSION_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_tool {
    CLI_TOOL_OTHER,
    CLI_TOOL_COMPILER, /* C and its relatives, also as the linker's driver */
    CLI_TOOL_LINKER,
    CLI_TOOL_ARCHIVER,
    CLI_TOOL_BINARY, /* strip and the like */
    CLI_TOOL_RUSTC,
    CLI_TOOL_CARGO,
    CLI_TOOL_NPM, /* and its rivals */
    CLI_TOOL_TSC,
    CLI_TOOL_SCRIPT /* a shell that npm has given a script to */
};

/* A command behind the launchers before it (ccache, npx, env). All is borrowed. */
struct cli_command_words {
    enum cli_tool tool;
    const char *program; /* without its folder */
    const char *const *word;
    uint32_t words; /* with the program, which is word 0 */
};

struct cli_command_words cli_command_words(const char *const *argument, uint32_t arguments);

/* The path's last part. */
const char *cli_base_name(const char *path);
/* Is the word in the list, which ends with NULL? */
bool cli_is_one_of(const char *word, const char *const *list);
/* Is the word, which is not the program, no option? */
bool cli_is_operand(const char *word);
/* Is it one of the command's words, the program excepted? */
bool cli_has_word(const struct cli_command_words *command, const char *word);
/* The first word behind the program that is no option; NULL: there is none. */
const char *cli_first_operand(const struct cli_command_words *command);
/* The word after the option, or joined to it by '='; NULL if there is none. Searches from word *at,
 * and sets *at to where to go on. */
const char *cli_next_value(const struct cli_command_words *command, const char *option,
                           uint32_t *at);
/* The file after -o, also joined to it; NULL: there is none. */
const char *cli_output_word(const struct cli_command_words *command);

#endif
