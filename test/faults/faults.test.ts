import { describe, expect, test } from 'vitest';
import { faultGroups } from './cases/index.ts';
import { isAskingCase } from './fault-case.ts';
import { expectSober } from './sober.ts';

/** What a purge says on stdout when nothing came of it. */
const NOTHING_CLEARED = /^(?:Purge of [^\n]+\nrequested +1\ncleared +0\n[\s\S]*)?$/;

describe.each(faultGroups)('$title', ({ cases }) => {
  for (const one of cases) {
    const title = `${one.fault} → ${one.exit}`;
    if (isAskingCase(one)) {
      test.each(one.with)(`${title} (%s)`, async asking => {
        const ran = await one.attempt(asking);
        expect(ran.code, ran.stderr).toBe(one.exit);
        expect(ran.stderr).toContain(one.says);
        expect(ran.requests).toBe(asking === 'token' ? 1 : one.requests);
        if (one.exit !== 0 && !one.printsRows)
          expect(ran.stdout).toMatch(asking === 'purge' ? NOTHING_CLEARED : /^$/);
        expectSober(ran);
      });
    } else {
      test(title, async ({ skip }) => {
        const ran = await one.attempt(reason => skip(reason));
        expect(ran.code, ran.stderr).toBe(one.exit);
        expectSober(ran);
      });
    }
  }
});
