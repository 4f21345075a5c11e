import { integer } from './define-command.ts';

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
