import type { Operation } from '../history.ts';
import { clearedBy } from './purge.ts';

const PLAN = '/data/plan.json';
const URLS = 150;
const MOST_COMMANDS = 14;
const DAY_MS = 86_400_000;

/** A plan of a purge that is applied, interrupted, applied again, too late or twice. */
export const plan: Operation = {
  name: 'plan',
  steps: 190,
  async run(stage) {
    const { world, machine, disk } = stage;
    const urls = Array.from({ length: URLS }, (_, index) => `https://example.com/${index}`);
    const input = urls.map(url => `${url}\n`).join('');
    for (let count = 0; ; count += 1) {
      stage.must(count < MOST_COMMANDS, 'no plan is made');
      const made = await stage.command(
        ['cdn', 'purge', '-', '--plan-out', PLAN, '--plan-for', '1h', '--quiet'],
        input,
      );
      if (made.code === 0) break;
    }
    stage.must(machine.exchanges.length === 0, 'making a plan sent something');
    const cleared = new Set<string>();
    machine.onExchange = exchange => {
      for (const url of clearedBy(exchange)) cleared.add(url);
    };
    const isLate = world.random() < 0.3;
    if (isLate) world.now += DAY_MS;
    for (let count = 0; ; count += 1) {
      stage.must(count < MOST_COMMANDS, 'the plan is never applied');
      const applied = await stage.command(['plan', 'apply', PLAN, '--quiet']);
      stage.must(applied.code !== 1, applied.stderr());
      if (isLate) {
        stage.must(
          machine.exchanges.length === 0 && applied.code !== 0,
          'a plan was applied after it expired',
        );
        if (applied.code !== undefined && /is valid from/.test(applied.stderr())) return;
        continue;
      }
      if (applied.code === 0) break;
      // It was done, and the process ended before it could say so.
      if (/was already applied/.test(applied.stderr())) break;
    }
    for (const url of urls) stage.must(cleared.has(url), `${url} was not cleared by a plan that was applied`);
    if (world.random() < 0.5) {
      machine.cutPower();
      if (disk.hasHoles) return;
    }
    const sent = machine.exchanges.length;
    const again = await stage.command(['plan', 'apply', PLAN, '--quiet']);
    stage.must(again.code !== 0 && machine.exchanges.length === sent, 'a plan was applied twice');
  },
};
