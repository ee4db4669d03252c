# Runs cells of code in the cage and reports on them. Before anything else the clock is stopped at the day of the work and
# chance is made to repeat: what really keeps both out is the comparison of what comes of each cell when it runs again.
import os, sys


def start():
    import json
    job = json.loads(sys.stdin.buffer.read())
    told = os.dup(1)
    # What a library writes past Python goes nowhere; only the report leaves.
    os.dup2(2, 1)
    sys.path[:] = job['path']
    sys.argv = ['']
    stop_chance()
    # Libraries in C take the real classes of dates for their own, so they come before those are put aside.
    for name, sign in [('pandas', 'pandas'), ('openpyxl', 'openpyxl'), ('matplotlib.pyplot', 'plot')]:
        if any(sign in code for code in job['cells']):
            try:
                __import__(name)
            except Exception:
                pass
    note_saved()
    stop_clock(job['now'])
    # Files that are there and cannot be read would not be passed over.
    import mimetypes
    mimetypes.knownfiles = []
    report = run(job, told)
    os.write(told, b'<')
    data = json.dumps(report).encode()
    data = len(data).to_bytes(8, 'little') + data
    while data:
        data = data[os.write(told, data):]
    os._exit(0)


def stop_chance():
    import hashlib
    state = [0]

    def urandom(size):
        out = b''
        while len(out) < size:
            state[0] += 1
            out += hashlib.sha256(b'sayso %d' % state[0]).digest()
        return out[:size]

    os.urandom = urandom
    os.getrandom = lambda size, flags=0: urandom(size)
    import random
    seed = random.Random.seed
    random.Random.seed = lambda self, a=None, version=2: seed(self, 0 if a is None else a, version)
    random.seed(0)


def stop_clock(now):
    import datetime, time
    passed = [0.0]

    def tick():
        passed[0] += 0.001
        return passed[0]

    local, gm, strf, ct, asc = time.localtime, time.gmtime, time.strftime, time.ctime, time.asctime
    time.time = lambda: float(now)
    time.time_ns = lambda: int(now) * 10**9
    time.localtime = lambda secs=None: local(now if secs is None else secs)
    time.gmtime = lambda secs=None: gm(now if secs is None else secs)
    time.strftime = lambda form, t=None: strf(form, local(now) if t is None else t)
    time.ctime = lambda secs=None: ct(now if secs is None else secs)
    time.asctime = lambda t=None: asc(local(now) if t is None else t)
    time.sleep = lambda seconds: tick() and None
    for name in ('monotonic', 'perf_counter', 'process_time', 'thread_time'):
        setattr(time, name, tick)
        setattr(time, name + '_ns', lambda: int(tick() * 10**9))
    Day, Moment = datetime.date, datetime.datetime
    moment = Moment.fromtimestamp(now, datetime.timezone.utc)

    # Classes that make the real ones, and differ from them only in what today is.
    def still(real, extra):
        class Meta(type(real)):
            def __instancecheck__(cls, it):
                return isinstance(it, real)

            def __subclasscheck__(cls, it):
                return issubclass(it, real)

            def __eq__(cls, it):
                return it is real or it is cls

            def __hash__(cls):
                return hash(real)

        def make(cls, *args, **named):
            return real.__new__(real if type(cls) is Meta and cls.__bases__ == (real,) else cls, *args, **named)

        methods = {'__new__': make, '__doc__': real.__doc__, '__module__': 'datetime', '__qualname__': real.__name__}
        for name in ('fromtimestamp', 'fromordinal', 'fromisoformat', 'fromisocalendar', 'strptime', 'combine', 'utcfromtimestamp'):
            if hasattr(real, name):
                methods[name] = staticmethod(getattr(real, name))
        methods.update(extra)
        return Meta(real.__name__, (real,), methods)

    def at(tz=None):
        return moment.astimezone(tz) if tz else moment.replace(tzinfo=None)

    if 'pandas' in sys.modules:
        stamp = sys.modules['pandas'].Timestamp
        stamp.now = staticmethod(lambda tz=None: stamp(at(tz)))
        stamp.today = stamp.now
        stamp.utcnow = staticmethod(lambda: stamp(moment))
    datetime.date = still(Day, {'today': staticmethod(lambda: moment.date())})
    datetime.datetime = still(Moment, {
        'now': staticmethod(at),
        'today': staticmethod(lambda: at()),
        'utcnow': staticmethod(lambda: at()),
    })


class Full(Exception):
    pass


