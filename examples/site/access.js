/**
 * Whether the reader of a request may read an article. Asked for each request, never cached, and closed when there is no answer.
 *
 * @param {import('gatectl/client').Gateway} gateway
 * @param {string | string[] | undefined} sessionToken what the page's script got from getSessionToken()
 * @returns {Promise<{ allowed: boolean, status: 200 | 401 | 402 | 503 }>}
 */
export async function articleAccess(gateway, sessionToken) {
  if (typeof sessionToken !== 'string' || sessionToken === '') return { allowed: false, status: 401 };
  try {
    const signal = AbortSignal.timeout(2000);
    const { allowed, decision } = await gateway.subscriptions.access(
      { token: sessionToken },
      { product: 'premium' },
      { signal },
    );
    if (allowed) return { allowed, status: 200 };
    return { allowed, status: decision === 'login_required' ? 401 : 402 };
  } catch (error) {
    // The error contains neither the key nor the token.
    console.error(error);
    return { allowed: false, status: 503 };
  }
}

export const ARTICLE = 'the whole article';
export const TEASER = 'the first lines of the article';
/** A page that depends on its reader is stored nowhere. */
export const NO_STORE = 'private, no-store';
