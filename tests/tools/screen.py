#!/usr/bin/env python3
"""Runs a command in a terminal of tmux, does steps there and prints what is asked for.

  screen.py COLUMNSxROWS STEP... -- COMMAND...

  until TEXT     waits until the screen shows TEXT (a regular expression)
  gone TEXT      waits until it does not
  press KEYS     types keys, as tmux names them: `q`, `C-c`, `Enter`
  do COMMAND     runs a command of sh outside of the terminal
  resize CxR     gives the terminal another size
  show           prints the screen, without blanks at the ends of lines and empty lines at its end
  colors         the same with the escape sequences of colours
  state          prints `cursor shown|hidden`, `normal|alternate screen`

When the command has ended the screen shows its exit code below its output: `exit 0`.
"""

import re
import signal
import subprocess
import sys
import tempfile

LIMIT_S = 40  # for the whole


class Screen:
    """tmux in control mode: it says when the terminal has changed, so nothing here waits by the clock."""

    def __init__(self, size, command):
        columns, rows = size.split("x")
        self.directory = tempfile.TemporaryDirectory()
        # The window is the command's alone from its first line on.
        settings = f"{self.directory.name}/tmux.conf"
        with open(settings, "w", encoding="utf-8") as file:
            file.write("set-option -g status off\n")
        run = 'trap : INT; stty -echo; "$@"; code=$?; stty echo; echo "exit $code"; read -r line'
        self.tmux = subprocess.Popen(
            ["tmux", "-u", "-S", f"{self.directory.name}/socket", "-f", settings, "-C", "new-session",
             "-x", columns, "-y", rows, "--", "sh", "-c", run, "sh", *command],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", errors="replace")
        self.reply()  # of new-session
        self.resize(size)

    def line(self):
        line = self.tmux.stdout.readline()
        if not line:
            raise SystemExit("screen.py: the terminal is gone")
        return line.rstrip("\n")

    def reply(self):
        while not self.line().startswith("%begin "):
            pass
        lines = []
        while not (line := self.line()).startswith(("%end ", "%error ")):
            lines.append(line)
        if line.startswith("%error"):
            raise SystemExit(f"screen.py: tmux: {' '.join(lines)}")
        return lines

    def ask(self, command):
        self.tmux.stdin.write(command + "\n")
        self.tmux.stdin.flush()
        return self.reply()

    def resize(self, size):
        columns, rows = size.split("x")
        self.ask(f"refresh-client -C {columns}x{rows}")

    def text(self, flags=""):
        lines = [line.rstrip() for line in self.ask(f"capture-pane -p {flags}")]
        while lines and not lines[-1]:
            lines.pop()
        return "\n".join(lines)

    def wait(self, pattern, wanted):
        # A change that came before this look is in it; one that comes after it is told of.
        while bool(re.search(pattern, self.text(), re.MULTILINE)) != wanted:
            while not self.line().startswith("%output"):
                pass

    def state(self):
        cursor, alternate = self.ask("display-message -p '#{cursor_flag} #{alternate_on}'")[0].split()
        return f"cursor {'shown' if cursor == '1' else 'hidden'}, {'alternate' if alternate == '1' else 'normal'} screen"

    def close(self):
        self.tmux.stdin.close()
        subprocess.run(["tmux", "-S", f"{self.directory.name}/socket", "kill-server"], check=False,
                       stderr=subprocess.DEVNULL)
        self.tmux.wait()
        self.directory.cleanup()


def main(arguments):
    end = arguments.index("--")
    screen = Screen(arguments[0], arguments[end + 1:])
    steps = iter(arguments[1:end])
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError))
    signal.alarm(LIMIT_S)
    step = text = None
    try:
        for step in steps:
            if step in ("until", "gone"):
                text = next(steps)
                screen.wait(text, step == "until")
            elif step == "press":
                screen.ask(f"send-keys {next(steps)}")
            elif step == "do":
                subprocess.run(["sh", "-c", next(steps)], check=True, stdin=subprocess.DEVNULL)
            elif step == "resize":
                screen.resize(next(steps))
            elif step == "show":
                print(screen.text())
            elif step == "colors":
                print(screen.text("-e"))
            elif step == "state":
                print(screen.state())
            else:
                raise SystemExit(f"screen.py: unknown step '{step}'")
    except TimeoutError:
        raise SystemExit(f"screen.py: after '{step} {text}' the screen is still:\n{screen.text()}") from None
    finally:
        signal.alarm(0)
        screen.close()


if __name__ == "__main__":
    main(sys.argv[1:])
