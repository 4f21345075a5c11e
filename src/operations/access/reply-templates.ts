import { dirname, join } from 'node:path';
import type { BuiltInLanguage } from '../../apis/subscriptions/languages.ts';
import { assertTemplate } from '../../apis/subscriptions/replies/reply.ts';
import { BUILT_IN } from '../../apis/subscriptions/replies/templates.ts';
import type { Situation } from '../../apis/subscriptions/situation.ts';
import { configPath, type Platform } from '../../config/platform.ts';
import { languageCode } from '../../config/values.ts';
import { FileError, UsageError } from '../../errors/index.ts';
import { writeAtomic } from '../../files/atomic-file.ts';
import { readdir, unlink } from '../../files/disk.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { makePrivateFolder } from '../../files/folders.ts';
import { readText } from '../../files/text-source.ts';

const DEFAULT_LANGUAGE = 'en';
const EXTENSION = '.txt';

/** A reply template, built in or changed. */
export interface ReplyTemplate {
  readonly situation: Situation;
  readonly language: string;
  readonly text: string;
  /** The file of a changed template. */
  readonly path: string | undefined;
}

type Home = Pick<Platform, 'env' | 'platform' | 'homedir'>;

/** The template for a situation, in a language or in the one that it is a form of: `fr` for `fr-fr`. Throws as `replyTemplate`. */
export async function nearestTemplate(
  situation: Situation,
  language: string,
  home: Home,
): Promise<ReplyTemplate> {
  const known = await languagesIn(home);
  const general = language.replace(/-.*$/, '');
  return await replyTemplate(
    situation,
    known.includes(language) || !known.includes(general) ? language : general,
    home,
  );
}

/** The template for a situation. Throws UsageError where there is none in that language, and for a changed one that is not valid. */
export async function replyTemplate(
  situation: Situation,
  language: string,
  home: Home,
): Promise<ReplyTemplate> {
  const path = templatePath(situation, language, home);
  const changed = path === undefined ? undefined : await textIn(path);
  if (changed !== undefined && path !== undefined) {
    validate(changed, path);
    return { situation, language, text: changed, path };
  }
  const builtIn = builtInTemplates(language);
  if (builtIn !== undefined) return { situation, language, text: builtIn[situation], path: undefined };
  throw new UsageError(`there is no reply ${situation} in ${language}`, {
    code: 'unknown_name',
    reason: { name: 'no_reply', situation, language, languages: await languagesIn(home) },
  });
}

/** The text to edit: a changed template even if it is not valid, or the built-in one, in English where there is none. */
export async function textToEdit(situation: Situation, language: string, home: Home): Promise<string> {
  const path = templatePath(situation, language, home);
  const changed = path === undefined ? undefined : await textIn(path);
  const builtIn = builtInTemplates(language) ?? BUILT_IN[DEFAULT_LANGUAGE];
  return changed ?? builtIn[situation];
}

function builtInTemplates(language: string) {
  return Object.hasOwn(BUILT_IN, language) ? BUILT_IN[language as BuiltInLanguage] : undefined;
}

/** Built-in languages, and those with changed templates. */
export async function languagesIn(home: Home): Promise<readonly string[]> {
  const folder = repliesFolder(home);
  const names = folder === undefined ? [] : await readdir(folder).catch((): string[] => []);
  return [
    ...new Set([...Object.keys(BUILT_IN), ...names.filter(name => languageCode(name) === name)]),
  ].sort();
}

/** Stores a template. Throws UsageError if it is not valid, and FileError. */
export async function saveTemplate(
  situation: Situation,
  language: string,
  text: string,
  home: Home,
): Promise<string> {
  assertTemplate(text);
  const path = templatePath(situation, language, home);
  if (path === undefined)
    throw new FileError('there is no folder for replies: HOME is not set', { path: '' });
  await makePrivateFolder(dirname(path));
  await writeAtomic(path, `${text.trimEnd()}\n`, { mode: 0o600 });
  return path;
}

/** Removes a changed template; false if there is none. Throws FileError. */
export async function removeTemplate(situation: Situation, language: string, home: Home): Promise<boolean> {
  const path = templatePath(situation, language, home);
  if (path === undefined) return false;
  try {
    await unlink(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw fileError(path, error, 'write');
  }
}

function repliesFolder(home: Home): string | undefined {
  const config = configPath(home);
  return config === undefined ? undefined : join(dirname(config), 'replies');
}

function templatePath(situation: Situation, language: string, home: Home): string | undefined {
  const folder = repliesFolder(home);
  return folder === undefined ? undefined : join(folder, language, situation + EXTENSION);
}

async function textIn(path: string): Promise<string | undefined> {
  try {
    return (await readText(path, { maxBytes: 1 << 20 })).replaceAll('\r\n', '\n').trimEnd();
  } catch (error) {
    if (error instanceof FileError && error.code === 'file_not_found') return undefined;
    throw error;
  }
}

function validate(text: string, path: string): void {
  try {
    assertTemplate(text);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${path}: ${error.message}`, { code: 'invalid_input', reason: error.reason });
  }
}
