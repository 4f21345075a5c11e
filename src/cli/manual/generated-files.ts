import { DOCUMENT_KINDS, SHELLS, type Shell } from '../../commands/framework/context.ts';
import { completionScript } from '../completion/scripts.ts';
import { DOCUMENT_SCHEMAS } from './document-schemas.ts';
import { filesPage, schemaFile } from './files-page.ts';
import { manPages } from './man-pages.ts';
import { referencePage } from './reference.ts';
import { allPages } from './surface.ts';

const COMPLETION_FILES: Readonly<Record<Shell, string>> = {
  bash: 'completions/gatectl.bash',
  zsh: 'completions/_gatectl',
  fish: 'completions/gatectl.fish',
  powershell: 'completions/gatectl.ps1',
};

/** Every file that is made from the commands, by its path in the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const pages = allPages();
  return new Map([
    ...SHELLS.map((shell): [string, string] => [COMPLETION_FILES[shell], completionScript(shell)]),
    ...[...manPages(pages)].map(([name, text]): [string, string] => [`man/${name}`, text]),
    ['docs/reference.md', referencePage(pages)],
    ['docs/files.md', filesPage()],
    ...DOCUMENT_KINDS.map((kind): [string, string] => [
      `docs/${schemaFile(kind)}`,
      `${JSON.stringify(DOCUMENT_SCHEMAS[kind], undefined, 2)}\n`,
    ]),
  ]);
}

/** The folders that hold nothing but generated files. */
export const GENERATED_FOLDERS = ['completions', 'man'];
