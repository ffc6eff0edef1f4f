"""The mutants of a source file: small changes to its syntax tree, one at a time.

C is read through the syntax tree that clang prints as JSON, Python through the module `ast`. Only
what stands in the body of a function is changed. Left out, because no test of the program can or
should see it: asserts, what only they call, and other macros, messages to people, what gives memory
and files back, how much memory is asked for, and what is done when there is none.
"""
import ast
import bisect
import functools
import json
import os
import pathlib
import re
import subprocess
from dataclasses import dataclass

COMPARE = {'<': ['<=', '>'], '<=': ['<', '>='], '>': ['>=', '<'], '>=': ['>', '<='],
           '==': ['!='], '!=': ['==']}
ARITHMETIC = {'+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'], '<<': ['>>'], '>>': ['<<'],
              '&': ['|'], '|': ['&'], '^': ['|']}
LOGICAL = {'&&': ['||'], '||': ['&&']}
ASSIGN = {'+=': ['-=', '='], '-=': ['+=', '='], '*=': ['/=', '='], '/=': ['*=', '='], '|=': ['&=', '='],
          '&=': ['|=', '='], '<<=': ['>>='], '>>=': ['<<='], '^=': ['|='], '%=': ['=']}

# Functions that only give back: what they leave out no test sees but a search for leaks.
GIVES_BACK = re.compile(r'(destroy|finish|free|release)(_worker|_all)?$|^(finish|free|destroy|release)_')

# Calls that say something to people, give something back, or take memory.
MESSAGES = re.compile(r'fail|diag|complain|warn|perror|usage|_say|^say')
RELEASES = re.compile(r'free|finish|destroy|release|close$|_drop$')
MEMORY = re.compile(r'malloc|calloc|realloc|_alloc|strdup|strndup|_grow|_reserve')
# Code for when there is no memory (tests of faults look after that).
NO_MEMORY = re.compile(r'br_fail_memory|BR_NO_MEMORY|ENOMEM')


# Where functions are defined, asserts, and calls.
DEFINITION = re.compile(r'^\w[^\n;{}]*?\b(\w+)\([^;{}]*\)\s*\n\{\n.*?^\}', re.S | re.M)
ASSERT = re.compile(r'\b(?:\w*_)?assert\s*\([^;]*;')
CALL = re.compile(r'\b([a-z]\w*)\s*\(')


@functools.cache
def asserted(root):
    """Functions that nothing calls but asserts, or others of these."""
    inside = {}  # name: what it is called in, '' for asserts
    for path in [p for room in root.iterdir() if room.is_dir() and room.name not in ('tests', 'bench', 'build')
                 for p in room.rglob('*.[ch]')]:
        text = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: ' ' * len(m[0]), path.read_text(), flags=re.S)
        asserts = [m.span() for m in ASSERT.finditer(text)]
        bodies = [(m.start(), m.end(), m[1]) for m in DEFINITION.finditer(text)]
        for call in CALL.finditer(text):
            line = text.rfind('\n', 0, call.start()) + 1
            if re.match(r'\w', text[line:]):
                continue  # a declaration
            body = next((name for begin, end, name in bodies if begin <= call.start() < end), 'none')
            within = any(begin <= call.start() < end for begin, end in asserts)
            inside.setdefault(call[1], set()).add('' if within else body)
    found = {''}
    while True:
        more = {name for name, places in inside.items() if places - {name} <= found} - found
        if not more:
            return found
        found |= more


@dataclass(frozen=True)
class Mutant:
    file: str  # below the root
    begin: int  # bytes
    end: int
    text: str  # what stands there instead
    operator: str
    function: str
    line: int
    column: int
    idle: bool = False  # in the order of all, so that this stays, but not to be tried

    def key(self, source):
        """The same for the same change, while the function around it stays where it is."""
        return (self.file, self.line, self.column, self.operator,
                shorten(source[self.begin:self.end].decode()), shorten(self.text))


