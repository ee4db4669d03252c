import datetime as _datetime
import math as _math
import re as _re


class Sheet:
    def __init__(self, key):
        self._key = key
        self.name = _name(key)

    def __repr__(self):
        size = _size(self._key)
        return f'Sheet({_name(self._key)!r}, {size[0]} rows, {size[1]} columns)'

    def __iter__(self):
        return iter(self.iter_rows())

    def size(self):
        return _size(self._key)

    def get(self, cell):
        return _get(self._key, cell)

    def set(self, cell, value):
        _set(self._key, cell, value)

    def formula(self, cell):
        return _formula(self._key, cell)

    def range(self, area):
        return _range(self._key, area)

    def rows(self):
        size = _size(self._key)
        if size[0] == 0:
            return []
        return _range(self._key, f'1:{size[0]}')

    def write(self, cell, rows):
        _write(self._key, cell, rows)

    def append(self, row):
        if isinstance(row, dict):
            for key in row:
                _set(self._key, (_size(self._key)[0] + 1, _column(key)), row[key])
            return
        _write(self._key, (_size(self._key)[0] + 1, 1), [list(row)])

    def records(self, header=1):
        return _records(self._key, header)

    def headers(self, header=1):
        return _headings(self._key, header)

    def column(self, name, header=1):
        letters = self.letters(name, header)
        last = _size(self._key)[0]
        if last <= header:
            return []
        return [row[0] for row in _range(self._key, f'{letters}{header + 1}:{letters}{last}')]

    def letters(self, name, header=1):
        headers = self.headers(header)
        if name not in headers:
            raise KeyError(f'{name}: the headings are {headers}')
        return _letters(headers.index(name) + 1)

    def mark(self, area, colour='yellow'):
        _look(self._key, area, 'fill', colour)

    def bold(self, area, on=True):
        _look(self._key, area, 'bold', on)

    def number_format(self, area, code):
        _look(self._key, area, 'number_format', code)

    def width(self, column, width):
        _width(self._key, _letters(_column(column)), width)

    def insert_rows(self, row, count=1):
        _move(self._key, 'rows', row, count, True)

    def delete_rows(self, row, count=1):
        _move(self._key, 'rows', row, count, False)

    def insert_columns(self, column, count=1):
        _move(self._key, 'columns', _column(column), count, True)

    def delete_columns(self, column, count=1):
        _move(self._key, 'columns', _column(column), count, False)

    def rename(self, name):
        _rename(self._key, name)
        self.name = name

    def remove(self):
        _remove(self._key)

    # As openpyxl has it.
    def insert_cols(self, idx, amount=1):
        self.insert_columns(idx, amount)

    def delete_cols(self, idx, amount=1):
        self.delete_columns(idx, amount)

    def cell(self, row, column, value=None):
        found = Cell(self._key, row, column)
        if value is not None:
            _set(self._key, (row, column), value)
        return found

    def iter_rows(self, min_row=1, max_row=None, min_col=1, max_col=None, values_only=False):
        size = _size(self._key)
        last = max_row or size[0] or 1
        right = max_col or size[1] or 1
        if last < min_row or right < min_col:
            return iter([])
        if values_only:
            area = f'{_letters(min_col)}{min_row}:{_letters(right)}{last}'
            return iter([tuple(row) for row in _range(self._key, area)])
        key = self._key
        return iter([tuple([Cell(key, r, c) for c in range(min_col, right + 1)]) for r in range(min_row, last + 1)])

    def iter_cols(self, min_col=1, max_col=None, min_row=1, max_row=None, values_only=False):
        rows = list(self.iter_rows(min_row, max_row, min_col, max_col, values_only))
        return iter(list(zip(*rows)))


class Cell:
    def __init__(self, key, row, column):
        self._key = key
        self.row = row
        self.column = column
        self.column_letter = _letters(column)
        self.coordinate = f'{self.column_letter}{row}'

    def __repr__(self):
        return f'<Cell {_name(self._key)!r}.{self.coordinate}>'

    def offset(self, row=0, column=0):
        return Cell(self._key, self.row + row, self.column + column)


def _letters(n):
    text = ''
    while n > 0:
        n, digit = divmod(n - 1, 26)
        text = chr(65 + digit) + text
    return text


