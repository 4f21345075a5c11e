import { tree } from '../../commands/tree.ts';
import { TOPICS } from '../manual/topics.ts';

/** The words that may follow `gatectl help cdn` or `gatectl schema cdn`: commands, and after `help` topics. */
export function commandWords(typed: readonly string[]): Candidate[] {
  const [verb, ...path] = typed.filter(word => !word.startsWith('-'));
  let commands = tree;
  for (const word of path) commands = commands.find(({ name }) => name === word)?.commands ?? [];
  const topics = verb === 'help' && path.length === 0 ? TOPICS : [];
  return [...commands, ...topics].map(({ name, summary }) => ({ word: name, about: summary }));
}

/** A word to complete with. */
export interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
}
