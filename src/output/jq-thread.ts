import { parentPort, workerData } from 'node:worker_threads';
import { loadJq } from 'jq-wasm';
import { JqError, runJq } from './jq.ts';
import type { JqAnswer, JqOrder } from './jq-in-thread.ts';

// The thread of JqThread.

const loading = loadJq({ wasmBinary: workerData }).then(jq => {
  parentPort?.postMessage('ready');
  return jq;
});

parentPort?.on('message', async ({ jsonText, expression }: JqOrder) => {
  parentPort?.postMessage(await answerTo(jsonText, expression));
});

async function answerTo(jsonText: string, expression: string): Promise<JqAnswer> {
  const jq = await loading;
  try {
    return { text: await runJq(jsonText, expression, (...args) => jq.raw(...args)) };
  } catch (error) {
    if (error instanceof JqError) return { problem: error.message, end: error.end };
    throw error;
  }
}
