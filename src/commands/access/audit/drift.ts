import { invalidValue } from '../../../errors/usage.ts';
import { converted, type Option } from '../../framework/define-command.ts';

/** How many readers may not match the list: a share in millionths of a percent, or a number. */
export interface MaxDrift {
  readonly text: string;
  readonly share?: bigint;
  readonly count?: number;
}

/** `--max-drift`: `1%`, `0.5%`, or a number of readers. */
export function maxDrift(flags: string, summary: string): Option<MaxDrift | undefined> {
  const read = (given: string): MaxDrift => {
    const [, digits = '', percent] = /^(\d{1,9}(?:\.\d{1,6})?)(%?)$/.exec(given.trim()) ?? [];
    const value = Number(digits);
    if (percent === '%' && value <= 100)
      return { text: given.trim(), share: BigInt(Math.round(value * 1e6)) };
    if (digits !== '' && percent === '' && Number.isInteger(value))
      return { text: given.trim(), count: value };
    throw invalidValue(
      `--max-drift cannot be '${given}'`,
      'type a share such as 1% or 0.5%, or a number of readers',
    );
  };
  return converted(flags, summary, read);
}

/** Whether so many of the checked readers are more than allowed; without `max`, none is. */
export function isAbove(max: MaxDrift | undefined, mismatches: number, checked: number): boolean {
  if (max?.share !== undefined) return BigInt(mismatches) * 100_000_000n > max.share * BigInt(checked);
  return mismatches > (max?.count ?? 0);
}
