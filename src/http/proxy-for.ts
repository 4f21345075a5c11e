import type { ProxySettings } from './proxy.ts';

/** The address of the proxy for requests to a URL, with its password; undefined for a direct connection. */
export function proxyFor(url: URL, { http, https, none = '' }: ProxySettings): string | undefined {
  if (isExempt(url, none)) return undefined;
  // undici uses the http proxy for https too if no https proxy is set.
  return (url.protocol === 'https:' ? https || http : http) || undefined;
}

/** Reads NO_PROXY as undici does: `*`, or hosts including their subdomains, optionally with a port; no address ranges. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  if (list.trim() === '*') return true;
  const asked = Number(port || (protocol === 'https:' ? 443 : 80));
  return list
    .split(/[\s,]+/)
    .filter(entry => entry !== '')
    .some(entry => {
      const [, host = entry, only] = /^(.+):(\d+)$/.exec(entry) ?? [];
      if (only !== undefined && Number(only) !== asked) return false;
      const name = host.toLowerCase().replace(/^\*?\./, '');
      return hostname === name || hostname.endsWith(`.${name}`);
    });
}
