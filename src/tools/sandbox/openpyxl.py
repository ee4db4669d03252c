

class _Workbook:
    def __iter__(self):
        return iter([Sheet(key) for key in _ids()])

    def __contains__(self, name):
        return name in sheets()

    def create_sheet(self, title=None, index=None):
        n = 1
        name = title or 'Sheet'
        while name in sheets():
            name = f'{title or "Sheet"}{n}'
            n += 1
        return add_sheet(name)

    def remove(self, worksheet):
        _remove(worksheet._key)

    def get_sheet_by_name(self, name):
        return sheet(name)

    def copy_worksheet(self, source):
        copy = self.create_sheet(f'{_name(source._key)[:26]} Copy')
        copy.write('A1', source.rows())
        return copy

    def index(self, worksheet):
        return _ids().index(worksheet._key)

    def save(self, path=None):
        if isinstance(path, str):
            _saved(path)

    def close(self):
        return None


class _Look:
    def __init__(self, kind, wishes):
        self.kind = kind
        self.wishes = wishes


def _only(kind, given, known):
    for name in given:
        if given[name] is not None and name not in known:
            raise ValueError(f'{kind} takes {", ".join(known)} here, not {name}')


def _rgb(colour):
    if colour is None:
        return None
    if not isinstance(colour, str):
        raise ValueError('a colour is six hexadecimal digits here')
    return colour


def _font(**given):
    _only('Font', given, ['bold', 'b', 'italic', 'i', 'color'])
    bold = given.get('bold') if given.get('bold') is not None else given.get('b')
    italic = given.get('italic') if given.get('italic') is not None else given.get('i')
    return _Look('font', {'bold': bold, 'italic': italic, 'colour': _rgb(given.get('color'))})


def _fill(*args, **given):
    _only('PatternFill', given, ['start_color', 'fgColor', 'end_color', 'bgColor', 'fill_type', 'patternType'])
    kind = args[0] if args else given.get('fill_type') or given.get('patternType')
    if kind not in (None, 'solid'):
        raise ValueError('a filling is solid here')
    colour = args[1] if len(args) > 1 else given.get('start_color') or given.get('fgColor')
    return _Look('fill', {'fill': _rgb(colour)})


def _none_of_it(name):
    def refuse(*args, **given):
        raise ValueError(f'{name} cannot be set here: there are Font (bold, italic, color), PatternFill, number_format and widths of columns')
    return refuse


class _Column:
    def __init__(self, key, letters):
        self._key = key
        self.letters = letters


class _Columns:
    def __init__(self, key):
        self._key = key


class _Module:
    def __init__(self, names):
        for name in names:
            setattr(self, name, names[name])


def _load_workbook(path=None, **how):
    return _Workbook()


def _new_workbook(*args, **how):
    raise ValueError('one workbook is open here: load_workbook() gives it, and create_sheet("New") adds a sheet to it')


_openpyxl = _Module({
    'load_workbook': _load_workbook,
    'Workbook': _new_workbook,
    'styles': _Module({
        'Font': _font,
        'PatternFill': _fill,
        'Alignment': _none_of_it('Alignment'),
        'Border': _none_of_it('Border'),
        'Side': _none_of_it('Side'),
        'NamedStyle': _none_of_it('NamedStyle'),
    }),
    'utils': _Module({
        'get_column_letter': _letters,
        'column_index_from_string': _column,
    }),
})


# What subscripts, attributes and statements of cells are put as: the same for every value, and the workbook's own way
# for sheets, cells and the workbook.
def _item(x, k):
    if type(x) is Sheet:
        if isinstance(k, int):
            return tuple([Cell(x._key, k, c) for c in range(1, max(_size(x._key)[1], 1) + 1)])
        if ':' in k:
            rows = _range(x._key, k)
            first = k.split(':')[0].replace('$', '')
            letters = ''.join([c for c in first if not c.isdigit()])
            digits = ''.join([c for c in first if c.isdigit()])
            top, left = int(digits or 1), _column(letters or 'A')
            return tuple([tuple([Cell(x._key, top + r, left + c) for c in range(len(rows[r]))]) for r in range(len(rows))])
        digits = ''.join([c for c in k if c.isdigit()])
        letters = ''.join([c for c in k if not c.isdigit() and c != '$'])
        if not digits:
            return tuple([Cell(x._key, r, _column(letters)) for r in range(1, max(_size(x._key)[0], 1) + 1)])
        _get(x._key, k)
        return Cell(x._key, int(digits), _column(letters))
    if type(x) is _Workbook:
        if k not in sheets():
            raise KeyError(f'Worksheet {k} does not exist.')
        return sheet(k)
    if type(x) is _Columns:
        return _Column(x._key, k)
    return x[k]


