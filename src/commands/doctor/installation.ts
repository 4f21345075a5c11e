import { engines, version } from '../../../package.json';
import { UsageError } from '../../errors/index.ts';
import type { Context } from '../framework/context.ts';
import { Area, type Finding } from './finding.ts';

/** gatectl itself and what it runs on. */
export function installationFindings({ io }: Context): readonly Finding[] {
  const area = new Area('gatectl');
  area.ok('version', version);
  const wanted = engines.node.replace(/^[^\d]*/, '');
  if (isAtLeast(io.runtime.node, wanted)) area.ok('node', `${io.runtime.node} (${wanted} or newer is fine)`);
  else {
    const error = new UsageError(`Node ${io.runtime.node} is older than ${wanted}`);
    area.wrong('node', { error, advice: `install Node ${wanted} or newer` });
  }
  area.ok('system', `${io.platform} ${io.runtime.arch}`);
  return area.findings;
}

function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map(text => text.split('.').map(Number));
  for (const [index, number] of (want ?? []).entries()) {
    const own = have?.[index] ?? 0;
    if (own !== number) return own > number;
  }
  return true;
}
