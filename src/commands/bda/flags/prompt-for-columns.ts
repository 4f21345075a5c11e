import { type CatalogueColumn, readColumnCatalogue } from '../../../apis/bda/catalogue.ts';
import { valueKindOfType } from '../../../apis/bda/value-kind.ts';
import type { Json } from '../../../json/index.ts';
import type { Prompt } from '../../../terminal/prompt.ts';

/** The columns of a listing; none if it cannot be read. */
export function offeredColumns(listing: Json): readonly CatalogueColumn[] {
  return [...(readColumnCatalogue(listing)?.values() ?? [])];
}

/** Prompts for a data set of the columns; without any, its name is typed. */
export async function promptForDataSet(prompt: Prompt, columns: readonly CatalogueColumn[]): Promise<string> {
  const sets = [...new Set(columns.flatMap(({ dataSets = [] }) => dataSets))];
  if (sets.length === 0)
    return await prompt.input('Data set:', { check: text => text.trim() !== '' || 'type a name' });
  return await prompt.choose(
    'Data set:',
    sets.map(value => ({ value, label: value })),
  );
}

/** The columns of a data set that can be dimensions, and those that can be metrics. */
export function columnsOfDataSet(
  columns: readonly CatalogueColumn[],
  dataSet: string,
): { readonly dimensions: readonly CatalogueColumn[]; readonly metrics: readonly CatalogueColumn[] } {
  const own = columns.filter(({ dataSets }) => dataSets === undefined || dataSets.includes(dataSet));
  const isNumber = ({ type }: CatalogueColumn) => type !== undefined && valueKindOfType(type) === 'number';
  return {
    dimensions: own.filter(column => !isNumber(column)),
    metrics: own.filter(column => column.type === undefined || isNumber(column)),
  };
}

/** Prompts for some of the columns; without any, their names are typed. */
export async function promptForColumns(
  prompt: Prompt,
  question: string,
  { columns, atLeastOne }: { readonly columns: readonly CatalogueColumn[]; readonly atLeastOne: boolean },
): Promise<readonly string[]> {
  if (columns.length === 0) {
    const typed = await prompt.input(question.replace(/:$/, ' (with commas between them):'), {
      check: text => !atLeastOne || namesIn(text).length > 0 || 'type at least one name',
    });
    return namesIn(typed);
  }
  const choices = columns.map(({ name, description }) => ({
    value: name,
    ...(description !== undefined && { about: description }),
  }));
  return await prompt.chooseSeveral(question, choices, { atLeastOne });
}

/** Names with commas or blanks between them. */
export function namesIn(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .map(name => name.trim())
    .filter(name => name !== '');
}
