def possible():
    import os, socket, stat

    def change_rights():
        os.chmod('.', 0o711)
        if stat.S_IMODE(os.stat('.').st_mode) != 0o711:
            raise OSError('nothing was done')

    found = []
    for name, attempt in [
        ('open a file of the machine', lambda: open('/etc/passwd').read()),
        ('list a folder of the machine', lambda: os.listdir('/')),
        ('use the network', lambda: socket.socket()),
        ('start a program', lambda: os.fork() or os._exit(0)),
        ('reach another process', lambda: os.kill(os.getppid(), 0)),
        ('change the rights of a file', change_rights),
        ('make a link', lambda: os.symlink('/', 'link')),
    ]:
        try:
            attempt()
            found.append(name)
        except BaseException:
            pass
    return found


found = possible()
'code in it could still ' + ', '.join(found) if found else 1 + 1
