import type { ErrorCode } from '../errors/index.ts';

/** The pages that explain what a hint has no room for, by error code. */
const PAGES: Readonly<Partial<Record<ErrorCode, string>>> = {
  denied: 'gatectl docs governed-writes',
  impact_exceeded: 'gatectl docs purge-changes#what-a-purge-costs-readers',
  impact_unknown: 'gatectl docs purge-changes#what-a-purge-costs-readers',
  stale_pages: 'gatectl docs purge-changes#verify-that-pages-are-fresh',
  not_convertible: 'gatectl docs migrate#limits',
  results_differ: 'gatectl docs migrate#4-verify',
};

/** The command that opens the page about an error, if there is one. */
export function pageHint(code: ErrorCode): readonly string[] {
  const page = PAGES[code];
  return page === undefined ? [] : [`more: ${page}`];
}