def shorten(text):
    text = ' '.join(text.split())
    return text if len(text) <= 60 else text[:40] + ' ... ' + text[-15:]


class Source:
    def __init__(self, root, file):
        self.file = file
        self.bytes = (root / file).read_bytes()
        self.lines = [0] + [m.end() for m in re.finditer(b'\n', self.bytes)]
        self.found = {}
        self.idle = False

    def place(self, offset):
        line = bisect.bisect_right(self.lines, offset)
        return line, offset - self.lines[line - 1] + 1

    def text(self, begin, end):
        return self.bytes[begin:end].decode()

    def add(self, operator, function, begin, end, text):
        if self.text(begin, end) == text or (begin, end, text) in self.found:
            return
        # Lines stay where they are: asserts name them.
        lost = self.bytes[begin:end].count(b'\n') - text.count('\n')
        text += '\n' * max(0, lost)
        self.found.setdefault((begin, end, text),
                              Mutant(self.file, begin, end, text, operator, function, *self.place(begin),
                                     self.idle))


class CFile:
    """Walks the functions of one translation unit that stand in wanted files."""

    def __init__(self, root, unit, command, wanted, sources):
        self.root, self.wanted, self.sources = root, wanted, sources
        # A clang that is ccache in truth would print the tree of another file, the preprocessed one.
        done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=True,
                              env=dict(os.environ, CCACHE_DISABLE='1'))
        tree = json.loads(done.stdout)
        self.at = unit
        self.note_files(tree)
        for node in tree['inner']:
            if node['kind'] == 'FunctionDecl' and node.get('inner'):
                self.function(node)

    def note_files(self, node):
        """clang names the file of a place only where it differs from the place printed before."""
        stack = [node]
        while stack:
            one = stack.pop()
            if isinstance(one, list):
                stack.extend(x for x in reversed(one) if isinstance(x, (dict, list)))
                continue
            if 'offset' in one:
                self.at = one.get('file', self.at)
                one['in'] = self.at
            stack.extend(v for k, v in reversed(list(one.items()))
                         if isinstance(v, (dict, list)) and k != 'includedFrom')

    def function(self, node):
        body = node['inner'][-1]
        # Of the body, since `bool`, with which a function may begin, is a macro.
        place = body['range']['begin']
        if body['kind'] != 'CompoundStmt' or 'in' not in place:
            return
        file = place['in'].removeprefix('./')
        if file not in self.wanted:
            return
        self.source = self.sources.setdefault(file, Source(self.root, file))
        self.name = node['name']
        gives_back = bool(GIVES_BACK.search(self.name)) and node['type']['qualType'].startswith('void')
        self.source.idle = gives_back or self.name in asserted(self.root)
        at = self.span(body)
        if not at:
            return
        returns = node['type']['qualType'].split('(')[0].strip()
        opening = at[0] + 1
        if len(body.get('inner', [])) > 1:
            if returns == 'void':
                self.source.add('return early', self.name, opening, opening, ' return;')
            elif self.plain(returns):
                self.source.add('return early', self.name, opening, opening, ' return 0;')
        self.returns = returns
        self.walk(body, None)

    @staticmethod
    def plain(kind):
        return not re.search(r'[*\[(]|struct|union|va_list', kind)

    # Places.

    def offset(self, place, end):
        """Where a token begins, or ends; None inside of macros."""
        if 'expansionLoc' in place:
            if place['expansionLoc'].get('isMacroArgExpansion'):
                return None
            place = place['expansionLoc']
            after = place['offset'] + place['tokLen']
            if self.source.bytes[after:after + 1] == b'(':
                return None
        if 'offset' not in place or place.get('in', '').removeprefix('./') != self.source.file:
            return None
        return place['offset'] + (place['tokLen'] if end else 0)

    def span(self, node):
        begin = self.offset(node['range']['begin'], False)
        end = self.offset(node['range']['end'], True)
        return None if begin is None or end is None or begin >= end else (begin, end)

    def words(self, node):
        at = self.span(node)
        return self.source.text(*at) if at else None

    def put(self, operator, at, text):
        self.source.add(operator, self.name, *at, text)

    # Nodes.

    def callee(self, node):
        while node.get('inner') and node['kind'] != 'DeclRefExpr':
            node = node['inner'][0]
        return node.get('referencedDecl', {}).get('name', '') if node['kind'] == 'DeclRefExpr' else ''

    def bare(self, node):
        while node['kind'] in ('ImplicitCastExpr', 'ParenExpr', 'ConstantExpr') and node.get('inner'):
            node = node['inner'][0]
        return node

    def walk(self, node, parent):
        kind = node.get('kind')
        if not kind or kind in ('UnaryExprOrTypeTraitExpr', 'StringLiteral', 'OffsetOfExpr',
                                'StaticAssertDecl', 'TypedefDecl', 'RecordDecl', 'EnumDecl'):
            return
        inner = node.get('inner', [])
        if kind == 'CallExpr':
            name = self.callee(node)
            if MESSAGES.search(name) or MEMORY.search(name):
                return
            self.swap_arguments(inner[1:])
        if kind == 'CaseStmt':
            inner = inner[1:]
        if kind == 'IfStmt' and self.about_memory(node):
            inner = inner[2:]
        elif kind in ('IfStmt', 'ConditionalOperator') and self.span(node):
            self.condition(node)
        handler = getattr(self, 'do_' + kind, None)
        if handler and self.span(node):
            handler(node, inner)
        if kind in ('CompoundStmt', 'IfStmt', 'ForStmt', 'WhileStmt', 'DoStmt', 'SwitchStmt', 'CaseStmt',
                    'DefaultStmt'):
            for child in self.statements(node, inner):
                self.delete(child)
        for child in inner:
            if child:
                self.walk(child, node)

    def statements(self, node, inner):
        if node['kind'] == 'CompoundStmt':
            return inner
        if node['kind'] == 'IfStmt':
            return inner[-2:] if node.get('hasElse') else inner[-1:]
        if node['kind'] == 'DoStmt':
            return inner[:1]
        return inner[-1:]

    def about_memory(self, node):
        """`if (!p || !q) return ...`: what was not given. Also all that ends in a word about memory."""
        inner = node['inner']
        then = self.words(inner[1]) or ''
        if NO_MEMORY.search(then):
            return True
        leaves = [inner[0]]
        while leaves:
            leaf = self.bare(leaves.pop())
            if leaf['kind'] == 'BinaryOperator' and leaf['opcode'] == '||':
                leaves.extend(leaf['inner'])
                continue
            if leaf['kind'] != 'UnaryOperator' or leaf.get('opcode') != '!':
                return False
            if '*' not in self.bare(leaf['inner'][0])['type']['qualType']:
                return False
        return bool(re.search(r'\b(return (NULL|false)|goto)\b', then))

    def delete(self, node):
        kind, at = node.get('kind'), self.span(node) if node else None
        if not at or kind not in ('CallExpr', 'BinaryOperator', 'CompoundAssignOperator', 'UnaryOperator',
                                  'BreakStmt', 'ContinueStmt', 'GotoStmt'):
            return
        if kind == 'BinaryOperator' and node['opcode'] != '=':
            return
        if kind == 'CallExpr':
            name = self.callee(node)
            if MESSAGES.search(name) or RELEASES.search(name) or MEMORY.search(name):
                return
        if kind == 'BinaryOperator':
            right = self.bare(node['inner'][1])
            if right['kind'] == 'CallExpr' and MEMORY.search(self.callee(right)):
                return
            if '= NULL' in self.source.text(*at):
                return
        self.put('delete', at, '(void)0' if kind not in ('BreakStmt', 'ContinueStmt', 'GotoStmt') else '')

    def about_pointers(self, node):
        """A chain of pointers that are there or not, and what `ok` says of the others."""
        leaves, pointers = [node], 0
        while leaves:
            leaf = self.bare(leaves.pop())
            if leaf['kind'] == 'BinaryOperator' and leaf['opcode'] in LOGICAL:
                leaves.extend(leaf['inner'])
                continue
            if leaf['kind'] == 'UnaryOperator' and leaf.get('opcode') == '!':
                leaf = self.bare(leaf['inner'][0])
            if '*' in leaf['type']['qualType']:
                pointers += 1
            elif leaf['kind'] != 'DeclRefExpr' and not (
                    leaf['kind'] == 'CallExpr' and re.search(r'init|create|alloc', self.callee(leaf))):
                return False
        return pointers > 1

    def condition(self, node):
        test = node['inner'][0]
        at = self.span(test)
        if not at:
            return
        if node['kind'] == 'IfStmt':
            words = self.source.text(*at)
            self.put('negate', at, '!(' + words + ')')
            self.put('never', at, '0 && (' + words + ')')
            if not node.get('hasElse'):
                self.put('always', at, '1 || (' + words + ')')
            return
        yes, no = (self.span(n) for n in node['inner'][1:3])
        if yes and no:
            text = self.source.text
            self.put('other branch', (yes[0], no[1]),
                     text(*no) + text(yes[1], no[0]) + text(*yes))

    def operators(self, node, table, name):
        left, right = node['inner'][:2]
        a, b = self.span(left), self.span(right)
        opcode = node['opcode']
        if not a or not b or opcode not in table:
            return
        between = re.sub(r'/\*.*?\*/', lambda m: ' ' * len(m.group()), self.source.text(a[1], b[0]),
                         flags=re.S)
        at = between.find(opcode)
        if at < 0:
            return
        for other in table[opcode]:
            self.put(name, (a[1] + at, a[1] + at + len(opcode)), other)

    def do_BinaryOperator(self, node, inner):
        if '*' not in node['type']['qualType']:
            self.operators(node, ARITHMETIC, 'arithmetic')
        self.operators(node, COMPARE, 'compare')
        if node['opcode'] in LOGICAL:
            before = self.source.idle
            self.source.idle = before or self.about_pointers(node)
            self.operators(node, LOGICAL, 'logic')
            whole, a, b = self.span(node), self.span(inner[0]), self.span(inner[1])
            if a and b:
                self.put('drop right', whole, self.source.text(*a))
                self.put('drop left', whole, self.source.text(*b))
            self.source.idle = before

    def do_CompoundAssignOperator(self, node, inner):
        if '*' not in node['type']['qualType']:
            self.operators(node, ASSIGN, 'assign')

    def do_UnaryOperator(self, node, inner):
        at, operand = self.span(node), self.span(inner[0])
        opcode = node['opcode']
        if not operand:
            return
        if opcode in ('-', '~') or (opcode == '!' and node.get('type', {}).get('qualType') != 'void'):
            self.put('drop ' + opcode, (at[0], operand[0]), ' ' * (operand[0] - at[0]))
        elif opcode in ('++', '--'):
            other = '--' if opcode == '++' else '++'
            if node.get('isPostfix'):
                self.put('count', (operand[1], at[1]), other)
            else:
                self.put('count', (at[0], operand[0]), other)

    def do_IntegerLiteral(self, node, inner):
        at = self.span(node)
        words = self.source.text(*at)
        try:
            value = int(re.sub(r'[uUlL]+$', '', words), 0)
        except ValueError:
            return
        if words.startswith('0x'):
            return
        self.put('constant', at, str(value + 1))
        if value > 0:
            self.put('constant', at, str(value - 1))

    def do_FloatingLiteral(self, node, inner):
        at = self.span(node)
        words = self.source.text(*at)
        self.put('constant', at, '1.0' if re.fullmatch(r'[0.]+[fFlL]?', words) else '(2 * ' + words + ')')
        self.put('constant', at, '(0 * ' + words + ')')

    def do_ReturnStmt(self, node, inner):
        at = inner and self.span(inner[0])
        if not at or not self.plain(self.returns):
            return
        words = self.source.text(*at)
        value = self.bare(inner[0])
        if value['kind'] == 'CallExpr' and NO_MEMORY.search(words):
            return
        if self.returns == 'bool':
            self.put('return not', at, '!(' + words + ')')
        elif words not in ('0', 'BR_OK', 'false'):
            self.put('return 0', at, '0')
        else:
            self.put('return 1', at, '1')

    def do_VarDecl(self, node, inner):
        if not node.get('init') or not inner or not self.plain(node['type']['qualType']):
            return
        at = self.span(inner[-1])
        if at and self.source.text(*at) not in ('0', '0.0', 'false') and node.get('storageClass') != 'static':
            self.put('start at 0', at, '0')

    def do_CXXBoolLiteralExpr(self, node, inner):
        self.put('constant', self.span(node), '0' if node.get('value') else '1')

    def swap_arguments(self, arguments):
        for first, second in zip(arguments, arguments[1:]):
            if first.get('type', {}).get('qualType') != second.get('type', {}).get('qualType'):
                continue
            a, b = self.span(first), self.span(second)
            if a and b and self.source.text(*a) != self.source.text(*b):
                text = self.source.text
                self.put('swap arguments', (a[0], b[1]), text(*b) + text(a[1], b[0]) + text(*a))