class Printed:
    encoding = 'utf-8'
    errors = 'replace'

    def __init__(self, most):
        self.parts, self.left, self.most = [], most, most

    def write(self, text):
        if not isinstance(text, str):
            raise TypeError('write() argument must be str, not ' + type(text).__name__)
        size = len(text.encode('utf-8', 'replace'))
        if size > self.left:
            self.parts.append(text[:self.left])
            self.left = 0
            raise Full()
        self.left -= size
        self.parts.append(text)
        return len(text)

    def writelines(self, lines):
        for line in lines:
            self.write(line)

    def flush(self):
        pass

    def isatty(self):
        return False

    def writable(self):
        return True

    def text(self):
        return ''.join(self.parts)


def digest(text, file):
    import hashlib, re, zipfile
    # Where a thing lies in memory is no difference.
    text = re.sub('0x[0-9a-f]{6,}', '0x', text)
    sha = hashlib.sha256(text.encode('utf-8', 'replace'))
    try:
        with zipfile.ZipFile(file) as book:
            for part in sorted(book.infolist(), key=lambda part: part.filename):
                sha.update(f'{part.filename} {part.file_size} {part.CRC};'.encode())
    except Exception as error:
        sha.update(type(error).__name__.encode())
    return sha.hexdigest()


def note_saved():
    figures = sys.modules.get('matplotlib.figure')
    if figures is None:
        return
    save = figures.Figure.savefig

    def savefig(self, *args, **named):
        self.was_saved = True
        return save(self, *args, **named)

    figures.Figure.savefig = savefig


def draw():
    """Charts that were drawn and not saved."""
    plt = sys.modules.get('matplotlib.pyplot')
    if plt is None:
        return
    for number in plt.get_fignums():
        n = 1
        while os.path.exists(f'chart-{n}.png'):
            n += 1
        figure = plt.figure(number)
        if figure.axes and not getattr(figure, 'was_saved', False):
            figure.savefig(f'chart-{n}.png')
    plt.close('all')


def run(job, told):
    import ast, shutil, types, warnings
    warnings.filterwarnings('ignore')
    space = types.ModuleType('__main__')
    sys.modules['__main__'] = space
    names = space.__dict__
    report = {'digests': [], 'stdout': '', 'value': None, 'error': None, 'stopped': False}
    for at, code in enumerate(job['cells']):
        last = at + 1 == len(job['cells'])
        if last:
            shutil.copyfile(job['file'], job['keep'])
        # Each cell has its own time.
        os.write(told, b'>')
        out, value, error, stopped = Printed(job['output']), None, None, False
        sys.stdout = sys.stderr = out
        sys.stdin = open(0, closefd=False)
        try:
            tree = ast.parse(code, 'cell')
            end = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            exec(compile(tree, 'cell', 'exec'), names)
            if end is not None:
                value = eval(compile(ast.Expression(end.value), 'cell', 'eval'), names)
                value = None if value is None else shown(value)
            draw()
        except Full:
            stopped = True
            error = f"It printed more than {job['output'] >> 10} KB. Print less: a summary, or the first rows."
        except MemoryError:
            names.clear()
            stopped = True
            error = f"It needed more memory than the {job['memory'] >> 20} MB it may have."
        except BaseException as failed:
            error = traced(failed, code)
        report['digests'].append(digest(f'{out.text()}\0{value}\0{error}', job['file']))
        if last or stopped:
            report.update(stdout=out.text(), value=value, error=error, stopped=stopped)
        if stopped:
            break
    report['files'] = files(job)
    return report


def shown(value):
    text = repr(value)
    return text if len(text) <= 8192 else text[:8192] + '…'


def traced(failed, code):
    import traceback
    lines = code.split('\n')
    out = ['Traceback (most recent call last):\n']
    for frame in traceback.extract_tb(failed.__traceback__):
        if frame.filename == 'cell':
            line = lines[frame.lineno - 1].strip() if 0 < frame.lineno <= len(lines) else ''
            out.append(f'  line {frame.lineno}, in {frame.name}\n    {line}\n')
    out += traceback.format_exception_only(type(failed), failed)
    hint = why(failed)
    return ''.join(out)[-6000:].rstrip() + (f'\nHint: {hint}.' if hint else '')


def why(failed):
    if isinstance(failed, ModuleNotFoundError):
        return 'only what is installed here can be imported; the prompt says what that is'
    if isinstance(failed, PermissionError) or isinstance(failed, OSError) and failed.errno in (1, 13, 38):
        return 'there are no other files, no network and no other programs here; the workbook is in the current folder'
    if isinstance(failed, FileNotFoundError):
        return 'the current folder holds ' + ', '.join(sorted(os.listdir('.'))[:20])
    return None


def files(job):
    """Everything that lies beside the workbook; a name that is no text cannot be kept, and is named all the same."""
    names = sorted(os.listdir('.'))
    return [name.encode('utf-8', 'replace').decode() for name in names if name != job['file']]


start()
