// Both functions are also those of the documentation's site, which sends their code to the browser: they use nothing outside of themselves.

/** A word as the index has it, without its ending; nothing for a word that says nothing. */
export function indexTerm(word: string): string | undefined {
  const lower = word.toLowerCase().replace(/^'+|'s$|'+$/g, '');
  const empty =
    /^(?:|a|an|the|and|or|of|to|in|on|at|by|for|from|with|is|are|be|do|does|did|i|my|me|it|its|we|our|you|your|how|what|where|when|that|this|there|can|could|should|one|get|gets|please|gatectl)$/;
  if (empty.test(lower)) return undefined;
  if (lower.length < 4 || /\d/.test(lower)) return lower;
  const stem = lower.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');
  return stem
    .replace(/(.{3})(?:ing|ed)$/, '$1')
    .replace(/([bdgmnprt])\1$/, '$1')
    .replace(/(.{3})e$/, '$1');
}

/** A word as it is searched for: with the words that gatectl uses in its place. */
export function searchTerms(word: string): string[] {
  const meant: Record<string, string> = {
    ai: 'assistant mcp',
    alarm: 'alert',
    analytics: 'bda',
    article: 'page',
    automate: 'cron',
    bill: 'billing',
    block: 'refuse policy',
    bucket: 's3',
    cache: 'cdn purge',
    cancel: 'expired',
    cdn: 'purge',
    chatgpt: 'assistant',
    claude: 'assistant mcp',
    clear: 'purge',
    console: 'terminal',
    credential: 'key',
    customer: 'reader',
    dashboard: 'report',
    database: 'sync postgresql',
    demo: 'sandbox',
    drop: 'change why',
    dump: 'export',
    email: 'mail',
    excel: 'xlsx workbook',
    export: 'out csv',
    fake: 'sandbox',
    flush: 'purge',
    graph: 'chart',
    image: 'chart png',
    invalidate: 'purge',
    laptop: 'sandbox',
    login: 'profile key',
    member: 'reader',
    mock: 'sandbox',
    monitor: 'watch alert',
    notify: 'alert watch',
    offline: 'sandbox',
    password: 'key',
    paywall: 'reader access support',
    paid: 'purchase access',
    pay: 'purchase',
    permission: 'policy forbidden',
    picture: 'chart svg',
    plot: 'chart',
    publish: 'deploy',
    quota: 'rate limit',
    retry: 'resume',
    save: 'stored saved',
    schedule: 'cron',
    setup: 'install login',
    slack: 'alert',
    slow: 'performance timeout',
    spreadsheet: 'xlsx workbook',
    stale: 'purge verify',
    subscriber: 'reader',
    subscription: 'purchase product',
    traffic: 'visits',
    token: 'jwt identity',
    undo: 'repeat plan',
    upgrade: 'install',
    user: 'reader',
    view: 'pageviews visits',
    visitor: 'visits',
    warehouse: 'sync',
    why: 'explain',
  };
  const lower = word.toLowerCase();
  // A word of which one letter is missing, added or wrong, or of which the end is not typed yet.
  const isAlmost = (known: string): boolean => {
    if (known.length < 6 || lower.length < 5) return false;
    if (known.startsWith(lower)) return true;
    let at = 0;
    while (at < known.length && known[at] === lower[at]) at += 1;
    const [rest, other] = [known.slice(at), lower.slice(at)];
    return rest.slice(1) === other || rest === other.slice(1) || rest.slice(1) === other.slice(1);
  };
  const found =
    meant[lower] ??
    meant[lower.replace(/s$/, '')] ??
    meant[lower.replace(/(?:ing|ed)$/, '')] ??
    meant[lower.replace(/(?:ing|ed)$/, 'e')] ??
    meant[Object.keys(meant).find(isAlmost) ?? ''];
  return [lower, ...(typeof found === 'string' ? found.split(' ') : [])];
}
