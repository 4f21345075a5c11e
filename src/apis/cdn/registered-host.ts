import { parse } from 'tldts';

/** Whether a host is below a public suffix that exists, such as `www.example.com`; file names such as `news.html` are not. */
export function isRegisteredHost(host: string): boolean {
  const { domain, isIcann } = parse(host);
  return domain !== null && isIcann === true;
}