def _column(name):
    if isinstance(name, int):
        return name
    n = 0
    for c in name.upper():
        if c < 'A' or c > 'Z':
            raise ValueError(f'{name!r} is no column: its letters, like "B"')
        n = n * 26 + ord(c) - 64
    return n


def format(value, spec=''):
    return f'{value:{spec}}'


def sheets():
    return [_name(key) for key in _ids()]


def sheet(name=None):
    if name is None:
        return Sheet(_ids()[0])
    _size(name)
    for key in _ids():
        if _name(key) == name:
            return Sheet(key)
    for key in _ids():
        if _name(key).lower() == name.lower():
            return Sheet(key)
    return Sheet(name)


def add_sheet(name):
    return Sheet(_add(name))


class _Statistics:
    def mean(self, data):
        data = list(data)
        if not data:
            raise ValueError('mean requires at least one data point')
        return sum(data) / len(data)

    def fmean(self, data):
        return self.mean(data)

    def median(self, data):
        data = sorted(data)
        n = len(data)
        if n == 0:
            raise ValueError('no median for empty data')
        if n % 2 == 1:
            return data[n // 2]
        return (data[n // 2 - 1] + data[n // 2]) / 2

    def _squares(self, data, least):
        data = list(data)
        if len(data) < least:
            raise ValueError(f'variance requires at least {least} data points')
        middle = self.mean(data)
        return sum([(x - middle) ** 2 for x in data]), len(data)

    def variance(self, data):
        total, n = self._squares(data, 2)
        return total / (n - 1)

    def pvariance(self, data):
        total, n = self._squares(data, 1)
        return total / n

    def stdev(self, data):
        return _math.sqrt(self.variance(data))

    def pstdev(self, data):
        return _math.sqrt(self.pvariance(data))

    def mode(self, data):
        counts = {}
        for x in data:
            counts[x] = counts.get(x, 0) + 1
        if not counts:
            raise ValueError('no mode for empty data')
        best = max(counts.values())
        return [x for x in counts if counts[x] == best][0]

    def quantiles(self, data, n=4):
        data = sorted(data)
        if len(data) < 2:
            raise ValueError('must have at least two data points')
        m = len(data) + 1
        result = []
        for i in range(1, n):
            j = i * m // n
            j = 1 if j < 1 else len(data) - 1 if j > len(data) - 1 else j
            delta = i * m - j * n
            result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
        return result

    def correlation(self, x, y):
        x, y = list(x), list(y)
        if len(x) != len(y) or len(x) < 2:
            raise ValueError('correlation requires two equally long inputs of at least two points')
        mx, my = self.mean(x), self.mean(y)
        sxy = sum([(a - mx) * (b - my) for a, b in zip(x, y)])
        sxx = sum([(a - mx) ** 2 for a in x])
        syy = sum([(b - my) ** 2 for b in y])
        return sxy / _math.sqrt(sxx * syy)


statistics = _Statistics()


def group_by(records, *keys):
    groups = {}
    for record in records:
        key = record[keys[0]] if len(keys) == 1 else tuple([record[k] for k in keys])
        if key not in groups:
            groups[key] = []
        groups[key].append(record)
    return groups


def parse_date(text, order='dmy'):
    if text is None or isinstance(text, _datetime.datetime):
        return text
    text = str(text).strip()
    names = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
    parts = [p for p in _re.split('[^0-9A-Za-z]+', text) if p]
    if len(parts) < 3:
        raise ValueError(f'{text!r} is not a date')
    parts = parts[:3]
    word = [i for i in range(3) if parts[i][:3].lower() in names]
    if word:
        month = names.index(parts[word[0]][:3].lower()) + 1
        rest = [parts[i] for i in range(3) if i != word[0]]
        day, year = (rest[1], rest[0]) if len(rest[0]) == 4 else (rest[0], rest[1])
    elif len(parts[0]) == 4:
        year, month, day = parts
    elif order == 'mdy':
        month, day, year = parts
    else:
        day, month, year = parts
    year = int(year)
    if year < 100:
        year += 2000 if year < 70 else 1900
    return _datetime.datetime(year, int(month), int(''.join([c for c in str(day) if c.isdigit()])))


None
