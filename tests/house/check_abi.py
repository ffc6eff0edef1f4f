#!/usr/bin/env python3
"""tools/abi finds what breaks programs, by the last release and by the dump: it is run on a library of one file, of
which a release is tagged and changes are made.

check_abi.py SOURCE_ROOT CC... Exit status 77 where abidiff, git or readelf is missing.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MESON = '''project('bigrocks', 'c', version: '0.1.0', default_options: ['buildtype=debugoptimized'])
shared_library('bigrocks', 'it.c', version: meson.project_version(), soversion: '0',
  include_directories: ['include', '.'])
'''
HEADER = '''struct br_options {
    int effort;
    long seed;
};
struct br_plan;
struct br_options br_options_default(void);
struct br_plan *br_plan_make(const struct br_options *options);
int br_plan_tasks(const struct br_plan *plan);
'''
# A header of the same name as the public one, as planner/model/dag.h and <bigrocks/dag.h> are.
PRIVATE = '''struct br_plan {
    int tasks;
};
'''
SOURCE = '''#include <bigrocks/it.h>
#include "room/it.h"
static struct br_plan only = {3};
struct br_options br_options_default(void)
{
    struct br_options options = {1, 2};
    return options;
}
struct br_plan *br_plan_make(const struct br_options *options)
{
    return options->effort ? &only : 0;
}
int br_plan_tasks(const struct br_plan *plan)
{
    return plan->tasks;
}
'''
# What changes, in which text, what of it, what it becomes, does it break programs. All are compared with the dump,
# and those of RELEASE, which has to be built each time, with the release as well: the two ways differ only in that.
CHANGES = [
    ('nothing', 'source', '', '', False),
    ('what a function does', 'source', '{1, 2}', '{2, 1}', False),
    ('a private struct', 'private', 'int tasks;', 'long more;\n    int tasks;', False),
    ('a function more', 'source', 'int br_plan_tasks', 'int br_more(void)\n{\n    return 1;\n}\nint br_plan_tasks',
     False),
    ('a function less', 'source', 'int br_plan_tasks', '__attribute__((visibility("hidden"))) int br_plan_tasks',
     True),
    ('a function renamed', 'both', 'br_plan_tasks', 'br_plan_count', True),
    ('a parameter more', 'both', 'const struct br_plan *plan)', 'const struct br_plan *plan, int of)', True),
    ('another result', 'both', 'int br_plan_tasks', 'long br_plan_tasks', True),
    ('a struct that grew', 'header', 'long seed;', 'long seed;\n    int threads;', True),
    ('a struct in another order', 'header', 'int effort;\n    long seed;', 'long seed;\n    int effort;', True),
    ('a member of another type', 'header', 'long seed;', 'double seed;', True),
]
RELEASE = 'nothing', 'a private struct', 'a function more', 'a function less', 'a struct that grew'


def main():
    root, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    for program in ('abidiff', 'git', 'readelf'):
        if not shutil.which(program):
            print('%s is not installed' % program)
            return 77
    failed = []
    with tempfile.TemporaryDirectory(prefix='bigrocks-abi') as scratch:
        project = pathlib.Path(scratch)
        (project / 'tools').mkdir()
        (project / 'include/bigrocks').mkdir(parents=True)
        for tool in ('abi', 'abi_dump'):
            shutil.copy(root / 'tools' / tool, project / 'tools' / tool)
        (project / 'meson.build').write_text(MESON)
        (project / 'meson_options.txt').write_text("option('lp', type: 'feature', value: 'auto')\n")
        (project / 'room').mkdir()
        header, source, private = project / 'include/bigrocks/it.h', project / 'it.c', project / 'room/it.h'
        # Neither the repository of a hook that we may run in nor anybody's settings: signatures, say.
        environment = {name: value for name, value in os.environ.items() if not name.startswith('GIT_')}
        environment.update(HOME=scratch, GIT_CONFIG_NOSYSTEM='1', GIT_CONFIG_GLOBAL='/dev/null')

        def git(*words):
            subprocess.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@localhost', *words],
                           cwd=project, env=environment, check=True, capture_output=True)

        def build(*flags):
            library = project / 'libbigrocks.so.0.1.0'
            subprocess.run([*compiler, '-w', '-g', '-O1', '-fPIC', '-shared', '-Iinclude', '-I.', 'it.c', *flags,
                            '-o', library], cwd=project, check=True)
            return library

        def abi(name, *flags, how=()):
            done = subprocess.run(['tools/abi', *how, build(*flags)], cwd=project, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            print('%-28s %d %s' % (name, done.returncode, done.stdout.splitlines()[-1:]))
            return done

        header.write_text(HEADER)
        source.write_text(SOURCE)
        private.write_text(PRIVATE)
        git('init', '-q')
        git('add', '.')
        git('commit', '-q', '-m', 'The first one')
        git('tag', 'start')  # which is no release
        soname = '-Wl,-soname,libbigrocks.so.0'
        if abi('no release', soname).returncode != 77:
            failed.append('without a release')
        git('tag', '-a', '-m', 'Version 0.1.0', 'v0.1.0')
        if abi('the dump', soname, how=['--write']).returncode != 0:
            failed.append('the dump is not written')
        for name, where, old, new, breaks in CHANGES:
            texts = {header: HEADER, source: SOURCE, private: PRIVATE}
            for path, its in zip(texts, (('both', 'header'), ('both', 'source'), ('private',))):
                changed = where in its
                assert not changed or old in texts[path], name
                path.write_text(texts[path].replace(old, new) if changed and old else texts[path])
            done = abi(name, soname) if name in RELEASE else None
            if done and done.returncode != breaks:
                failed.append('%s: exit %d\n%s' % (name, done.returncode, done.stdout))
            done = abi(name + ', by the dump', soname, how=['--dump'])
            if done.returncode != breaks or breaks and 'tools/abi --write' not in done.stdout:
                failed.append('%s, by the dump: exit %d\n%s' % (name, done.returncode, done.stdout))
        if abi('another SONAME', '-Wl,-soname,libbigrocks.so.1').returncode != 0:
            failed.append('another SONAME')
        if abi('no debugging information', soname, '-g0').returncode != 1:
            failed.append('no debugging information')
    print('\n'.join(failed))
    return len(failed) > 0


if __name__ == '__main__':
    sys.exit(main())
