/** A word to complete with. */
export interface Candidate {
  readonly word: string;
  readonly about?: string | undefined;
}
