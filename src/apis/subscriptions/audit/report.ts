import { isGranted } from '../access.ts';
import { ADVICE } from '../advice.ts';
import type { ReaderHash } from '../reader-hash.ts';
import { situationOf } from '../situation.ts';
import type { AuditEntry, AuditList } from './audit-list.ts';
import type { AuditResults, Outcome } from './results.ts';
import type { StoredRun } from './stored-run.ts';

/** `changed`: it matches the list, but differs from an earlier run. */
export type FindingKind = 'paid_without_access' | 'access_without_payment' | 'not_checked' | 'changed';

/** An entry that does not match the list, changed, or could not be checked. */
export interface Finding extends AuditEntry {
  readonly finding: FindingKind;
  readonly outcome: Outcome | undefined;
  /** The outcome of the earlier run, where it is another one. */
  readonly before: Outcome | undefined;
  /** Why it could not be checked. */
  readonly error: string | undefined;
}

/** Readers with the same finding, product and decision. */
interface Group {
  readonly finding: Exclude<FindingKind, 'changed'>;
  readonly product: string;
  readonly outcome: Outcome | undefined;
  readonly next: string;
  count: number;
}

/** Readers whose decision changed in the same way. */
interface Change {
  readonly product: string;
  readonly before: Outcome;
  readonly now: Outcome;
  count: number;
}

interface Totals {
  readonly readers: number;
  checked: number;
  paidWithoutAccess: number;
  accessWithoutPayment: number;
  notChecked: number;
  changed: number;
  /** Of those with a result: readers that the earlier run did not have. */
  added: number;
}

/** An earlier run to compare with. */
interface Comparison {
  readonly run: StoredRun;
  readonly hash: ReaderHash;
}

/** What an audit found. The findings are made from the results on demand, so that they take no memory. */
export class AuditReport {
  readonly totals: Totals;
  /** The largest first. */
  readonly groups: readonly Group[];
  /** The largest first. */
  readonly changes: readonly Change[];
  /** Products that every check reported as unknown. */
  readonly unknownProducts: readonly string[];
  /** The most frequent reason why readers could not be checked. */
  readonly commonError: string | undefined;
  readonly #list: AuditList;
  readonly #results: AuditResults;
  readonly #against: Comparison | undefined;

  constructor(list: AuditList, results: AuditResults, against: Comparison | undefined) {
    this.#list = list;
    this.#results = results;
    this.#against = against;
    const groups = new Map<string, Group>();
    const changes = new Map<string, Change>();
    const totals = {
      readers: list.size,
      checked: 0,
      paidWithoutAccess: 0,
      accessWithoutPayment: 0,
      notChecked: 0,
      changed: 0,
      added: 0,
    };
    const isKnown = new Map<string, boolean>();
    const errors = new Map<string, { readonly error: string; count: number }>();
    for (const index of list.indexes()) {
      const entry = this.#judged(index);
      const { product, outcome, before, error } = entry;
      if (outcome !== undefined)
        isKnown.set(product, isKnown.get(product) === true || outcome.decision !== 'unknown_product');
      count(errors, error === undefined ? undefined : { error, count: 0 });
      if (outcome !== undefined) totals.checked += 1;
      if (entry.isAdded) totals.added += 1;
      if (entry.finding === 'paid_without_access') totals.paidWithoutAccess += 1;
      if (entry.finding === 'access_without_payment') totals.accessWithoutPayment += 1;
      if (entry.finding === 'not_checked') totals.notChecked += 1;
      if (entry.before !== undefined) totals.changed += 1;
      count(groups, groupOf(entry));
      count(changes, before && outcome && { product, before, now: outcome, count: 0 });
    }
    this.totals = totals;
    this.groups = [...groups.values()].sort((a, b) => b.count - a.count);
    this.changes = [...changes.values()].sort((a, b) => b.count - a.count);
    this.unknownProducts = [...isKnown].filter(([, known]) => !known).map(([product]) => product);
    this.commonError = [...errors.values()].sort((a, b) => b.count - a.count)[0]?.error;
  }

  /** Number of readers that do not match the list. */
  get mismatches(): number {
    return this.totals.paidWithoutAccess + this.totals.accessWithoutPayment;
  }

  /** The share of the checked readers that do not match the list, from 0 to 1. */
  get drift(): number {
    return this.totals.checked === 0 ? 0 : this.mismatches / this.totals.checked;
  }

  /** In the order of the list. */
  *findings(): Generator<Finding> {
    for (const index of this.#list.indexes()) {
      const { finding, ...entry } = this.#judged(index);
      if (finding !== undefined) yield { ...entry, finding };
    }
  }

  #judged(index: number): Omit<Finding, 'finding'> & {
    readonly finding: FindingKind | undefined;
    readonly isAdded: boolean;
  } {
    const entry = this.#list.at(index);
    const result = this.#results.at(index);
    const outcome = result !== undefined && 'outcome' in result ? result.outcome : undefined;
    const error = result !== undefined && 'error' in result ? result.error : undefined;
    const earlier = outcome && this.#against?.run.outcomeOf(this.#against.hash(entry.email, entry.product));
    const isAdded = outcome !== undefined && this.#against !== undefined && earlier === undefined;
    const differs =
      outcome && (earlier?.decision !== outcome.decision || earlier.reasonCode !== outcome.reasonCode);
    const before = differs ? earlier : undefined;
    const finding = findingOf(entry, outcome) ?? (before === undefined ? undefined : 'changed');
    return { ...entry, outcome, error, before, finding, isAdded };
  }
}

function findingOf({ isPaid }: AuditEntry, outcome: Outcome | undefined): FindingKind | undefined {
  if (outcome === undefined) return 'not_checked';
  const isAllowed = isGranted(outcome.decision);
  if (isPaid === isAllowed) return undefined;
  return isPaid ? 'paid_without_access' : 'access_without_payment';
}

type ComparedEntry = Omit<Finding, 'finding'> & { readonly finding: FindingKind | undefined };

function groupOf({ finding, product, outcome }: ComparedEntry): Group | undefined {
  if (finding === undefined || finding === 'changed') return undefined;
  return { finding, product, outcome, next: nextFor(finding, outcome), count: 0 };
}

function count<Item extends { count: number }>(items: Map<string, Item>, item: Item | undefined): void {
  if (item === undefined) return;
  const key = JSON.stringify(item);
  const known = items.get(key);
  if (known === undefined) items.set(key, item);
  (known ?? item).count += 1;
}

/** What to do about a group of readers. */
function nextFor(finding: Group['finding'], outcome: Outcome | undefined): string {
  if (finding === 'not_checked' || outcome === undefined)
    return 'see the errors of these readers; --resume checks those that failed temporarily';
  if (finding === 'access_without_payment')
    return 'check whether the subscription was cancelled in both systems, or the access was granted by hand';
  return ADVICE[situationOf(outcome.decision, outcome.reasonCode)].next;
}

/** A decision in one word: `allowed`, or the reason for another decision. */
export function wordOf({ decision, reasonCode }: Outcome): string {
  return isGranted(decision) ? decision : (reasonCode ?? decision);
}
