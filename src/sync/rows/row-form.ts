/** How the rows of a partition are written when they arrive: as objects of a JSON array, or as lines of cells. */
export type RowForm = 'json' | 'csv' | 'tsv';
