#!/usr/bin/env python3
"""The picture and the report of a study: well-formed whatever names hold, of bounded size, and with the figures of
the JSON and the rows in them; in a browser no text lies on another, and the report works.

check_pictures.py WRITE_STUDY [SCREENSHOT_FOLDER]

What needs Chromium is left out where it is not installed.
"""
import csv
import html
import io
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

HOSTILE = '</script><script>faults.push(1)</script>\'"&amp;<b>é${x}\\u0041'
SVG = '{http://www.w3.org/2000/svg}'


def write(program, *words):
    return subprocess.run([program, *map(str, words)], capture_output=True, check=True).stdout.decode()


def bars(root, figure):
    """Widths of the bars under the heading that begins with the figure, until the next heading."""
    found, widths = False, []
    for e in root.iter():
        if e.tag == SVG + 'text' and e.get('class') == 'strong':
            found = e.text.startswith(figure)
        elif found and e.tag == SVG + 'rect' and re.fullmatch(r'f\d', e.get('class', '')):
            widths.append(float(e.get('width')))
    return widths


def check_svg(program, *words):
    picture, study = write(program, 'svg', *words), json.loads(write(program, 'json', *words))
    root = xml.etree.ElementTree.fromstring(picture)
    means = study['summary'][:16]
    for figure, key in (('Mean', 'mean_jct'), ('Makespan', 'makespan')):
        widths = bars(root, figure)
        assert len(widths) == len(means), (figure, widths)
        most = max(mean[key] for mean in means)
        for width, mean in zip(widths, means): # in pixels to two places
            assert math.isclose(width / max(widths), mean[key] / most, abs_tol=1e-3), (figure, width, mean[key])
    widths = bars(root, 'Jain')
    wanted = [mean[key] for mean in means for key in ('jain_10s', 'jain_60s', 'jain_240s')]
    assert len(widths) in (0, len(wanted))
    for width, mean in zip(widths, wanted):
        assert math.isclose(width / 490, mean, abs_tol=1e-4), (width, mean)
    # Every curve of completion times ends at the share of jobs that finished.
    curves = [e for e in root.iter(SVG + 'path') if e.get('class', '').startswith('curve s') and 'H' in e.get('d')]
    assert len(curves) == len(means)
    heights = []
    for curve, mean in zip(curves, means):
        assert curve.find(SVG + 'title').text == mean['policy']
        foot, last = float(re.match(r'M\S+ ([\d.]+)', curve.get('d'))[1]), float(re.findall(r'V([\d.]+)', curve.get('d'))[-1])
        heights.append((foot - last) / (mean['finished'] / mean['jobs']))
    assert max(heights) - min(heights) < 0.1, heights
    assert len(picture) < 3e6
    return picture


def data_of(page):
    at = page.index('<script type="application/json" id="data">')
    return json.loads(page[page.index('{', at):page.index('</script>', at)])


def check_html(program, *words):
    page, study = write(program, 'html', *words), json.loads(write(program, 'json', *words))
    rows = list(csv.DictReader(io.StringIO(write(program, 'csv', *words), newline='')))
    data = data_of(page)
    assert not re.search(r'(src|href)=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)', page), 'the report fetches things'
    assert page.count('<script') == 2 and page.count('</script>') == 2
    assert [p['name'] for p in data['policies']] == [s['policy'] for s in study['summary']]
    step = len(data['job']) / study['workload']['jobs']
    for p, mean in zip(data['policies'], study['summary']):
        for field, figure in zip(data['fields'], p['figures']):
            assert figure == mean[field], (field, figure, mean[field])
        if step == 1 and len(study['results']) == len(study['summary']):
            own = rows[:len(p['jct'])]
            rows = rows[len(p['jct']):]
            assert p['jct'] == [float(r['jct']) if r['jct'] else None for r in own]
        share = p['distribution'][-1][1]
        assert math.isclose(share, sum(r['finished'] for r in study['results'] if r['policy'] == p['name']) /
                            sum(r['jobs'] for r in study['results'] if r['policy'] == p['name']), abs_tol=1e-8)
        assert p['distribution'][-1][0] == max(r['max_jct'] for r in study['results'] if r['policy'] == p['name'])
    assert len(page) < 3e6, len(page)
    return page


OVERLAPS = '''<script>
addEventListener('load', () => {
  const boxes = [...document.querySelectorAll('svg')].map((svg, k) => [...svg.querySelectorAll('text')].map(e => {
    const r = e.getBoundingClientRect();
    return { k, s: e.textContent, l: r.left, r: r.right, t: r.top + 2, b: r.bottom - 2, w: svg.getBoundingClientRect() };
  }));
  const found = [];
  for (const all of boxes) for (let i = 0; i < all.length; i++) {
    const a = all[i];
    if (a.l < a.w.left - 1 || a.r > a.w.right + 1 || a.t < a.w.top - 1 || a.b > a.w.bottom + 1) found.push(['outside', a.s]);
    for (let j = 0; j < i; j++) {
      const b = all[j];
      if (a.l < b.r && b.l < a.r && a.t < b.b && b.t < a.b) found.push([a.s, b.s]);
    }
  }
  USE
  const result = document.createElement('pre');
  result.id = 'result';
  result.textContent = JSON.stringify({ found, texts: boxes.flat().length, faults: window.faults, said: window.said });
  document.body.append(result);
});
</script>'''

