import { expect, test } from 'vitest';
import { expectationOf } from '../../../src/apis/subscriptions/audit/expectation.ts';

const expected = (value: string, words = { paid: [] as string[], unpaid: [] as string[] }) => {
  const found = expectationOf(value, words);
  return 'isPaid' in found ? found.isPaid : 'unclear';
};

test.each([
  ...[
    'yes',
    'TRUE',
    '1',
    'x',
    'Active',
    ' trialing ',
    'in_trial',
    'non_renewing',
    'wc-active',
    'WAHR',
    'VRAI',
    'VERDADERO',
  ],
  ...['Premium', 'Gold monthly', 'price_1Mo', 'Plan 9', 'pro', 'Tarif Ü', 'paid-2026'],
])('%j means paid', value => {
  expect(expected(value)).toBe(true);
});

test.each([
  ...[
    '',
    ' ',
    '-',
    'no',
    'FALSE',
    '0',
    'none',
    'free',
    'Cancelled',
    'canceled',
    'wc-cancelled',
    'expired',
    'unpaid',
  ],
  ...['incomplete_expired', 'FALSCH', 'FAUX', 'FALSO'],
])('%j means not paid', value => {
  expect(expected(value)).toBe(false);
});

test.each([
  ...['past_due', 'Past Due', 'pending', 'on-hold', 'wc-on-hold', 'paused', 'incomplete', '?', 'N/A'],
  ...[
    '2026-12-31',
    '2026-12-31T00:00:00Z',
    '31.12.2026',
    '9.99',
    '€',
    '12',
    '-1',
    'a@example.com',
    'https://example.com/',
  ],
  ...['actve', 'cancled', 'expird'],
])('%j is rejected until --paid or --unpaid decides it', value => {
  expect(expected(value)).toBe('unclear');
  expect(expected(value, { paid: [value.toUpperCase()], unpaid: [] })).toBe(true);
  expect(expected(value, { paid: [], unpaid: [value] })).toBe(false);
});

test('--paid and --unpaid override the known words and names', () => {
  expect(expected('free', { paid: ['free'], unpaid: [] })).toBe(true);
  expect(expected('Gold', { paid: [], unpaid: ['gold'] })).toBe(false);
});
