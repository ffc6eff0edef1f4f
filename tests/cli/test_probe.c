/* Which commands wait for admission, and under which key: each tool's own questions are told from
 * its work. What was held against the tools themselves (cc, ld, rustc, cargo, npm) stands beside.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/admission/key.h"
#include "cli/admission/probe.h"

/* A command, its words between blanks; its key where it waits, NULL where it does not. */
struct wanted {
    const char *command, *key;
};

static void check(const struct wanted *wanted, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        char line[300], text[300];
        const char *word[40];
        uint32_t words = 0;
        snprintf(line, sizeof line, "%s", wanted[k].command);
        for (char *at = strtok(line, " "); at; at = strtok(NULL, " "))
            word[words++] = at;
        const bool waits = !cli_is_probe(word, words);
        if (waits != (wanted[k].key != NULL))
            fail_msg("'%s' %s", wanted[k].command, waits ? "waits" : "does not wait");
        if (waits && strcmp(cli_admit_key(word, words, text, sizeof text), wanted[k].key) != 0)
            fail_msg("'%s' is known by '%s', not '%s'", wanted[k].command,
                     cli_admit_key(word, words, text, sizeof text), wanted[k].key);
    }
}
#define CHECK(...)                                                                                 \
    do {                                                                                           \
        static const struct wanted wanted[] = {__VA_ARGS__};                                       \
        check(wanted, sizeof wanted / sizeof *wanted);                                             \
    } while (0)

static void test_compilers(void **state)
{
    (void)state;
    CHECK({"gcc -c a.c -o out/a.o", "out/a.o"}, {"gcc -c a.c -oa.o", "a.o"}, {"cc x.c", "cc"},
          {"/usr/bin/x86_64-linux-gnu-gcc-12 -c src/deep/a.b.cpp", "a.b.o"},
          {"clang++-16 -O2 -c -I inc.d x.cc", "x.o"}, {"gcc a.o b.o -o prog", "prog"},
          {"gcc --version", NULL}, {"clang-14 --help", NULL}, {"g++ -O2 -dumpmachine", NULL},
          {"cc -print-search-dirs", NULL}, {"clang --print-target-triple", NULL},
          {"cc -print-file-name=libgcc.a", NULL}, {"cc --print-prog-name=ld", NULL},
          {"cc --help=optimizers", NULL}, {"gcc -### a.c", NULL}, {"gcc -Wl,--version", NULL},
          {"cc -E a.c -o /dev/null", NULL}, {"cc -c a.c -o/dev/null", NULL},
          /* configure of autoconf asks so, and a verbose compilation is one */
          {"gcc -V", NULL}, {"gcc -m32 -v", NULL}, {"gcc -qversion", NULL},
          {"gcc -v -c a.c -o a.o", "a.o"}, {"gcc -V a.c -o a", "a"},
          /* -MG and statistics by their long names compile; an option of the program is none */
          {"gcc --print-missing-file-dependencies -M -c a.c -o a.o", "a.o"},
          {"clang -print-stats -c a.c -o a.o", "a.o"}, {"gcc -c a.c -o a.o -- --version", "a.o"},
          {"ccache gcc -c a.c -o a.o", "a.o"}, {"ccache gcc -V", NULL}, {"ccache -V", NULL},
          {"env CPATH=/x cc -c a.c -o a.o", "a.o"}, {"env CPATH=/x cc -m32 -V", NULL},
          {"ccache --show-stats --verbose", "ccache"});
}

/* Go's folder for a build has another number each time. */
static void test_go(void **state)
{
    (void)state;
    CHECK({"/go/pkg/tool/compile -o /tmp/go-build123/b002/_pkg_.a -p net/http -pack ./a.go",
           "compile net/http"},
          {"/go/pkg/tool/asm -p runtime -o /x/go-build9/b003/a.o ./a.s", "asm runtime"},
          {"/go/pkg/tool/link -o /tmp/go-build123/b001/exe/a.out -buildmode=exe m.a",
           "go-build/b001/exe/a.out"},
          {"gcc -c a.c -o /tmp/go-build123/b044/_x001.o", "go-build/b044/_x001.o"},
          {"gcc -c a.c -o go-builder/a.o", "go-builder/a.o"},
          {"gcc -c a.c -o out/go-build/a.o", "out/go-build/a.o"},
          {"/go/pkg/tool/compile -V=full", NULL});
}

static void test_linkers(void **state)
{
    (void)state;
    CHECK({"ld a.o -o prog", "prog"}, {"ld -V", NULL}, {"ld -v", NULL}, {"ld.lld --version", NULL},
          {"ld -V a.o -o prog", "prog"}, {"ld -v a.o -o prog", "prog"},
          {"ld --print-map a.o -o prog", "prog"},
          {"ld.gold --print-gc-sections a.o -o prog", "prog"},
          {"aarch64-linux-gnu-ld --print-sysroot", NULL}, {"ld --print-output-format", NULL},
          {"ar rcs libx.a x.o", "libx.a"}, {"gcc-ar-12 -rcs lib/libx.a x.o y.o", "lib/libx.a"},
          {"ar V", "ar"}, {"ar -V", NULL}, {"llvm-ar --version", NULL},
          {"ranlib libx.a", "ranlib libx.a"}, {"as -V", NULL}, {"as -v x.s -o x.o", "x.o"},
          {"strip -o small big", "small"}, {"strip prog", "strip prog"});
}

