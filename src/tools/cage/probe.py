import json, os, sys


def main():
    if sys.version_info < (3, 8):
        sys.exit(1)
    from importlib import util
    from importlib.metadata import version
    modules = []
    for name in ('openpyxl', 'pandas', 'numpy', 'matplotlib'):
        try:
            if name == 'openpyxl':
                __import__(name)
            if util.find_spec(name):
                modules.append((name, version(name)))
        except Exception:
            pass
    import site
    homes = [os.path.realpath(p) for p in (sys.prefix, sys.base_prefix, site.getusersitepackages())]
    path = [os.path.realpath(p) for p in sys.path if p and os.path.exists(p)]
    # Folders that a setting or a link of the person's adds are theirs, not Python's.
    path = [p for p in path if any(p == home or p.startswith(home + os.sep) for home in homes) and p not in homes[:2]]
    import hashlib, zlib, ctypes, ssl
    libraries, loaders = set(), set()
    try:
        maps = open('/proc/self/maps').read().splitlines()
    except OSError:
        maps = []
    program = os.path.realpath(sys.executable)
    for line in maps:
        file = line.split(None, 5)[-1]
        if not file.startswith('/') or file == program or file.endswith('(deleted)'):
            continue
        if any(file.startswith(p + os.sep) for p in path):
            continue
        name, folder = os.path.basename(file), os.path.dirname(file)
        if name.startswith('ld-') or name.startswith('ld.'):
            loaders.add(file)
        if '.so' in name:
            # The system's own libraries are read from where they are; of any other place only the library itself.
            libraries.add(folder if folder.startswith(('/lib', '/usr/lib')) else file)
    settings = [os.path.join(sys.prefix, 'pyvenv.cfg'), '/etc/ld.so.cache', '/usr/share/zoneinfo', '/etc/localtime',
                '/usr/share/fonts', '/sys/devices/system/cpu/online']
    print(json.dumps({
        'program': sys.executable,
        'version': '.'.join(map(str, sys.version_info[:3])),
        'modules': modules,
        'path': path,
        'libraries': sorted(libraries) + [p for p in settings if os.path.exists(p)],
        'loaders': sorted(loaders | {program}),
    }))


main()
