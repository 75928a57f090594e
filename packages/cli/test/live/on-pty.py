# Runs a command on a pseudo-terminal of 100 columns and 30 rows. Arguments: a JSON list of steps, then the command. A step waits until the screen has
# shown a text after the step before, and then sends keys, a size or a signal: {"until": "text", "send": "q"}, {"resize": [60, 12]}, {"signal": 15}.
# Prints {"output": "…", "status": 0, "restored": true} as JSON.
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

steps = json.loads(sys.argv[1])
deadline = time.monotonic() + 40


def resize(columns, rows):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


master, slave = pty.openpty()
resize(100, 30)
before = termios.tcgetattr(slave)
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for fd in (0, 1, 2):
        os.dup2(slave, fd)
    os.execvp(sys.argv[2], sys.argv[2:])

output, seen, status = b'', 0, None
while status is None and time.monotonic() < deadline:
    if select.select([master], [], [], 0.05)[0]:
        output += os.read(master, 65536)
    while steps and steps[0].get('until', '').encode() in output[seen:]:
        step = steps.pop(0)
        seen = len(output)
        if 'send' in step:
            os.write(master, step['send'].encode())
        if 'resize' in step:
            resize(*step['resize'])
        if 'signal' in step:
            os.kill(pid, step['signal'])
    ended, code = os.waitpid(pid, os.WNOHANG)
    if ended == pid:
        status = os.waitstatus_to_exitcode(code)
if status is None:
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
while select.select([master], [], [], 0.2)[0]:
    output += os.read(master, 65536)
print(json.dumps({
    'output': output.decode('utf-8', 'replace'),
    'status': status,
    'restored': termios.tcgetattr(slave) == before,
}))