def _put(x, k, v):
    if type(x) is Sheet:
        _set(x._key, k, v)
    else:
        x[k] = v


def _delete(x, k):
    if type(x) is _Workbook:
        _remove(sheet(k)._key)
    else:
        x.pop(k)


def _operate(sign, a, b):
    if sign == '+':
        a += b
    elif sign == '-':
        a -= b
    elif sign == '*':
        a *= b
    elif sign == '/':
        a /= b
    elif sign == '//':
        a //= b
    elif sign == '%':
        a %= b
    elif sign == '**':
        a **= b
    elif sign == '|':
        a |= b
    elif sign == '&':
        a &= b
    elif sign == '^':
        a ^= b
    elif sign == '<<':
        a <<= b
    elif sign == '>>':
        a >>= b
    else:
        raise TypeError(f'there is no {sign}= here')
    return a


def _augment(x, k, sign, v):
    if type(x) is Sheet:
        raise TypeError(f"unsupported operand type(s) for {sign}=: 'Cell' and {type(v).__name__!r}")
    x[k] = _operate(sign, x[k], v)


def _augment_set(x, name, sign, v):
    if type(x) is Cell and name == 'value':
        _let(x, name, _operate(sign, _dot_value(x), v))
    else:
        setattr(x, name, _operate(sign, getattr(x, name), v))


def _let(x, name, v):
    if type(x) is Cell:
        if name == 'value':
            _set(x._key, (x.row, x.column), v)
        elif name == 'number_format':
            _look(x._key, x.coordinate, 'number_format', v)
        elif name in ('font', 'fill') and type(v) is _Look:
            for wish in v.wishes:
                if v.wishes[wish] is not None:
                    _look(x._key, x.coordinate, wish, v.wishes[wish])
        else:
            raise ValueError(f'{name} of a cell cannot be set here')
    elif type(x) is Sheet and name == 'title':
        x.rename(v)
    elif type(x) is Sheet:
        raise ValueError(f'{name} of a sheet cannot be set here')
    elif type(x) is _Column and name == 'width':
        _width(x._key, x.letters, v)
    elif type(x) is _Column:
        raise ValueError(f'{name} of a column cannot be set here; its width can')
    else:
        setattr(x, name, v)


def _dot_value(x):
    if type(x) is Cell:
        return _formula(x._key, (x.row, x.column)) or _get(x._key, (x.row, x.column))
    return x.value


def _dot_max_row(x):
    return max(_size(x._key)[0], 1) if type(x) is Sheet else x.max_row


def _dot_max_column(x):
    return max(_size(x._key)[1], 1) if type(x) is Sheet else x.max_column


def _dot_min_row(x):
    return 1 if type(x) is Sheet else x.min_row


def _dot_min_column(x):
    return 1 if type(x) is Sheet else x.min_column


def _dot_title(x):
    return _name(x._key) if type(x) is Sheet else x.title


def _dot_rows(x):
    return x.iter_rows() if type(x) is Sheet else x.rows


def _dot_columns(x):
    return x.iter_cols() if type(x) is Sheet else x.columns


def _dot_values(x):
    return x.iter_rows(values_only=True) if type(x) is Sheet else x.values


def _dot_dimensions(x):
    return f'A1:{_letters(_dot_max_column(x))}{_dot_max_row(x)}' if type(x) is Sheet else x.dimensions


def _dot_sheetnames(x):
    return sheets() if type(x) is _Workbook else x.sheetnames


def _dot_worksheets(x):
    return [Sheet(key) for key in _ids()] if type(x) is _Workbook else x.worksheets


def _dot_active(x):
    return sheet() if type(x) is _Workbook else x.active


def _dot_column_dimensions(x):
    return _Columns(x._key) if type(x) is Sheet else x.column_dimensions


def _dot_number_format(x):
    if type(x) is Cell:
        raise ValueError('how a cell looks can be set here, and not read')
    return x.number_format


