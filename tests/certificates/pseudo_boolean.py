"""A small reading of pseudo-Boolean formulas (OPB) and of proofs in the form of VeriPB 3: the rules that our proofs use.

A constraint is (coefficients by literal, degree): the sum of the coefficients of true literals is the degree or more.
All coefficients are above 0, and no variable has both of its literals. Everything else than `pol`, `rup` and the frame
is refused, so that a proof which this accepts uses cutting planes and unit propagation alone.
"""
import re

VARIABLE = re.compile(r'[A-Za-z][A-Za-z0-9_]+')


class Refused(Exception):
    pass


def need(condition, *words):
    if not condition:
        raise Refused(*words)


def negation(literal):
    return literal[1:] if literal[0] == '~' else '~' + literal


def is_literal(word):
    return bool(VARIABLE.fullmatch(word.lstrip('~'))) and word.count('~') <= 1


def add(a, b):
    terms, degree = dict(a[0]), a[1] + b[1]
    for literal, k in b[0].items():
        other = negation(literal)
        if other in terms: # x + ~x = 1
            both = min(k, terms[other])
            degree -= both
            k -= both
            terms[other] -= both
            if not terms[other]:
                del terms[other]
        if k:
            terms[literal] = terms.get(literal, 0) + k
    return terms, degree


def times(a, k):
    need(k > 0, 'a factor is not above 0')
    return {literal: c * k for literal, c in a[0].items()}, a[1] * k


def divided(a, k):
    need(k > 0, 'a divisor is not above 0')
    return {literal: -(-c // k) for literal, c in a[0].items()}, -(-a[1] // k)


def is_conflict(a):
    return sum(a[0].values()) < a[1]


class Propagation:
    """What follows from lines by unit propagation."""

    def __init__(self):
        self.lines, self.slack, self.top, self.at, self.true, self.conflict = [], [], [], {}, {}, False

    def enter(self, row):
        self.lines.append(row)
        number = len(self.lines) - 1
        for literal, k in row[0].items():
            self.at.setdefault(literal, []).append((number, k))
        self.slack.append(sum(k for literal, k in row[0].items() if negation(literal) not in self.true) - row[1])
        self.top.append(max(row[0].values(), default=0))
        self.conflict = self.conflict or self.slack[number] < 0 or not self.follow(list(self.units(number)), [])

    def units(self, number):
        slack = self.slack[number]
        if slack >= self.top[number]:
            return ()
        return [literal for literal, k in self.lines[number][0].items()
                if k > slack and literal not in self.true and negation(literal) not in self.true]

    def follow(self, literals, trail):
        """Makes the literals true, with all that follows. False if that is a contradiction."""
        while literals:
            literal = literals.pop()
            if literal in self.true:
                continue
            if negation(literal) in self.true:
                return False
            self.true[literal] = True
            trail.append(literal)
            broken = False
            for number, k in self.at.get(negation(literal), ()):
                left = self.slack[number] = self.slack[number] - k
                if left < self.top[number]:
                    broken = broken or left < 0
                    literals += self.units(number)
            if broken:
                return False
        return True

    def implies(self, row):
        """Do lines contradict the opposite of the row by unit propagation?"""
        if self.conflict:
            return True
        need(set(row[0].values()) <= {1} and row[1] == 1, 'no clause')
        trail = []
        found = not self.follow([negation(literal) for literal in row[0]], trail)
        for literal in trail:
            del self.true[literal]
            for number, k in self.at.get(negation(literal), ()):
                self.slack[number] += k
        return found


def row_of(words, line):
    need(len(words) >= 3 and words[-3] == '>=' and words[-1] == ';' and len(words) % 2, 'no row', line)
    row = ({}, int(words[-2]))
    for k, literal in zip(words[:-3:2], words[1:-3:2]):
        need(is_literal(literal) and int(k) > 0, 'no term', line)
        row = add(row, ({literal: int(k)}, 0))
    return row


def formula(text):
    """The rows of an OPB file."""
    rows = []
    for line in text.splitlines():
        if line.startswith('*'):
            continue
        rows.append(row_of(line.split(), line))
    return rows


def resolve(words, known):
    """What a line in reverse Polish notation comes to. A number before `*` or `d` is one, else it is of a line."""
    stack = []
    for k, word in enumerate(words):
        if word == '+':
            need(len(stack) >= 2 and all(isinstance(a, tuple) for a in stack[-2:]), 'too few to add')
            b = stack.pop()
            stack.append(add(stack.pop(), b))
        elif word in ('*', 'd'):
            need(len(stack) >= 2 and isinstance(stack[-1], int) and isinstance(stack[-2], tuple), 'nothing to scale')
            b = stack.pop()
            stack.append((times if word == '*' else divided)(stack.pop(), b))
        elif is_literal(word):
            stack.append(({word: 1}, 0))
        else:
            need(word.isdigit(), 'no word of a proof', word)
            number = k + 1 < len(words) and words[k + 1] in ('*', 'd')
            stack.append(int(word) if number else known(int(word)))
    need(len(stack) == 1 and isinstance(stack[0], tuple), 'operands are left over')
    return stack[0]


def check(opb, pbp):
    """Refused unless the proof shows that the formula has no solution. Returns how many lines it has."""
    lines, propagation = formula(opb), Propagation()
    rows = len(lines)
    steps = [line.strip() for line in pbp.splitlines()]
    need(len(steps) >= 5 and steps[0] == 'pseudo-Boolean proof version 3.0' and steps[1] == 'f %d;' % rows, 'no head')
    need(steps[-3] == 'output NONE;' and steps[-1] == 'end pseudo-Boolean proof;', 'no end')

    def known(number):
        need(1 <= number <= len(lines), 'no such line', number)
        return lines[number - 1]

    for step in steps[2:-3]:
        if step.startswith('rup '):
            row = row_of(step[4:].split(), step)
            for other in lines[len(propagation.lines):]:
                propagation.enter(other)
            need(propagation.implies(row), 'a line does not follow by propagation', step[:80])
        else:
            need(step.startswith('pol ') and step.endswith(';'), 'no rule that is known', step[:40])
            row = resolve(step[4:-1].split(), known)
        lines.append(row)
    end = re.fullmatch(r'conclusion UNSAT : (\d+);', steps[-2])
    need(end and is_conflict(known(int(end[1]))), 'the line at the end is no contradiction')
    return len(lines) - rows
