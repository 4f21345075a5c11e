export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  readonly none?: string;
}

/** The proxy variables of an environment, lower case first as curl has it; undefined when none is set. */
export function proxySettings(env: Readonly<Record<string, string | undefined>>): ProxySettings | undefined {
  const http = env.http_proxy || env.HTTP_PROXY;
  const https = env.https_proxy || env.HTTPS_PROXY;
  const none = env.no_proxy || env.NO_PROXY;
  if (!http && !https) return undefined;
  return { ...(http && { http }), ...(https && { https }), ...(none && { none }) };
}
