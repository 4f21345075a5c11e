import { isBareDomain } from '../fixtures/checks.ts';
import { Refusal } from '../refusal.ts';
import type { SandboxRequest } from '../routing.ts';

/** The fields of a JSON body. @throws Refusal 400 for anything but an object. */
export function bodyFields({ body }: SandboxRequest): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Refusal(400, 'the body is not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new Refusal(400, 'the body must be a JSON object');
  }
  return { ...parsed };
}

/** @throws Refusal 400 unless the field is a text that is not empty. */
export function textOf(body: Record<string, unknown>, field: string): string {
  const value = body[field];
  if (typeof value !== 'string' || value === '') throw new Refusal(400, `${field} is required`);
  return value;
}

/** @throws Refusal 400 unless the field is a list of texts with at least one in it. */
export function textList(body: Record<string, unknown>, field: string): string[] {
  const value = body[field];
  if (!Array.isArray(value) || value.length === 0) throw new Refusal(400, `${field} must be a list of texts`);
  return value.map((element: unknown) => {
    if (typeof element !== 'string') throw new Refusal(400, `${field} must be a list of texts`);
    return element;
  });
}

/** Splits surrogate keys at their commas. @throws Refusal 400 for an empty key and for one with a blank inside. */
export function keyList(text: string): string[] {
  const keys = text.split(',').map(key => key.trim());
  for (const key of keys) {
    if (key === '') throw new Refusal(400, 'keys holds an empty key');
    if (/\s/.test(key)) throw new Refusal(400, `the surrogate key '${key}' holds a blank`);
  }
  return keys;
}

/** @throws Refusal 400 for what is no bare domain, 403 for one that is not the account's. */
export function ownDomain(body: Record<string, unknown>, domains: readonly string[]): string {
  const named = textOf(body, 'domain');
  if (!isBareDomain(named)) {
    throw new Refusal(400, `${named} is not a bare domain: leave out scheme, www., port and path`);
  }
  const domain = named.toLowerCase();
  if (!domains.includes(domain)) throw new Refusal(403, `${named} does not belong to this account`);
  return domain;
}
