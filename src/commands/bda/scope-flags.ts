import { choice, integer } from '../define.ts';

const INCLUDE = ['include', 'exclude'] as const;

/** The flags that say which part of an account's traffic counts, alike in both APIs. */
export const SCOPE_FLAGS = {
  domainId: integer('--domain-id <n>', 'one site only; gatectl bda domains lists the numbers', {
    min: 0,
    completes: 'domain-id',
  }),
  platform: choice('--platform <name>', 'which version of the pages', ['service', 'original', 'all']),
  queryParams: choice('--query-params <word>', 'keep query parameters in page addresses', INCLUDE),
  fragments: choice('--fragments <word>', 'keep fragments in page addresses', INCLUDE),
};

export interface ScopeFlags {
  readonly domainId: number | undefined;
  readonly platform: 'service' | 'original' | 'all' | undefined;
  readonly queryParams: (typeof INCLUDE)[number] | undefined;
  readonly fragments: (typeof INCLUDE)[number] | undefined;
}