def _bound(x, name):
    if name == 'get':
        return lambda *a: x.get(*a)
    if name == 'append':
        return lambda *a: x.append(*a)
    if not isinstance(x, str):
        return getattr(x, name)
    if name == 'lower':
        return lambda: x.lower()
    if name == 'upper':
        return lambda: x.upper()
    if name == 'strip':
        return lambda *a: x.strip(*a)
    if name == 'casefold':
        return lambda: x.casefold()
    if name == 'startswith':
        return lambda *a: x.startswith(*a)
    if name == 'endswith':
        return lambda *a: x.endswith(*a)
    return lambda: x.isdigit()


def _sub(x, *args, **how):
    names = ['pattern', 'repl', 'string', 'count'] if type(x) is type(_math) else ['repl', 'string', 'count']
    given = dict(zip(names, args))
    given.update(how)
    repl = given.get('repl')
    if repl is None or isinstance(repl, str) or not hasattr(x, 'finditer'):
        return x.sub(*args, **how)
    flags = given.get('flags', args[4] if len(args) > 4 else 0)
    if 'pattern' in given:
        found = x.finditer(given['pattern'], given['string'], flags) if flags else x.finditer(given['pattern'], given['string'])
    else:
        found = x.finditer(given['string'])
    text, at, left, out = given['string'], 0, given.get('count', 0), []
    for m in found:
        out.append(text[at:m.start()])
        out.append(str(repl(m)))
        at = m.end()
        left -= 1
        if left == 0:
            break
    return ''.join(out) + text[at:]


def _percent(text, values):
    values = list(values) if isinstance(values, tuple) else [values]
    keyed = values[0] if len(values) == 1 and isinstance(values[0], dict) else None
    out, at, n = [], 0, 0
    for m in _re.finditer('%(?:\\(([^)]*)\\))?([-+ 0]*)([0-9]*)(?:\\.([0-9]+))?([sdifrxXeEgG%])', text):
        out.append(text[at:m.start()])
        at = m.end()
        kind = m.group(5)
        if kind == '%':
            out.append('%')
            continue
        if m.group(1) is not None and keyed is not None:
            value = keyed[m.group(1)]
        else:
            if n >= len(values):
                raise TypeError('not enough arguments for format string')
            value = values[n]
            n += 1
        flags, width, places = m.group(2) or '', m.group(3) or '', m.group(4)
        if kind in 'sr':
            shown = repr(value) if kind == 'r' else str(value)
            if places is not None:
                shown = shown[:int(places)]
        else:
            sign = '+' if '+' in flags else ' ' if ' ' in flags else ''
            if kind in 'di':
                shown = f'{int(value):{sign}d}'
            elif kind in 'xX':
                shown = f'{int(value):{sign}{kind}}'
            else:
                shown = f'{float(value):{sign}.{places if places is not None else 6}{kind}}'
        size = int(width or 0)
        if '-' in flags:
            shown = shown.ljust(size)
        elif '0' in flags and kind not in 'sr':
            shown = shown.zfill(size)
        else:
            shown = shown.rjust(size)
        out.append(shown)
    return ''.join(out) + text[at:]


def _groupby(items, key=None):
    groups = []
    for item in items:
        k = item if key is None else key(item)
        if groups and groups[-1][0] == k:
            groups[-1][1].append(item)
        else:
            groups.append((k, [item]))
    return iter([(k, iter(group)) for k, group in groups])


def _product(*pools, repeat=1):
    out = [()]
    for pool in [list(pool) for pool in pools] * repeat:
        out = [done + (item,) for done in out for item in pool]
    return iter(out)


def _combinations(items, r):
    items, out = list(items), [((), 0)]
    for step in range(r):
        out = [(done + (items[i],), i + 1) for done, first in out for i in range(first, len(items))]
    return iter([done for done, first in out])


def _permutations(items, r=None):
    items = list(items)
    out = [((), ())]
    for step in range(len(items) if r is None else r):
        out = [(done + (items[i],), used + (i,)) for done, used in out for i in range(len(items)) if i not in used]
    return iter([done for done, used in out])


import itertools as _native
_itertools = _Module({
    'groupby': _groupby,
    'product': _product,
    'combinations': _combinations,
    'permutations': _permutations,
    'chain': _native.chain,
    'count': _native.count,
    'repeat': _native.repeat,
    'pairwise': _native.pairwise,
    'compress': _native.compress,
    'islice': _native.islice,
    'cycle': _native.cycle,
    'takewhile': _native.takewhile,
    'dropwhile': _native.dropwhile,
    'filterfalse': _native.filterfalse,
    'starmap': _native.starmap,
    'accumulate': _native.accumulate,
    'batched': _native.batched,
    'zip_longest': _native.zip_longest,
})
None
