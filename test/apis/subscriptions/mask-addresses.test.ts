import { expect, test } from 'vitest';
import { maskAddresses } from '../../../src/apis/subscriptions/mask-addresses.ts';

test('every field remains when two names have the same mask', () => {
  const data = {
    'anna@example.com': 1,
    'arthur@example.com': { mail: 'arthur@example.com' },
    'a***@example.com': 3,
    plan: 'monthly',
  };
  expect(maskAddresses(data)).toEqual({
    'a***@example.com': 1,
    'a***@example.com (2)': { mail: 'a***@example.com' },
    'a***@example.com (3)': 3,
    plan: 'monthly',
  });
});
