/**
 * What a request does at the gateway. `write`: it may be repeated. `irreversible`: it creates what cannot be deleted, mints a token or purges a
 * whole domain.
 */
export type Effect = 'read' | 'write' | 'irreversible';
