// The thread that converts rows while others are requested; conversion-in-thread.ts starts it.
import { parentPort, workerData } from 'node:worker_threads';
import { ColumnKernel } from './column-kernel.ts';
import type { Answer, Order } from './conversion-in-thread.ts';
import { EarlyConversion } from './early-conversion.ts';

const PIECE_BYTES = 512 * 1024;
const PIECES = 2;

const port = parentPort as NonNullable<typeof parentPort>;
/** Pieces go to the main thread and come back when they are written, so that no more memory is used than they have. */
const free = Array.from({ length: PIECES }, () => new ArrayBuffer(PIECE_BYTES));
let onFree = () => {};
const conversion = new EarlyConversion(new ColumnKernel(), workerData, {
  async write(bytes, rows) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const part = bytes.subarray(at, at + PIECE_BYTES);
      const piece = await freePiece();
      new Uint8Array(piece).set(part);
      answer({ kind: 'bytes', piece, length: part.length, rows }, [piece]);
    }
  },
  restart: () => answer({ kind: 'restart' }),
});
let latest: Promise<void> = Promise.resolve();

port.on('message', (order: Order) => {
  if (order.kind === 'written') {
    free.push(order.piece);
    onFree();
    return;
  }
  latest = latest.then(async () => {
    if (order.kind === 'reach') await conversion.reach(order.end);
    else {
      const result = await conversion.end(order.end);
      conversion.close();
      answer({ kind: 'done', result });
    }
  });
  latest.catch(() => answer({ kind: 'failed' }));
});

async function freePiece(): Promise<ArrayBuffer> {
  while (true) {
    const piece = free.pop();
    if (piece !== undefined) return piece;
    await new Promise<void>(resolve => {
      onFree = resolve;
    });
  }
}

function answer(message: Answer, transferred: ArrayBuffer[] = []): void {
  port.postMessage(message, transferred);
}
