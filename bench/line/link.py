"""A line of limited speed: python3 bench/line/link.py PORT MBIT… listens on a port for each speed, prints these as a JSON array, and passes
connections on to PORT. All connections of a speed share it: what a server sends waits in one bucket of tokens. What clients send is not
slowed. It ends with its standard input."""

import asyncio
import json
import socket
import sys
import time

# So much of the line's time may be made up for after a timer that came late.
BURST_SECONDS = 0.01
PIECE_BYTES = 16 * 1024
# What a client has not received yet must not count as having passed the line, so that the system holds little of it.
BUFFER_BYTES = 64 * 1024


class Line:
    def __init__(self, megabits):
        self.bytes_per_second = megabits * 1e6 / 8
        self.free = 0.0

    async def carry(self, count):
        """Waits until so many bytes have passed the line."""
        now = time.monotonic()
        self.free = max(self.free, now - BURST_SECONDS) + count / self.bytes_per_second
        if self.free > now:
            await asyncio.sleep(self.free - now)


async def send_down(line, remote, client_socket):
    loop = asyncio.get_running_loop()
    while data := await remote.read(PIECE_BYTES):
        await line.carry(len(data))
        await loop.sock_sendall(client_socket, data)


async def connect(line, target, client_socket):
    loop = asyncio.get_running_loop()
    client_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    client_socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
    client_socket.setblocking(False)
    remote, remote_writer = await asyncio.open_connection("127.0.0.1", target, limit=PIECE_BYTES)

    async def up():
        while data := await loop.sock_recv(client_socket, PIECE_BYTES):
            remote_writer.write(data)
            await remote_writer.drain()
        remote_writer.close()

    tasks = [asyncio.ensure_future(up()), asyncio.ensure_future(send_down(line, remote, client_socket))]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        client_socket.close()
        remote_writer.close()


async def listen(line, target, server):
    loop = asyncio.get_running_loop()
    running = set()
    while True:
        client_socket, _ = await loop.sock_accept(server)
        task = asyncio.ensure_future(connect(line, target, client_socket))
        running.add(task)
        task.add_done_callback(running.discard)


async def main():
    target, *speeds = map(int, sys.argv[1:])
    ports = []
    for megabits in speeds:
        server = socket.create_server(("127.0.0.1", 0), backlog=100)
        server.setblocking(False)
        ports.append(server.getsockname()[1])
        asyncio.ensure_future(listen(Line(megabits), target, server))
    print(json.dumps(ports), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
