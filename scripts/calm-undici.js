/**
 * undici fails an assertion, which ends the process, when a connection with `Connection: close` is cut or reset while its answer is
 * paused. In the bundle the answer goes on instead, and is as cut as any other.
 */
export function calmUndici() {
  const beginning = '  finish () {\n    assert(currentParser === null)\n    assert(this.ptr != null)\n';
  const line = `${beginning}    assert(!this.paused)\n`;
  return {
    name: 'calm-undici',
    transform(code, id) {
      if (!id.replaceAll('\\', '/').endsWith('undici/lib/dispatcher/client-h1.js')) return undefined;
      if (!code.includes(line)) throw new Error('undici ends a connection another way now');
      return { code: code.replace(line, `${beginning}    this.resume()\n`), map: null };
    },
  };
}
