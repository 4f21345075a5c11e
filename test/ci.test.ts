import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(ROOT + path, 'utf8');

const script = read('.ci/run');
const parts = /^PARTS=\((.*)\)$/m.exec(script)?.[1]?.split(' ') ?? [];
const steps = [...script.matchAll(/^step (\w+) /gm)].map(([, part = '']) => part);

interface Job {
  readonly strategy: {
    readonly matrix: { readonly part?: readonly string[]; readonly node?: readonly string[] };
  };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}
interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}
const checks: Workflow = parse(read('.github/workflows/checks.yml'));

describe('CI of a pull request', () => {
  test('runs each part of .ci/run once', () => {
    const run = Object.values(checks.jobs).flatMap(job =>
      job.steps
        .flatMap(step => /^\.ci\/run (.+)$/.exec(step.run ?? '')?.[1] ?? [])
        .flatMap(name => (name.includes('matrix.part') ? (job.strategy.matrix.part ?? []) : [name])),
    );
    expect(run.toSorted()).toEqual(parts.toSorted());
    expect(parts.length).toBeGreaterThan(3);
  });

  test('runs the tests on the oldest supported line of Node and on the current LTS', () => {
    const oldest = JSON.parse(read('package.json')).engines.node.match(/\d+/)[0];
    expect(checks.jobs.tests?.strategy.matrix.node).toEqual([oldest, 'lts']);
  });

  test('may read the repository and nothing else', () => {
    expect(checks.permissions).toEqual({ contents: 'read' });
  });

  test('uses actions of a major version', () => {
    const used = Object.values(checks.jobs).flatMap(job => job.steps.flatMap(step => step.uses ?? []));
    expect(used.filter(name => !/^actions\/[\w-]+@v\d+$/.test(name))).toEqual([]);
    expect(used.length).toBeGreaterThan(0);
  });
});

describe('.ci/run', () => {
  test('has steps for each part, and parts for each step', () => {
    expect([...new Set(steps)].toSorted()).toEqual(parts.toSorted());
  });

  test('rejects a name that is not a part, and runs nothing', () => {
    const { status, stdout, stderr } = spawnSync('bash', [`${ROOT}.ci/run`, 'tests', 'all'], {
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `.ci/run: no part is named 'all'; the parts are: ${parts.join(' ')}\n`,
    });
  });
});

describe('an issue form', () => {
  const forms = readdirSync(`${ROOT}.github/ISSUE_TEMPLATE`);

  test.each(forms)('%s asks for no key and says so', name => {
    const { body } = parse(read(`.github/ISSUE_TEMPLATE/${name}`));
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown');
    const labels = fields.map(({ attributes }: { attributes: { label: string } }) => attributes.label);
    expect(labels.filter((label: string) => /key|token|password/i.test(label))).toEqual([]);
    expect(body[0].attributes.value).toMatch(/\bkeys?\b/);
  });
});
