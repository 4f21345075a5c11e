import type { Effect } from '../wire/effect.ts';

/** What a write is of: `other` for what has no targets, such as a report that is created. */
export type Written = 'URL' | 'key' | 'everything' | 'other';

/** A documented request that changes something. */
interface WriteEndpoint {
  /** The command that sends such requests. */
  readonly command: string;
  readonly effect: Effect;
  readonly what: Written;
  /** All members of its body, in alphabetical order, where they name targets. */
  readonly members: readonly string[] | undefined;
}

const PURGE = { command: 'cdn purge', effect: 'write' } as const;
const CREATE = { effect: 'irreversible', what: 'other', members: undefined } as const;

/** The documented writes, all POST (spec, Endpoints), by the last word of their paths. */
const ENDPOINTS: Readonly<Record<string, WriteEndpoint>> = {
  clearcache: { ...PURGE, what: 'URL', members: ['url'] },
  bulkclearcache: { ...PURGE, what: 'URL', members: ['urls'] },
  clearbysurrogatekeys: { ...PURGE, what: 'key', members: ['domain', 'keys'] },
  purgecache: { ...PURGE, effect: 'irreversible', what: 'everything', members: ['domain'] },
  createsegment: { ...CREATE, command: 'bda segment create' },
  createcustomreport: { ...CREATE, command: 'bda report create' },
  'identity-token': { ...CREATE, command: 'token' },
};

/** The commands to which documented writes belong. */
export const WRITE_COMMANDS = [...new Set(Object.values(ENDPOINTS).map(({ command }) => command))];

/** The documented write that a path leads to. One that a server might read in two ways leads to none. */
export function writeEndpoint(method: string, path: string): WriteEndpoint | undefined {
  const [, name = ''] = /^(?:\/[A-Za-z0-9_-]+)*\/([a-z-]+)\/?$/.exec(path) ?? [];
  return method === 'POST' && Object.hasOwn(ENDPOINTS, name) ? ENDPOINTS[name] : undefined;
}
