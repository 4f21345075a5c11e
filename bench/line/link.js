// A line of limited speed: node bench/line/link.js PORT MBIT… listens on a port for each speed, sends these to its parent, and passes
// connections on to PORT. All connections of a speed share it: what a server sends waits in one bucket of tokens. What clients send is
// not slowed. It runs in a process of its own, so that neither side is.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** So much may come at once: the timers of Node are no finer. */
const BURST_MS = 2;
const PIECE_BYTES = 16 * 1024;

const [target, ...speeds] = process.argv.slice(2).map(Number);
const ports = await Promise.all(speeds.map(listen));
process.send?.(ports);
process.on('disconnect', () => process.exit());

async function listen(megabits) {
  const bytesPerMs = (megabits * 1e6) / 8 / 1000;
  /** When all that was let through so far has arrived. */
  let free = 0;
  const pass = async bytes => {
    free = Math.max(free, performance.now()) + bytes / bytesPerMs;
    const wait = free - performance.now();
    if (wait > BURST_MS) await new Promise(resolve => setTimeout(resolve, wait));
  };
  const server = createServer({ noDelay: true, highWaterMark: PIECE_BYTES }, client => {
    const remote = connect({ port: target, host: '127.0.0.1', noDelay: true, highWaterMark: PIECE_BYTES });
    client.pipe(remote);
    client.on('error', () => remote.destroy());
    client.on('close', () => remote.destroy());
    remote.on('error', () => client.destroy());
    download(remote, client).catch(() => client.destroy());
  });
  const download = async (remote, client) => {
    for await (const chunk of remote) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        await pass(piece.length);
        if (!client.write(piece)) await once(client, 'drain');
      }
    }
    client.end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}
