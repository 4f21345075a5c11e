import { engines, version } from '../../../package.json';
import { UsageError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

/** gatectl itself and what it runs on. */
export function installationFindings({ io }: Context): readonly Finding[] {
  const area = new Area('gatectl');
  area.ok('version', version);
  const required = engines.node.replace(/^[^\d]*/, '');
  if (isAtLeast(io.runtime.node, required))
    area.ok('node', `${io.runtime.node} (${required} or newer is required)`);
  else {
    const error = new UsageError(`Node ${io.runtime.node} is older than ${required}`);
    area.wrong('node', { error, advice: `install Node ${required} or newer` });
  }
  area.ok('system', `${io.platform} ${io.runtime.arch}`);
  return area.findings;
}

function isAtLeast(version: string, required: string): boolean {
  const [have, minimum] = [version, required].map(text => text.split('.').map(Number));
  for (const [index, number] of (minimum ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
