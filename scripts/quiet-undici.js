/**
 * undici tells every request with its whole address where NODE_DEBUG asks for it, and analytics v1 carries the API key there. The
 * bundle leaves that out.
 */
export function quietUndici() {
  return {
    name: 'quiet-undici',
    transform(code, id) {
      if (!id.endsWith('undici/lib/core/diagnostics.js')) return undefined;
      const quiet = code.replaceAll(/util\.debuglog\('\w+'\)/g, '{ enabled: false }');
      if (quiet === code) throw new Error('undici makes its debug log another way now');
      return { code: quiet, map: null };
    },
  };
}