static void test_rust(void **state)
{
    (void)state;
    unsetenv("CARGO_PKG_NAME");
    CHECK({"rustc -vV", NULL}, {"rustc --version --verbose", NULL}, {"rustc -V", NULL},
          {"rustc - --crate-name ___ --print=file-names --crate-type bin --print=cfg", NULL},
          {"rustc --print sysroot", NULL}, {"rustc --print=cfg=out.txt", NULL},
          {"rustc --crate-name x --print=native-static-libs x.rs", "x"},
          {"rustc --crate-name x --print link-args x.rs", "x"},
          {"rustc --crate-name x --print=native-static-libs --print=cfg x.rs", NULL},
          {"rustc --crate-name x --print link-args=out.txt --crate-type lib x.rs", "x lib"},
          {"rustc --crate-name x -v x.rs", "x"}, {"rustc x.rs -o x", "x"}, {"rustc x.rs", "rustc"},
          {"clippy-driver --crate-name x --emit=metadata x.rs", "x check"},
          {"rustc --crate-name x --emit=dep-info,link --test x.rs", "x test"});
    setenv("CARGO_PKG_NAME", "pack", 1);
    CHECK({"rustc --crate-name x --crate-type=bin x.rs", "pack/x bin"});
    unsetenv("CARGO_PKG_NAME");
    unsetenv("RUSTC_WRAPPER");
    CHECK({"cargo build -j 8", "cargo build"}, {"cargo --version", NULL}, {"cargo -V", NULL},
          {"cargo metadata --format-version 1", NULL}, {"cargo +nightly metadata", NULL},
          {"cargo +nightly test -q", "cargo test"}, {"cargo run -- --version", "cargo run"},
          {"cargo run metadata", "cargo run"}, {"cargo test -V", "cargo test"});
    setenv("RUSTC_WRAPPER", "/usr/bin/bigrocks-admit", 1); /* those that it starts ask */
    CHECK({"cargo build", NULL});
    setenv("RUSTC_WRAPPER", "/usr/bin/sccache", 1);
    CHECK({"cargo build", "cargo build"});
    unsetenv("RUSTC_WRAPPER");
}

static void test_scripts(void **state)
{
    (void)state;
    unsetenv("npm_lifecycle_event");
    unsetenv("npm_package_name");
    unsetenv("npm_config_script_shell");
    CHECK({"npm run build", "npm run build"}, {"npm -v", NULL}, {"npm config get registry", NULL},
          {"npm run ls", "npm run ls"}, {"yarn build -v", "yarn build"}, {"pnpm --version", NULL},
          {"npm ci", "npm ci"}, {"tsc -p packages/one", "tsc packages/one"}, {"tsc -v", NULL},
          {"npx tsc -p packages/one", "tsc packages/one"}, {"npx --yes tsc --showConfig", NULL},
          {"npx --no-install tsc --project=two", "tsc two"}, {"npx", "npx"}, {"tsc", "tsc"},
          {"sh -c exit", "sh"});
    setenv("npm_config_script_shell", "bigrocks-admit", 1);
    CHECK({"npm run build", NULL});
    unsetenv("npm_config_script_shell");
    setenv("npm_lifecycle_event", "build", 1);
    CHECK({"sh -c tsc", "build"}, {"sh -c npm", NULL}, {"sh -c (cd&&npm)", NULL},
          {"sh -c npmx", "build"}, {"sh -c np", "build"}, {"sh -c cc", "build"});
    setenv("npm_package_name", "pack", 1);
    CHECK({"sh -c tsc", "pack:build"});
    unsetenv("npm_lifecycle_event");
    unsetenv("npm_package_name");
}

/* Of a program that nobody knows, words with others beside them mean what they like. */
static void test_others(void **state)
{
    (void)state;
    CHECK({"python3 --version", NULL}, {"python3.11 -V", NULL}, {"sed --version", NULL},
          {"tool -v", NULL}, {"python3 setup.py --version", "python3"}, {"sort -V list", "sort"},
          {"tool --version x", "tool"}, {"gen -o out.h", "out.h"},
          {"gen -o /dev/null", "/dev/null"}, {"./gen", "gen"}, {"make -j4 --version", "make"},
          {"gcc-wrapper -V x", "gcc-wrapper"}, {"occ --version x", "occ"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compilers), cmocka_unit_test(test_go),
        cmocka_unit_test(test_linkers),   cmocka_unit_test(test_rust),
        cmocka_unit_test(test_scripts),   cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
