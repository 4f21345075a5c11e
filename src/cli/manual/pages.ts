import { readOwnFile } from 'virtual:own-files';
import type { DocsPage } from '../../commands/framework/context.ts';

/** A section of `docs/pages.json`, which the site has too. */
interface PagesSection {
  readonly title: string;
  readonly pages: readonly {
    readonly file: string;
    readonly about: string;
    /** Words of newcomers that the page does not use. */
    readonly words?: string;
  }[];
}

interface KnownPage extends DocsPage {
  readonly file: string;
  readonly words: string;
}

/** The pages of the documentation, in the order of its contents. */
export function documentationPages(): readonly KnownPage[] {
  const sections = JSON.parse(readOwnFile('docs/pages.json')) as readonly PagesSection[];
  return sections.flatMap(({ title, pages }) =>
    pages.map(({ file, about, words = '' }) => ({
      page: pageName(file),
      section: title,
      about,
      words,
      file,
    })),
  );
}

/** `operator` for docs/tutorials/operator.md. */
function pageName(file: string): string {
  return (/([^/]+)\.md$/.exec(file)?.[1] ?? file).toLowerCase();
}