class PythonFile(ast.NodeVisitor):
    """The same for a module of Python; bodies of functions only."""

    NAMES = {ast.Lt: '<', ast.LtE: '<=', ast.Gt: '>', ast.GtE: '>=', ast.Eq: '==', ast.NotEq: '!=',
             ast.Is: 'is', ast.IsNot: 'is not', ast.In: 'in', ast.NotIn: 'not in'}
    OTHER = {'is': ['is not'], 'is not': ['is'], 'in': ['not in'], 'not in': ['in'], **COMPARE}
    ARITHMETIC = {ast.Add: ('+', '-'), ast.Sub: ('-', '+'), ast.Mult: ('*', '+'), ast.Div: ('/', '*'),
                  ast.FloorDiv: ('//', '*'), ast.Mod: ('%', '*'), ast.BitAnd: ('&', '|'),
                  ast.BitOr: ('|', '&')}

    def __init__(self, source):
        self.source = source
        self.names = []
        self.visit(ast.parse(source.bytes))

    def span(self, node):
        lines = self.source.lines
        return (lines[node.lineno - 1] + node.col_offset, lines[node.end_lineno - 1] + node.end_col_offset)

    def put(self, operator, at, text):
        if self.names:
            self.source.add(operator, '.'.join(self.names), *at, text)

    def words(self, node):
        return self.source.text(*self.span(node))

    def between(self, a, b, old, new, operator):
        begin, end = self.span(a)[1], self.span(b)[0]
        at = self.source.text(begin, end).find(old)
        if at >= 0:
            self.put(operator, (begin + at, begin + at + len(old)), new)

    def visit_FunctionDef(self, node):
        self.names.append(node.name)
        for statement in node.body:
            self.visit(statement)
        self.names.pop()

    def visit_Assert(self, node):
        pass

    def visit_Raise(self, node):
        self.put('delete', self.span(node), 'pass')

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.put('delete', self.span(node), 'pass')
        self.generic_visit(node)

    def visit_Assign(self, node):
        if self.names and not isinstance(node.value, ast.Constant):
            self.put('assign None', self.span(node.value), 'None')
        self.visit(node.value)

    def visit_AugAssign(self, node):
        old = self.ARITHMETIC.get(type(node.op))
        if old:
            self.between(node.target, node.value, old[0] + '=', old[1] + '=', 'assign')
        self.put('delete', self.span(node), 'pass')
        self.visit(node.value)

    def visit_Continue(self, node):
        self.put('delete', self.span(node), 'pass')

    visit_Break = visit_Continue

    def visit_Return(self, node):
        if node.value is None:
            return
        text = self.words(node.value)
        boolean = isinstance(node.value, (ast.Compare, ast.BoolOp)) or text in ('True', 'False')
        self.put('return', self.span(node.value), 'not (' + text + ')' if boolean else 'None')
        self.visit(node.value)

    def visit_test(self, node):
        at, text = self.span(node.test), self.words(node.test)
        self.put('negate', at, 'not (' + text + ')')
        if isinstance(node, (ast.If, ast.IfExp)):
            self.put('never', at, 'False and (' + text + ')')
            self.put('always', at, 'True or (' + text + ')')
        self.generic_visit(node)

    visit_If = visit_IfExp = visit_While = visit_test

    def visit_comprehension(self, node):
        for test in node.ifs:
            self.put('always', self.span(test), '(True or ' + self.words(test) + ')')
        self.generic_visit(node)

    def visit_Compare(self, node):
        sides = [node.left, *node.comparators]
        for a, b, op in zip(sides, sides[1:], node.ops):
            old = self.NAMES[type(op)]
            for new in self.OTHER[old]:
                self.between(a, b, old, new, 'compare')
        self.generic_visit(node)

    def visit_BinOp(self, node):
        old = self.ARITHMETIC.get(type(node.op))
        if old and not (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)):
            self.between(node.left, node.right, *old, 'arithmetic')
            self.generic_visit(node)

    def visit_BoolOp(self, node):
        old, new = ('and', 'or') if isinstance(node.op, ast.And) else ('or', 'and')
        for a, b in zip(node.values, node.values[1:]):
            self.between(a, b, old, new, 'logic')
        for one in node.values:
            self.put('drop', self.span(one), '(True)' if old == 'and' else '(False)')
        self.generic_visit(node)

    def visit_UnaryOp(self, node):
        at, operand = self.span(node), self.span(node.operand)
        if isinstance(node.op, (ast.Not, ast.USub)):
            self.put('drop sign', at, '(' + self.source.text(*operand) + ')')
        self.generic_visit(node)

    def visit_Constant(self, node):
        at = self.span(node)
        if isinstance(node.value, bool):
            self.put('constant', at, str(not node.value))
        elif isinstance(node.value, int):
            self.put('constant', at, str(node.value + 1))
            if node.value > 0:
                self.put('constant', at, str(node.value - 1))

    def visit_JoinedStr(self, node):
        pass

    def visit_Call(self, node):
        name = ast.unparse(node.func)
        if MESSAGES.search(name.split('.')[-1]) or name == 'print':
            return
        # need(condition, words): the condition is what is looked at.
        if name.split('.')[-1] == 'need' and node.args:
            self.put('always', self.span(node.args[0]), 'True')
        for a, b in zip(node.args, node.args[1:]):
            if not isinstance(a, (ast.Constant, ast.Starred)) and not isinstance(b, (ast.Constant, ast.Starred)):
                (p, q), (r, s) = self.span(a), self.span(b)
                text = self.source.text
                if text(p, q) != text(r, s):
                    self.put('swap arguments', (p, s), text(r, s) + text(q, r) + text(p, q))
        self.generic_visit(node)


def mutants_of(root, files, units):
    """All mutants of files below root. Units: (file, command that prints its tree) of what includes them."""
    root = pathlib.Path(root)
    sources = {}
    for file in files:
        if not file.endswith(('.c', '.h')):
            sources[file] = Source(root, file)
            PythonFile(sources[file])
    wanted = {file for file in files if file.endswith(('.c', '.h'))}
    for unit, command in units:
        CFile(root, unit, command, wanted, sources)
    return sources, [m for file in sorted(sources) for m in sources[file].found.values()]
