import { expect, onTestFinished } from 'vitest';
import { parseFault, startSandbox } from '../../../src/sandbox/index.ts';
import { NOON, run } from '../../support/run.ts';
import type { FaultCase, FaultGroup } from '../fault-case.ts';

const PRODUCTS = ['products', '--email', 'active@example.com', '--domain', 'example.com'];
const QUERY = ['bda', 'query', '--data-set', 'pageview', '-m', 'visits', '--from', '2026-03-01', '--json'];
const HASTY = ['--timeout', '0.3', '--retries', '0'];

/** A command against the embedded gateway with a fault, as `sandbox serve --fault` takes it. */
function under(spec: string, exit: number, says: string, args: readonly string[] = PRODUCTS): FaultCase {
  return {
    fault: `\`--fault ${spec}\``,
    does: exit === 0 ? 'retries and succeeds' : `prints: ${says}`,
    exit,
    async attempt() {
      const sandbox = await startSandbox({ faults: [parseFault(spec)], now: () => NOON });
      onTestFinished(() => sandbox.close());
      const env = { GATECTL_BASE_URL: sandbox.baseUrl, GATECTL_API_KEY: sandbox.apiKey };
      const ran = await run(args, { env });
      expect(ran.stderr).toContain(says);
      if (exit === 0) expect(ran.stdout).toContain(args === QUERY ? '"visits"' : 'premium');
      // Rows that came before the fault are out.
      else if (args !== QUERY) expect(ran.stdout).toBe('');
      return ran;
    },
  };
}

const BROKE = 'the connection closed before the response was complete';

export const embedded: FaultGroup = {
  title: 'Try it: faults of the embedded gateway',
  cases: [
    under('status=503,count=2', 0, ''),
    under('reset,count=3', 0, ''),
    under('reset=headers,count=3', 0, ''),
    under('reset=body,count=3', 0, ''),
    under('truncate=5,count=3', 0, ''),
    under('status=500,code=internal_error,count=3', 0, '', QUERY),
    under('truncate=30,count=3', 0, '', QUERY),
    under('status=503', 6, 'injected fault: status 503'),
    under('reset', 6, BROKE),
    under('truncate=5', 6, BROKE),
    under('truncate=30', 6, BROKE, QUERY),
    under('status=429,code=concurrent_request_limit', 8, 'concurrent_request_limit', QUERY),
    under('rate-limit=0/h', 8, 'too many requests'),
    under('delay=5s', 6, 'no complete response within 0.3 s', [...PRODUCTS, ...HASTY]),
    under('drip=1/50ms', 6, 'no complete response within 0.3 s', [...PRODUCTS, ...HASTY]),
    under('html', 6, 'the response is a web page (text/html'),
    under('redirect=https://example.com/', 6, 'redirects to https://example.com/, which is not followed'),
    under('body={"success":true}', 6, 'the response lacks "success" and "data"'),
    under('status=403', 4, 'the key came from environment GATECTL_API_KEY'),
    under('status=404', 5, 'the base URL in use is'),
  ],
};
