import { readDocument } from '../../../documents/document.ts';
import type { ValueOf } from '../../../documents/forms.ts';
import type {} from '../events/event-map-form.ts';
import type { EventMap } from '../events/fan-out.ts';
import type { SENDERS } from '../events/senders-form.ts';
import type { PathPattern } from './path-pattern.ts';
import { PURGE_MAP_FORM } from './purge-map-form.ts';

/** What files of one pattern lead to. The first rule that matches a file decides. */
export interface MapRule {
  /** Its number in the file, from 1. */
  readonly number: number;
  readonly files: string;
  readonly matches: PathPattern;
  /** Templates of the URLs that the file is the content of. */
  readonly urls: readonly string[];
  /** Templates of the URLs that show something of the file: listing pages, feeds. */
  readonly listings: readonly string[];
  /** Templates of surrogate keys. */
  readonly keys: readonly string[];
  /** Patterns of the paths of pages that all depend on the file, such as those of a template. */
  readonly affects: readonly { readonly text: string; readonly matches: PathPattern }[];
  /** Whether its files lead to nothing. */
  readonly ignore: boolean;
  /** Whether it may match no file. */
  readonly optional: boolean;
}

/** Rules from files and events to URLs and surrogate keys. */
export interface PurgeMap {
  /** The URL that paths are below, without a slash at the end. */
  readonly site: string | undefined;
  /** The folder of the files to map, with a slash at the end; empty for all. */
  readonly root: string;
  readonly rules: readonly MapRule[];
  /** The path of a file with redirects: lines of `FROM TO [STATUS]`. */
  readonly redirects: string | undefined;
  /** What a file without a matching rule purges: the URL of its path, or nothing. */
  readonly unmatched: 'url' | 'ignore' | undefined;
  readonly events: Omit<EventMap, 'site'>;
  /** Who may send events, by name. */
  readonly senders: ValueOf<typeof SENDERS>;
}

/** The map of a command line without one. */
export const NO_MAP: PurgeMap = {
  site: undefined,
  root: '',
  rules: [],
  redirects: undefined,
  unmatched: undefined,
  events: { always: [], rules: [] },
  senders: [],
};

/** Parses a map. Throws UsageError, with line and column, for invalid YAML, unknown settings and wrong values. */
export function parsePurgeMap(file: string, text: string): PurgeMap {
  const { root, rules, redirects, always, ...map } = readDocument(PURGE_MAP_FORM, text, { file }).value;
  return {
    site: map.site,
    unmatched: map.unmatched,
    root: root === '' ? '' : `${root.replace(/^\.?\/+|\/+$/g, '')}/`.replace(/^\/$/, ''),
    rules: rules.flatMap(({ file }, index) => {
      if (file === undefined) return [];
      const { files, ...rule } = file;
      return [{ ...rule, number: index + 1, files: files.text, matches: files.matches }];
    }),
    events: {
      always: always ?? [],
      rules: rules.flatMap(({ event }, index) =>
        event === undefined ? [] : [{ ...event, number: index + 1 }],
      ),
    },
    senders: map.senders ?? [],
    redirects: redirects?.replace(/^\.?\//, ''),
  };
}
