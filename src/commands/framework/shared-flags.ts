import { invalidValue } from '../../errors/usage.ts';
import { converted, integer } from './define-command.ts';

/** Chooses the printed columns of rows, for `View.chosen`. */
export const COLUMNS_FLAG = {
  columns: converted(
    '--columns <names>',
    'print these columns in this order, separated by commas',
    readNames,
  ),
};

function readNames(text: string): readonly string[] {
  const names = text.split(',').map(name => name.trim());
  if (names.every(name => name !== '')) return names;
  throw invalidValue(
    `invalid --columns '${text}'`,
    'separate the names by commas: --columns name,description',
  );
}

/** Maximum requests in flight of one process: more would only wait in queues. */
export const REQUESTS_IN_FLIGHT = 64;

/** `--concurrency`, which caps the adaptive limit of the gateway. */
export const concurrencyFlag = () =>
  integer(
    '--concurrency <n>',
    `maximum requests in flight (default: adapts to the server, up to ${REQUESTS_IN_FLIGHT})`,
    {
      min: 1,
      max: REQUESTS_IN_FLIGHT,
    },
  );
