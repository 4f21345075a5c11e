import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type CheckedValue,
  checkBaseUrl,
  checkBrand,
  checkChoice,
  checkDomain,
  checkNumber,
  checkPath,
  checkPrefix,
  checkTimeZone,
  checkTimeZoneForm,
} from '../../src/config/values.ts';

function refusal(checked: CheckedValue<unknown>): string {
  return 'problem' in checked ? `${checked.problem}; ${checked.hint}` : `accepted ${checked.value}`;
}

describe('a base URL', () => {
  test.each([
    ['https://gateway.example.com', 'https://gateway.example.com'],
    ['https://gateway.example.com/', 'https://gateway.example.com'],
    ['HTTPS://Gateway.Example.com:443/a/b//', 'https://gateway.example.com/a/b'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://gateway.example.com/a/../b', 'https://gateway.example.com/b'],
  ])('%s is taken as %s', (text, value) => {
    expect(checkBaseUrl(text)).toEqual({ value });
  });

  test.each([
    ['gateway.example.com', 'has no scheme; type https://gateway.example.com'],
    ['localhost:8080', 'has no scheme; type https://localhost:8080'],
    ['//gateway.example.com', 'has no scheme; type https://gateway.example.com'],
    [
      'ftp://gateway.example.com',
      'is not an https URL; type the root of the gateway, such as https://gateway.example.com',
    ],
    ['https://', 'is not a valid URL; type the root of the gateway, such as https://gateway.example.com'],
    ['https://a b', 'contains a blank; type the root of the gateway, such as https://gateway.example.com'],
    [
      'https://a\n.example.com',
      'contains a blank; type the root of the gateway, such as https://gateway.example.com',
    ],
    ['https://ana:secret@a.example.com/x', 'contains a user name or password; type https://a.example.com/x'],
    ['https://a.example.com/x?developerKey=1', 'contains a query or fragment; type https://a.example.com/x'],
    ['https://a.example.com#top', 'contains a query or fragment; type https://a.example.com'],
    ['https://a.example.com/?', 'contains a query or fragment; type https://a.example.com'],
  ])('%s is rejected', (text, answer) => {
    expect(refusal(checkBaseUrl(text))).toBe(answer);
  });

  test('what was taken is taken again, unchanged', () => {
    fc.assert(
      fc.property(fc.webUrl(), url => {
        const first = checkBaseUrl(url);
        if ('value' in first) expect(checkBaseUrl(first.value)).toEqual(first);
      }),
    );
  });
});

describe('a domain', () => {
  test.each([
    ['news.example.com', 'news.example.com'],
    ['News.Example.COM', 'news.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['localhost', 'localhost'],
  ])('%s is taken as %s', (text, value) => {
    expect(checkDomain(text)).toEqual({ value });
  });

  const instead = 'is more than a bare domain; type news.example.com';
  test.each([
    'https://news.example.com',
    'https://www.news.example.com/a?b#c',
    'www.news.example.com',
    'WWW.news.example.com',
    'news.example.com/path',
    'news.example.com:8080',
    'news.example.com.',
    'ana@news.example.com',
    ' news.example.com',
  ])('%s gives a hint with the bare domain', text => {
    expect(refusal(checkDomain(text))).toBe(instead);
  });

  test.each(['192.0.2.1', 'https://192.0.2.1:80/', '[2001:db8::1]', '0x7f.1'])('%s is an address', text => {
    expect(refusal(checkDomain(text))).toBe(
      'is an IP address, not a domain; type a bare domain, such as news.example.com',
    );
  });

  test.each([
    '',
    'news',
    '-news.example.com',
    'news..example.com',
    'news_example',
    '*',
    'a b.example.com',
    'news.example.com,shop.example.com',
  ])('%j is not a domain', text => {
    expect(refusal(checkDomain(text))).toBe('is not a domain; type a bare domain, such as news.example.com');
  });
});

describe('other values', () => {
  test('a brand word starts with a letter', () => {
    expect(checkBrand('My-Service2')).toEqual({ value: 'My-Service2' });
    for (const bad of ['', '2nd', 'a b', 'a_b', 'a\r\nX-Evil: 1', '-a'])
      expect(checkBrand(bad)).toHaveProperty('problem', 'is not a brand word');
  });

  test('a choice is taken in any letter case', () => {
    expect(checkChoice('CSV', ['table', 'csv'])).toEqual({ value: 'csv' });
    expect(refusal(checkChoice('xls', ['table', 'csv']))).toBe(
      'is not an allowed value; use one of table, csv',
    );
  });

  test('a number stays within its limits', () => {
    const limits = { min: 0, max: 100, whole: true };
    expect(checkNumber('0', limits)).toEqual({ value: 0 });
    expect(checkNumber('100', limits)).toEqual({ value: 100 });
    for (const bad of ['101', '-1', '1.5', '1e1', '0x1', '', ' 1', 'NaN', 'Infinity'])
      expect(refusal(checkNumber(bad, limits))).toBe(
        'is not a whole number in range; type a whole number from 0 to 100',
      );
    expect(checkNumber('0.5', { min: 0.001, max: 1, whole: false })).toEqual({ value: 0.5 });
    expect(checkNumber('0', { min: 0.001, max: 1, whole: false })).toHaveProperty('problem');
  });

  test('a time zone must exist where it matters', () => {
    expect(checkTimeZone('Europe/Madrid')).toEqual({ value: 'Europe/Madrid' });
    expect(checkTimeZone('UTC')).toEqual({ value: 'UTC' });
    expect(checkTimeZoneForm('Mars/Olympus')).toEqual({ value: 'Mars/Olympus' });
    expect(checkTimeZone('Mars/Olympus')).toHaveProperty('problem', 'is not a known time zone');
    for (const bad of ['', '+02:00', 'Europe/', '../etc', 'a b'])
      expect(checkTimeZone(bad)).toHaveProperty('problem', 'is not a time zone');
  });

  test('a prefix is a path, and the root is empty', () => {
    expect(checkPrefix('/gateway/cdnservices/')).toEqual({ value: '/gateway/cdnservices' });
    expect(checkPrefix('/')).toEqual({ value: '' });
    for (const bad of ['cdnservices', '/a b', '/a?b', '/a#b', '/a/../b', '/..', '//host', '/a\n'])
      expect(checkPrefix(bad), bad).toHaveProperty('problem', 'is not a path');
  });

  test('a path has something in it', () => {
    expect(checkPath('ca.pem')).toEqual({ value: 'ca.pem' });
    expect(checkPath(' ')).toHaveProperty('problem');
    expect(checkPath('a\0b')).toHaveProperty('problem');
  });
});