# Everything that a person can do, once; and what there is to see then.
USE = '''
  const { policies } = window.bigrocks, said = window.said = {}, of = id => document.getElementById(id);
  try {
    said.title = of('title').textContent;
    said.rows = of('policies').rows.length;
    said.dots = document.querySelectorAll('#scatter circle').length;
    said.against = of('against').textContent;
    said.curves = document.querySelectorAll('#distribution .curve').length;
    for (const button of document.querySelectorAll('#policies button')) { button.click(); }
    const heading = [...document.querySelectorAll('#policies button')].find(b => b.textContent.startsWith('mean JCT'));
    heading.click();
    if (!heading.isConnected) said.sorted = [...of('policies').rows].slice(1).map(r => r.cells[0].firstChild.title);
    of('log').checked = !of('log').checked;
    of('log').onchange();
    of('across').value = policies.length - 1;
    of('across').onchange();
    document.querySelector('#tools input').click();
    said.less = [of('policies').rows.length, document.querySelectorAll('#distribution .curve').length,
                 document.querySelectorAll('#rows svg').length, of('use').rows.length];
    said.images = document.querySelectorAll('b, img').length;
  } catch (e) { window.faults.push(String(e.stack)); }
'''
GUARD = '''<script>window.faults = [];
addEventListener('error', e => faults.push(e.message));
addEventListener('unhandledrejection', e => faults.push(String(e.reason)));
for (const way of ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource'])
  window[way] = () => { faults.push('used ' + way); throw new Error(way); };
</script>'''


def browse(browser, folder, page, use, shot):
    path = folder / 'page.html'
    path.write_text(page)
    common = [browser, '--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
              '--disable-component-update', '--disable-sync', '--user-data-dir=%s' % (folder / 'profile')]
    if shot:
        subprocess.run([*common, '--window-size=1280,1800', '--screenshot=%s' % shot, path.as_uri()], capture_output=True,
                       check=True)
    if '</body>' not in page:
        page = '<!DOCTYPE html><html><head></head><body style="margin: 0">' + page[page.index('<svg'):] + '</body></html>'
    path.write_text(page.replace('<head>', '<head>' + GUARD, 1).replace('</body>', OVERLAPS.replace('USE', use) + '</body>', 1))
    dom = subprocess.run([*common, '--window-size=1280,1800', '--dump-dom', path.as_uri()], capture_output=True, check=True,
                         timeout=100).stdout.decode()
    found = re.search(r'<pre id="result">(.*?)</pre>', dom, re.S)
    assert found, dom[-2000:]
    said = json.loads(html.unescape(found[1]))
    assert said['found'] == [], said['found']
    assert said['faults'] == [] and said['texts'] > 10, said
    return said.get('said')


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    shots = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    kinds = [('small', HOSTILE), ('random', 9), ('random', 4), ('many', 9), ('many', 20), ('large', 40000)]
    pictures = [check_svg(program, *kind) for kind in kinds]
    pages = [check_html(program, *kind) for kind in kinds]
    for seed in range(10, 30):
        check_svg(program, 'random', seed)
    assert data_of(pages[0])['name'] == HOSTILE + ' w'
    browser = next(filter(None, map(shutil.which, ('chromium', 'chromium-browser', 'google-chrome'))), None)
    if not browser:
        print('Chromium is not installed: nothing was looked at')
        return
    with tempfile.TemporaryDirectory(prefix='bigrocks-study') as scratch:
        folder = pathlib.Path(scratch)
        for kind, picture in zip(kinds, pictures):
            if kind in (('many', 9), ('random', 4)):
                continue
            browse(browser, folder, picture, '', shots and shots / ('%s-%s.png' % (kind[0], kinds.index(kind))))
        for kind, page in zip(kinds, pages):
            if kind not in (kinds[0], kinds[1]):
                continue
            said = browse(browser, folder, page, USE, shots and shots / ('%s-%s.html.png' % (kind[0], kinds.index(kind))))
            policies = {'small': 2, 'random': 3, 'large': 1}[kind[0]]
            assert (said['rows'], said['curves']) == (policies + 1, policies), said
            assert said['less'] == [policies, policies - 1, 2 * (policies - 1), policies], said
            assert said['images'] == 0 and said['dots'] > 0, said
            if kind[0] == 'small':
                assert said['title'] == HOSTILE + ' w' and said['sorted'] == [HOSTILE, 'fifo'], said
                assert 'faster for 1, slower for 0 of 3 jobs' in said['against'], said


if __name__ == '__main__':
    main()
