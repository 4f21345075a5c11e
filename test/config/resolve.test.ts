import { describe, expect, test } from 'vitest';
import { hintsFor, NO_CONTEXT } from '../../src/cli/hints.ts';
import type { Profile, ProfilesFile } from '../../src/config/profiles-file.ts';
import { existingTimeZone, type ResolveInput, resolveSettings } from '../../src/config/resolve.ts';
import { FileError, UsageError } from '../../src/errors/index.ts';

const news: Profile = {
  name: 'news',
  values: {
    baseUrl: 'https://gateway.example.com/root',
    domain: 'news.example.com',
    retries: 5,
    protected: true,
    timeZone: 'Europe/Madrid',
  },
  key: { kind: 'file', path: '/keys/news' },
};

function profiles(current: string | undefined, ...list: Profile[]): ProfilesFile {
  return {
    path: '/config/gatectl/config.json',
    profiles: new Map(list.map(profile => [profile.name, profile])),
    current,
    warnings: [],
    json: {},
  };
}

function resolve(input: Partial<ResolveInput>) {
  return resolveSettings({ flags: {}, env: {}, file: profiles('news', news), ...input });
}

function failure(input: Partial<ResolveInput>): UsageError {
  try {
    resolve(input);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('precedence', () => {
  const env = { GATECTL_BASE_URL: 'https://env.example.com' };

  test('a flag beats the environment, the profile and the default', () => {
    const { baseUrl } = resolve({ flags: { baseUrl: 'https://flag.example.com' }, env });
    expect(baseUrl).toEqual({ value: 'https://flag.example.com', origin: 'flag --base-url' });
  });

  test('the environment beats the profile', () => {
    expect(resolve({ env }).baseUrl).toEqual({
      value: 'https://env.example.com',
      origin: 'environment GATECTL_BASE_URL',
    });
  });

  test('the profile beats the default', () => {
    expect(resolve({}).retries).toEqual({ value: 5, origin: 'profile news' });
  });

  test('without any of them the default applies', () => {
    const settings = resolve({ file: profiles(undefined) });
    expect(settings.timeout).toEqual({ value: 30, origin: 'default' });
    expect(settings.prefixBdaV2).toEqual({ value: '/gateway/bdaservices/v2', origin: 'default' });
    expect(settings.baseUrl).toEqual({ value: undefined, origin: 'default' });
  });

  test('an empty variable counts as not set', () => {
    expect(resolve({ env: { GATECTL_BASE_URL: '' } }).baseUrl.origin).toBe('profile news');
  });

  test('a bad variable does not matter once a flag beats it', () => {
    const { output } = resolve({ flags: { output: 'csv' }, env: { GATECTL_OUTPUT: 'xls' } });
    expect(output.value).toBe('csv');
  });
});

describe('the chosen profile', () => {
  const shop: Profile = { name: 'shop', values: { domain: 'shop.example.com' }, key: undefined };
  const file = profiles('news', news, shop);

  test('--profile beats GATECTL_PROFILE, which beats the current one', () => {
    expect(resolve({ file }).profile).toEqual({ value: 'news', origin: 'profiles file' });
    expect(resolve({ file: profiles(undefined, news) }).profile).toEqual({
      value: undefined,
      origin: 'default',
    });
    const env = { GATECTL_PROFILE: 'shop' };
    expect(resolve({ file, env }).profile).toEqual({ value: 'shop', origin: 'environment GATECTL_PROFILE' });
    expect(resolve({ file, env, flags: { profile: 'news' } }).profile).toEqual({
      value: 'news',
      origin: 'flag --profile',
    });
    expect(resolve({ file, env }).domain).toEqual({ value: 'shop.example.com', origin: 'profile shop' });
  });

  test('a mistyped profile is rejected with the nearest one', () => {
    const error = failure({ file, env: { GATECTL_PROFILE: 'shpo' } });
    expect(error.message).toBe('there is no profile "shpo" (environment GATECTL_PROFILE)');
    expect(hintsFor(error, NO_CONTEXT)).toEqual(['did you mean shop?']);
  });

  test('a profile without a similar one is rejected with the list', () => {
    expect(hintsFor(failure({ file, flags: { profile: 'weather' } }), NO_CONTEXT)).toEqual([
      'the profiles are: news, shop',
    ]);
  });

  test('without a folder for profiles, the alternative is named', () => {
    const error = failure({ file: { ...profiles(undefined), path: undefined }, flags: { profile: 'x' } });
    expect(hintsFor(error, NO_CONTEXT)).toEqual([
      'profiles need a folder: set HOME or GATECTL_CONFIG_DIR, or set GATECTL_BASE_URL and GATECTL_API_KEY instead',
    ]);
  });

  test('a profile called like a built-in property of objects is simply unknown', () => {
    expect(failure({ flags: { profile: 'constructor' } }).message).toBe(
      'there is no profile "constructor"' + ' (flag --profile)',
    );
  });
});

describe('bad values', () => {
  test('a bad flag is named with what to type', () => {
    const error = failure({ flags: { baseUrl: 'gateway.example.com' } });
    expect(error.message).toBe('--base-url has no scheme');
    expect(error.hints).toEqual(['type https://gateway.example.com']);
  });

  test('a bad variable is named', () => {
    const error = failure({ env: { GATECTL_OUTPUT: 'xls' } });
    expect(error.message).toBe('GATECTL_OUTPUT is not an allowed value');
    expect(error.hints).toEqual(['use one of table, json, ndjson, csv, tsv, md, html']);
  });

  test('a bad value in the profile names the file, the profile and the setting', () => {
    const file = profiles('bad', { name: 'bad', values: { brand: '4 you' }, key: undefined });
    expect(() => resolve({ file })).toThrowError(
      new FileError(
        '/config/gatectl/config.json is invalid: profile "bad": brand is not a brand word; use letters, digits and hyphens, starting with a letter, such as service',
        { path: '/config/gatectl/config.json', code: 'invalid_file' },
      ),
    );
  });

  test('a bad value in another profile does not matter', () => {
    const file = profiles('news', news, { name: 'bad', values: { brand: '4 you' }, key: undefined });
    expect(resolve({ file }).brand.value).toBe('service');
  });
});

describe('plain http', () => {
  test('is rejected away from this machine, with the https address', () => {
    const error = failure({ flags: { baseUrl: 'http://gateway.example.com' } });
    expect(error.message).toBe(
      'the base URL http://gateway.example.com (flag --base-url) would send the API key unencrypted',
    );
    expect(hintsFor(error, NO_CONTEXT)[0]).toContain('https://gateway.example.com');
  });

  test('is rejected whether it comes from a flag, a variable or a profile', () => {
    const baseUrl = 'http://gateway.example.com';
    failure({ env: { GATECTL_BASE_URL: baseUrl } });
    failure({ file: profiles('p', { name: 'p', values: { baseUrl }, key: undefined }) });
  });

  test.each(['http://localhost:8080', 'http://127.0.0.1:1', 'http://[::1]:1', 'http://api.localhost'])(
    '%s is this machine',
    baseUrl => {
      expect(resolve({ flags: { baseUrl } }).baseUrl.value).toBe(baseUrl);
    },
  );

  test.each(['http://127.0.0.1.example.com', 'http://localhost.example.com', 'http://1270.0.1.example.org'])(
    '%s only looks like it',
    baseUrl => {
      expect(failure({ flags: { baseUrl } }).message).toContain('unencrypted');
    },
  );

  test('is allowed with a flag', () => {
    const flags = { baseUrl: 'http://gateway.example.com', insecureHttp: true };
    expect(resolve({ flags }).baseUrl.value).toBe('http://gateway.example.com');
  });
});

describe('the key of a profile', () => {
  test("belongs to the origin of the profile's base URL, even if a flag sets another one", () => {
    const flags = { baseUrl: 'https://other.example.org' };
    expect(resolve({ flags }).profileKey).toEqual({
      source: { kind: 'file', path: '/keys/news' },
      belongsTo: 'https://gateway.example.com',
    });
  });

  test('belongs nowhere when the profile has no base URL', () => {
    const file = profiles('p', { name: 'p', values: {}, key: { kind: 'config', apiKey: 'k' } });
    expect(resolve({ file, env: { GATECTL_BASE_URL: 'https://a.example.com' } }).profileKey?.belongsTo).toBe(
      undefined,
    );
  });
});

describe('the time zone', () => {
  test('is the one of the machine when none is set', () => {
    expect(existingTimeZone(resolve({ file: profiles(undefined) }))).toBe(undefined);
  });

  test('is looked up when it is needed', () => {
    expect(existingTimeZone(resolve({}))).toBe('Europe/Madrid');
    const settings = resolve({ flags: { timeZone: 'Mars/Olympus' } });
    expect(() => existingTimeZone(settings)).toThrowError(UsageError);
  });
});
