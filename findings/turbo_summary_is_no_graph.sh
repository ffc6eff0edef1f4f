#!/usr/bin/env bash
# Guess: the tasks of a summary (`turbo run --summarize`) with their `dependencies` are the graph that was run, as
#        those of `--dry=json` are.
# Seen:  packages without a script are in the dry run and not in the summary, though others depend on them there. So
#        by `dependencies` c#test waits for nothing in the summary, and in the dry run for a#build, by way of c#build.
#        That a#build comes first is only in its `dependents`.
# turbo 2.11.11 of npm.
# shellcheck source=findings/setup
. "$(dirname "${BASH_SOURCE[0]}")/setup"

package() { # NAME SCRIPTS DEPENDENCIES
    mkdir -p "packages/$1"
    echo "{\"name\": \"$1\", \"version\": \"1.0.0\", \"scripts\": {$2}, \"dependencies\": {$3}}" \
        >"packages/$1/package.json"
}
echo '{"name": "all", "private": true, "packageManager": "npm@10.0.0", "workspaces": ["packages/*"]}' >package.json
echo '{"tasks": {"build": {"dependsOn": ["^build"]}, "test": {"dependsOn": ["build"]}}}' >turbo.json
package a '"build": "true"' ''
package c '"test": "true"' '"a": "1.0.0"'
npm install --no-audit --no-fund --silent turbo@2.11.11 >/dev/null
export TURBO_TELEMETRY_DISABLED=1
npx turbo run build test --summarize >/dev/null 2>&1
npx turbo run build test --dry=json >dry.json 2>/dev/null
cat >waits.py <<'EOP'
import json
import sys

tasks = {task['taskId']: task for task in json.load(open(sys.argv[1]))['tasks']}
before, ready = set(), ['c#test']
while ready:
    for name in tasks.get(ready.pop(), {'dependencies': []})['dependencies']:
        before.add(name)
        ready.append(name)
print(' '.join(sorted(before & set(tasks))) or 'nothing')
EOP
differs 'turbo 2.11.11, c#test waits in the dry run for' 'a#build c#build' "$(python3 waits.py dry.json)"
differs 'turbo 2.11.11, c#test waits in the summary for' nothing "$(python3 waits.py .turbo/runs/*.json)"
