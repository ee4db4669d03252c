# Runs a piece of code in the cage and reports on it.
import io, os, sys


def start():
    import json
    job = json.loads(sys.stdin.buffer.read())
    told = os.dup(1)
    # What a library writes past Python goes nowhere; only the report leaves.
    os.dup2(2, 1)
    sys.path[:] = job['path']
    sys.argv = ['']
    # Files that are there and cannot be read would not be passed over.
    import mimetypes
    mimetypes.knownfiles = []
    here, spare = os.getcwd(), os.environ['TMPDIR']
    report = json.dumps(run(job, told)).encode()
    data = b'<' + len(report).to_bytes(8, 'little') + report
    while data:
        data = data[os.write(told, data):]
    write_plain(here, spare)
    os._exit(0)


def write_plain(here, spare):
    """What openpyxl alone makes of a workbook as it was: in what it differs, the code changed it."""
    import filecmp
    try:
        os.chdir(spare)
        books = [os.path.join(here, name) for name in os.listdir(here) if name.lower().endswith('.xlsx')]
        if not any(filecmp.cmp('before.xlsx', book, shallow=False) for book in books):
            import openpyxl
            openpyxl.load_workbook('before.xlsx').save('saving.xlsx')
            os.rename('saving.xlsx', 'plain.xlsx')
    except BaseException:
        pass


class Full(Exception):
    pass


class Printed(io.TextIOBase):
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

    def writable(self):
        return True

    def text(self):
        return ''.join(self.parts)


def draw(before):
    """Charts that were drawn by code that saved no picture."""
    plt = sys.modules.get('matplotlib.pyplot')
    if plt is None or any(is_picture(name) for name in left() - before):
        return
    for number in plt.get_fignums():
        n = 1
        while os.path.exists(f'chart-{n}.png'):
            n += 1
        figure = plt.figure(number)
        if figure.axes:
            figure.savefig(f'chart-{n}.png')


def left():
    return {os.path.join(folder, name) for folder, _, names in os.walk('.') for name in names}


def is_picture(name):
    return name.lower().endswith(('.png', '.svg', '.pdf', '.jpg', '.jpeg'))


def run(job, told):
    import ast, types, warnings
    warnings.filterwarnings('ignore')
    space = types.ModuleType('__main__')
    sys.modules['__main__'] = space
    names, code = space.__dict__, job['code']
    before = left()
    out, value, error, stopped = Printed(job['output']), None, None, False
    # From here on its time counts.
    os.write(told, b'>')
    sys.stdout = sys.stderr = out
    sys.stdin = open(0, closefd=False)
    try:
        tree = ast.parse(code, 'cell')
        end = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, 'cell', 'exec'), names)
        if end is not None:
            value = eval(compile(ast.Expression(end.value), 'cell', 'eval'), names)
            value = None if value is None else shown(value)
        draw(before)
    except Full:
        stopped = True
        error = f"It printed more than {job['output'] >> 10} KB. Print less: a summary, or the first rows."
    except MemoryError:
        names.clear()
        stopped = True
        error = f"It needed more memory than the {job['memory'] >> 20} MB it may have."
    except BaseException as failed:
        error = traced(failed, code)
    return {'stdout': out.text(), 'value': value, 'error': error, 'stopped': stopped}


def shown(value):
    text = repr(value)
    return text if len(text) <= 8192 else text[:8192] + '…'


def traced(failed, code):
    """The lines of the code that led to it; those of libraries and of this file help nobody."""
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
        return ('there are no other files, folders, programs and no network here; the workbook is in the current '
                'folder, and files can be saved there')
    if isinstance(failed, FileNotFoundError):
        return 'the current folder holds ' + ', '.join(sorted(os.listdir('.'))[:20])
    return None


start()
