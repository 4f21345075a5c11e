const BEGINS_TO_FINISH = '  finish () {\n    assert(currentParser === null)\n    assert(this.ptr != null)\n';

/** Lines of undici that `changeLines` replaces, because what they do would harm. */
export const UNDICI_LINES = [
  // Where NODE_DEBUG asks for it, every request is told with its whole address, and analytics v1 carries the API key there.
  ...['undici', 'fetch', 'websocket'].map(name => ({
    file: /undici\/lib\/core\/diagnostics\.js$/,
    line: `util.debuglog('${name}')`,
    by: '{ enabled: false }',
  })),
  {
    // It would end the process when a connection with `Connection: close` is cut or reset while its answer is paused. This way the
    // answer goes on instead, and is as cut as any other.
    file: /undici\/lib\/dispatcher\/client-h1\.js$/,
    line: `${BEGINS_TO_FINISH}    assert(!this.paused)\n`,
    by: `${BEGINS_TO_FINISH}    this.resume()\n`,
  },
];
