/** Where orval's client sends requests to, and with what. */
export const gateway = { baseUrl: '', headers: {}, query: '' };

/** Sends a request of orval's client. */
export async function send<T>(path: string, options: RequestInit): Promise<T> {
  const url = `${gateway.baseUrl}${path}${gateway.query}`;
  const response = await fetch(url, { ...options, headers: { ...options.headers, ...gateway.headers } });
  return { data: await response.json(), status: response.status, headers: response.headers } as T;
}
