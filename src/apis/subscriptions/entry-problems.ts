/** What is wrong with an entry of a list, in English. */
export const ENTRY_PROBLEMS = {
  nul: 'contains a NUL byte',
  not_text: 'not UTF-8 text',
  no_address: 'no address',
  not_an_address: 'not an e-mail address',
  two_addresses: 'two addresses in one cell',
  unknown_encoding: 'an address with letters of an unknown encoding',
} as const;
export type EntryProblem = keyof typeof ENTRY_PROBLEMS;
