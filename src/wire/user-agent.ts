import { version } from '../../package.json';

/** Names the command line in each HTTP request that it sends, so that operators can tell it from other clients. */
export const USER_AGENT = `gatectl/${version}`;

/** Names the library, after the program that uses it. */
export const CLIENT_USER_AGENT = `gatectl-client/${version}`;
