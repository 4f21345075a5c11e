import { randomBytes } from 'node:crypto';
import type { PurgeOwner } from '../../../apis/cdn/journal.ts';
import { AuthError } from '../../../errors/index.ts';
import type { Context } from '../../framework/context.ts';
import { purgeOwner } from '../../framework/purge-work.ts';

/** How the account in use differs from the owner of a purge, and what to type instead. */
export interface OwnerDifference {
  readonly what: string;
  readonly hint: string;
}

/** The account that a purge is made for: what its journal records, and what must be equal to resume it. */
export class Account {
  readonly baseUrl: string;
  readonly #profile: string | undefined;
  readonly #domain: string | undefined;
  readonly #context: Context;

  private constructor(
    baseUrl: string,
    profile: string | undefined,
    domain: string | undefined,
    context: Context,
  ) {
    this.baseUrl = baseUrl;
    this.#profile = profile;
    this.#domain = domain;
    this.#context = context;
  }

  /** The account of the settings, for a domain where one is in force. */
  static async current(domain: string | undefined, context: Context): Promise<Account> {
    const { baseUrl, profile } = await context.settings();
    return new Account(baseUrl.value ?? '', profile.value, domain, context);
  }

  /** What a journal records of it. Throws AuthError without a key. */
  async owner(): Promise<PurgeOwner> {
    return await purgeOwner(this.#domain, randomBytes(12).toString('hex'), this.#context);
  }

  /** A profile may have a new key: one that was refused is the usual reason for an interruption. */
  async differenceFrom({ profile, domain, key }: PurgeOwner): Promise<OwnerDifference | undefined> {
    if (domain !== this.#domain) {
      return domain === undefined
        ? { what: 'was started without a domain', hint: 'omit --domain and unset GATECTL_DOMAIN' }
        : { what: `is of the domain ${domain}`, hint: `add --domain ${domain}` };
    }
    if (profile !== undefined && profile === this.#profile) return undefined;
    if (await this.#hasKey(key)) return undefined;
    const hint = profile === undefined ? 'set the key that it was started with' : `add --profile ${profile}`;
    return { what: 'was started with another API key', hint };
  }

  /** Without any key nothing can be sent: what is only printed needs none. */
  async #hasKey({ salt, hash }: PurgeOwner['key']): Promise<boolean> {
    try {
      return (await this.#context.keyHash(salt)) === hash;
    } catch (error) {
      if (error instanceof AuthError && error.code === 'no_key') return true;
      throw error;
    }
  }
}
