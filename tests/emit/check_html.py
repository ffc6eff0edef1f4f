#!/usr/bin/env python3
"""The report in a real browser: it loads without errors and without fetching anything, hovering
names the task under the pointer, zooming shows less, and 10,000 tasks stay responsive.

check_html.py BIGROCKS [SCREENSHOT]

The checks run in the page, as a script that is added at its end and sends the events that a person
would cause. With SCREENSHOT, a picture of the larger report is left there. Exit status 77 where no
Chromium is installed.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'examples'

# Before anything else: errors are kept, and every way to the network is closed and told.
GUARD = '''<script>window.faults = [];
addEventListener('error', e => faults.push(e.message));
addEventListener('unhandledrejection', e => faults.push(String(e.reason)));
for (const way of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'])
  window[way] = () => { faults.push('used ' + way); throw new Error(way); };
</script>'''

CHECKS = '''<script>
(() => {
  const said = { };
  const { view, plans, place, draw } = window.bigrocks;
  const send = (canvas, Type, type, x, y, more) => {
    const box = canvas.getBoundingClientRect();
    canvas.dispatchEvent(new Type(type, { clientX: box.left + x, clientY: box.top + y, bubbles: true,
                                          cancelable: true, ...more }));
  };
  const middle = (p, t) => {
    const r = p.first[t[2]] + t[3];
    return [place((t[4] + t[5]) / 2, p.canvas.clientWidth),
            22 + (r + .5 - p.top) * p.height / p.shown];
  };
  try {
    draw(); /* at once, for frames may wait until the page was looked at */
    const p = plans[0], tip = document.getElementById('tip');
    said.tasks = p.tasks.length;
    said.drawn = p.drawn;
    /* Some painted pixel that is neither white nor transparent. */
    const pixels = p.canvas.getContext('2d').getImageData(0, 0, p.canvas.width, p.canvas.height).data;
    said.painted = false;
    for (let k = 0; k < pixels.length && !said.painted; k += 4)
      said.painted = pixels[k + 3] > 200 && pixels[k] > 200 && pixels[k + 2] < 80;
    /* Every longest task of a hundred is under the pointer where it is drawn. */
    const long = [...p.tasks].sort((a, b) => (b[5] - b[4]) - (a[5] - a[4])).slice(0, 100);
    said.hovered = 0;
    for (const t of long) {
      send(p.canvas, PointerEvent, 'pointermove', ...middle(p, t));
      const s = p.stages[t[0]], wanted = s.id + (s.tasks > 1 ? '[' + t[1] + ']' : '');
      said.hovered += tip.style.display === 'block' && tip.textContent.split('\\n')[0] === wanted;
    }
    said.tip = tip.textContent;
    send(p.canvas, PointerEvent, 'pointerleave', 0, 0);
    said.hidden = tip.style.display === 'none';
    /* The wheel zooms about the pointer. */
    const before = view.to - view.from, x = place(view.from + before / 4, p.canvas.clientWidth);
    const at = () => view.from + (view.to - view.from) * (x - 130) / (p.canvas.clientWidth - 130);
    const fixed = at();
    send(p.canvas, WheelEvent, 'wheel', x, 60, { deltaY: -100 });
    said.zoomed = (view.to - view.from) / before;
    said.moved = Math.abs(at() - fixed) / before;
    const from = view.from;
    send(p.canvas, PointerEvent, 'pointerdown', 400, 60, { pointerId: 1 });
  } catch (e) { if (!/pointer/i.test(e.message)) faults.push(e.message); }
  try {
    const p = plans[0], from = view.from;
    send(p.canvas, PointerEvent, 'pointermove', 300, 60);
    said.dragged = view.from > from;
    send(p.canvas, PointerEvent, 'pointerup', 300, 60);
    send(p.canvas, MouseEvent, 'dblclick', 300, 60);
    said.all = view.from === 0;
    document.getElementById('colour').value = 'stage';
    document.getElementById('colour').onchange({ target: document.getElementById('colour') });
    /* Thirty zooms, and how long a frame takes to draw: the middle one, for others may be busy. */
    const frames = [];
    for (let k = 0; k < 30; k++) {
      send(p.canvas, WheelEvent, 'wheel', 400, 60, { deltaY: k < 15 ? -100 : 100 });
      const begin = performance.now();
      draw();
      p.canvas.getContext('2d').getImageData(0, 0, 1, 1); /* waits for the drawing */
      frames.push(performance.now() - begin);
    }
    said.frame = frames.sort((a, b) => a - b)[15];
    /* The search counts, Enter goes to a hit, which comes into view, and on to the next one; the legend names
     * stages in colours of their own. */
    const box = document.getElementById('find'), word = p.stages[p.tasks[p.tasks.length - 1][0]].id;
    const name = t => p.stages[t[0]].id + (p.stages[t[0]].tasks > 1 ? '[' + t[1] + ']' : '');
    const all = plans.flatMap(q => q.tasks.filter(t => (q.stages[t[0]].id + (q.stages[t[0]].tasks > 1 ? '[' + t[1] + ']' : '')).includes(word)));
    box.value = word;
    box.dispatchEvent(new Event('input'));
    const number = () => document.getElementById('hits').textContent.replace(/[^0-9 of]/g, '');
    said.counted = number().trim() === String(all.length);
    const seen = () => {
      draw();
      const k = +number().split('of')[0] - 1;
      const t = [...p.tasks].filter(t => name(t).includes(word)).sort((a, b) => a[4] - b[4])[k];
      const [x, y] = middle(p, t);
      return x > 130 && x < p.canvas.clientWidth && y > 22 && y < 22 + p.height && view.to - view.from <= 1.03 * Math.max(...plans.map(q => q.makespan));
    };
    const enter = () => box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }));
    enter();
    said.went = seen() && number().startsWith('1 of');
    if (all.length > 1) { enter(); said.went = said.went && number().startsWith('2 of') && (plans.length > 1 || seen()); }
    box.value = 'no such task';
    box.dispatchEvent(new Event('input'));
    said.none = document.getElementById('hits').textContent.startsWith('none of');
    box.value = '';
    box.dispatchEvent(new Event('input'));
    document.querySelector('canvas.chart').dispatchEvent(new MouseEvent('dblclick'));
    const keys = [...document.querySelectorAll('#legend .key')].slice(0, Math.min(24, p.stages.length));
    said.keys = new Set(keys.map(k => k.style.background)).size === Math.min(24, p.stages.length);
    const { amount } = window.bigrocks;
    said.amounts = [amount(25276502016, 'bytes'), amount(1023, 'bytes'), amount(2147483648, 'B'), amount(1234567, 'records'),
                    amount(0.59, 'cores'), amount(1234.56789)].join('|');
    said.limits = document.getElementById('limits').rows.length;
    said.trials = document.getElementById('trials').rows.length;
    said.charts = document.querySelectorAll('canvas.chart').length;
  } catch (e) { faults.push(e.stack); }
  said.faults = faults;
  const result = document.createElement('pre');
  result.id = 'result';
  result.textContent = JSON.stringify(said);
  document.body.append(result);
})();
</script>'''


def run(command, **options):
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=100, **options)
    if done.returncode:
        sys.exit('%s: exit %d\n%s' % (command, done.returncode, done.stderr.decode()))
    return done.stdout.decode()


def browse(browser, folder, *options):
    return run([browser, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
                '--disable-background-networking', '--disable-component-update', '--disable-sync',
                '--user-data-dir=%s' % (folder / 'profile'), '--window-size=1280,900', *options])


def check(browser, folder, report):
    text = report.read_text()
    assert not re.search(r'(src|href)=|@import|url\(|https?://', text), 'the report fetches things'
    page = folder / 'page.html'
    page.write_text(text.replace('<head>', '<head>' + GUARD, 1)
                    .replace('</body>', CHECKS + '</body>', 1))
    dom = browse(browser, folder, '--dump-dom', page.as_uri())
    found = re.search(r'<pre id="result">(.*?)</pre>', dom, re.S)
    assert found, dom[-3000:]
    said = json.loads(found.group(1).replace('&gt;', '>').replace('&lt;', '<')
                      .replace('&amp;', '&'))
    assert said['faults'] == [], said
    assert said['painted'] and 0 < said['drawn'] <= said['tasks'], said
    assert said['hovered'] == min(100, said['tasks']) and said['hidden'], said
    assert 0.7 < said['zoomed'] < 0.95 and said['moved'] < 1e-3, said
    assert said['dragged'] and said['all'] and said['limits'] >= 4 and said['trials'] >= 1, said
    assert said['counted'] and said['went'] and said['none'] and said['keys'], said
    assert said['amounts'] == '23.54 GiB|1023 B|2 GiB|1\u2009234\u2009567 records|0.59 cores|1\u2009234.56789', said
    assert re.search(r'\nmay be late by [0-9.]+ m?s, by [0-9.]+ m?s if nothing else moves', said['tip']), said['tip']
    assert 'mem' not in said['tip'] or re.search(r'mem [0-9.]+ [KMGT]iB', said['tip']), said['tip']
    print(said)
    return said


def main():
    bigrocks = pathlib.Path(sys.argv[1]).resolve()
    browser = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser',
                                                   'google-chrome'))), None)
    if not browser:
        print('Chromium is not installed')
        return 77
    with tempfile.TemporaryDirectory(prefix='bigrocks-html') as scratch:
        folder = pathlib.Path(scratch)
        one, two, both, large = (folder / n for n in ('1.json', '2.json', 'both.html', 'large.html'))
        for plan, method in ((one, 'graphene'), (two, 'bfs')):
            run([bigrocks, 'plan', EXAMPLES / 'query.xml', '--cluster', EXAMPLES /
                 'cluster-rack.xml', '--no-lp', '-q', '--method', method, '-o', plan])
        run([bigrocks, 'render', one, two, '-o', both])
        said = check(browser, folder, both)
        assert said['charts'] == 2, said
        job, plan = folder / 'large.xml', folder / 'large.json'
        run([bigrocks, 'generate', '--tasks', '10000', '--stages', '100', '--seed', '3', '-o', job])
        run([bigrocks, 'plan', job, '--cluster', EXAMPLES / 'cluster-cosmos.xml', '--no-lp', '-q',
             '--method', 'cp', '-o', plan])
        run([bigrocks, 'render', plan, '-o', large])
        said = check(browser, folder, large)
        assert said['tasks'] >= 9000, said
        # A tenth of a second is what people take as at once; drawn without a graphics card here.
        assert said['frame'] < 100, said
        if len(sys.argv) > 2:
            browse(browser, folder, '--screenshot=%s' % sys.argv[2], large.as_uri())
    return 0


if __name__ == '__main__':
    sys.exit(main())
