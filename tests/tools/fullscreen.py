#!/usr/bin/env python3
"""A program that draws on the whole terminal, as editors and monitors do: its size, its keys and what came to it.

  fullscreen.py [LINES]    LINES of text are written before it begins

Keys are shown as they come; `q` ends it. It draws again when the window has another size, when it goes on after a stop,
and never otherwise: what it drew must be kept by others.
"""

import os
import select
import signal
import sys
import termios
import tty


def main():
    for number in range(int(sys.argv[1]) if len(sys.argv) > 1 else 0):
        print(f"line {number}")
    sys.stdout.flush()
    told, tell = os.pipe()
    os.set_blocking(tell, False)
    signal.set_wakeup_fd(tell)
    for number in (signal.SIGWINCH, signal.SIGCONT, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    settings = termios.tcgetattr(0)
    keys, size, interrupts = "", None, 0

    def write(text):
        os.write(1, text.encode())

    def draw():
        nonlocal size
        size = os.get_terminal_size(0)
        write(f"\x1b[2J\x1b[H\x1b[1;31msize {size.lines} {size.columns}\x1b[0m\r\nkeys {keys}\r\ninterrupts {interrupts}")

    def enter():
        tty.setcbreak(0)
        write("\x1b[?1049h\x1b[?25l")
        draw()

    enter()
    while True:
        ready = select.select([0, told], [], [])[0]
        if told in ready:
            for number in os.read(told, 100):
                if number == signal.SIGINT:
                    interrupts += 1
                    draw()
                elif number == signal.SIGCONT:
                    enter()
                elif os.get_terminal_size(0) != size:
                    draw()
        if 0 in ready:
            typed = os.read(0, 100).decode()
            if not typed or "q" in typed:
                break
            keys += typed
            write(f"\x1b[2;6H{keys}")
    write("\x1b[?25h\x1b[?1049l")
    termios.tcsetattr(0, termios.TCSADRAIN, settings)
    print(f"typed {keys}")


main()
