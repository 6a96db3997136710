"""``python -m tests.webhooks.bad_receiver WAY``: a receiver that behaves badly in that way."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable

GIGABYTE = 1 << 30
CHUNK = b"x" * 65_536


def hang(client: socket.socket) -> None:
    """Takes everything, says nothing."""
    while client.recv(65_536):
        pass


def drip(client: socket.socket) -> None:
    """Says a byte now and then, for ever."""
    client.recv(65_536)
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    while True:
        client.sendall(b" ")
        time.sleep(0.05)


def endless_headers(client: socket.socket) -> None:
    """Never comes to the end of its headers."""
    client.recv(65_536)
    client.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        client.sendall(b"X-More: " + b"y" * 1000 + b"\r\n")


def drip_headers(client: socket.socket) -> None:
    """Sends a byte of a header now and then, for ever."""
    client.recv(65_536)
    client.sendall(b"HTTP/1.1 200 OK\r\nX-More: ")
    while True:
        client.sendall(b"y")
        time.sleep(0.05)


def gigabyte(client: socket.socket) -> None:
    """Answers 1 GB, as announced."""
    client.recv(65_536)
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % GIGABYTE)
    for _ in range(GIGABYTE // len(CHUNK)):
        client.sendall(CHUNK)


def chunked_gigabyte(client: socket.socket) -> None:
    """Answers 1 GB in chunks."""
    client.recv(65_536)
    client.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(GIGABYTE // len(CHUNK)):
        client.sendall(b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK))


def garbage(client: socket.socket) -> None:
    """Answers what is not JSON."""
    while client.recv(65_536):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n\xff\x00}{[]\n")


def deep(client: socket.socket) -> None:
    """Answers JSON that nests too deep."""
    body = b"[" * 60_000
    while client.recv(65_536):
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)


def no_http(client: socket.socket) -> None:
    """Answers what is not HTTP."""
    client.recv(65_536)
    client.sendall(b"SSH-2.0-nothing\r\n")


def redirect(client: socket.socket) -> None:
    """Sends the caller elsewhere."""
    while client.recv(65_536):
        client.sendall(
            b"HTTP/1.1 307 Temporary Redirect\r\nLocation: http://169.254.169.254/latest/meta-data/\r\n"
            b"Content-Length: 0\r\n\r\n"
        )


def hang_up(client: socket.socket) -> None:
    """Closes the connection."""


def failing(client: socket.socket) -> None:
    """Has an internal error."""
    while client.recv(65_536):
        client.sendall(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")


WAYS: dict[str, Callable[[socket.socket], None]] = {
    way.__name__: way
    for way in (
        hang,
        drip,
        drip_headers,
        endless_headers,
        gigabyte,
        chunked_gigabyte,
        garbage,
        deep,
        no_http,
        redirect,
        hang_up,
        failing,
    )
}


def _serve(way: Callable[[socket.socket], None], client: socket.socket) -> None:
    with client:
        try:
            way(client)
        except OSError:
            return


def main() -> None:
    way = WAYS[sys.argv[1]]
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        print(f"http://127.0.0.1:{server.getsockname()[1]}/", flush=True)
        while True:
            client, _ = server.accept()
            threading.Thread(target=_serve, args=(way, client), daemon=True).start()


if __name__ == "__main__":
    main()
