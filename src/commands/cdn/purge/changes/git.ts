import { type ExecFileException, execFile } from 'node:child_process';
import { posix } from 'node:path';
import type { SourceFile } from '../../../../apis/cdn/changes/snapshot.ts';
import { UsageError } from '../../../../errors/index.ts';

const OUTPUT_LIMIT = 1 << 30;
const TIMEOUT_MS = 120_000;

/** A file of a commit. */
interface GitFile extends SourceFile {
  /** For a link, the files that it leads to. */
  readonly via?: readonly string[];
  /** What it is, where its content is not in the commit. */
  readonly unread?: string;
}

/** Modes of entries of a commit. */
const LINK = '120000';
const SUBMODULE = '160000';

/** How a commit lies to another one. */
type Relation = 'same' | 'forward' | 'rollback' | 'diverged';

/** Reads a git repository with the git program, never through a shell. Every method throws UsageError where git fails. */
class GitRepository {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #signal: AbortSignal;
  /** Whether the history is incomplete. */
  readonly isShallow: boolean;

  private constructor(folder: string, env: NodeJS.ProcessEnv, signal: AbortSignal, isShallow: boolean) {
    this.#folder = folder;
    this.#env = env;
    this.#signal = signal;
    this.isShallow = isShallow;
  }

  /** Opens the repository that contains a folder. */
  static async open(
    folder: string,
    env: Readonly<Record<string, string | undefined>>,
    signal: AbortSignal,
  ): Promise<GitRepository> {
    const quiet = { ...env, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
    const found = await runGit(folder, ['rev-parse', '--is-shallow-repository'], quiet, signal);
    if ('problem' in found)
      throw new UsageError(`cannot read the git repository of ${folder}: ${found.problem}`, {
        code: 'invalid_input',
        hints: ['nothing was sent'],
      });
    return new GitRepository(folder, quiet, signal, found.output.toString().trim() === 'true');
  }

  /** The commit that a revision names. */
  async commit(revision: string): Promise<string> {
    const found = await this.#run([
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${revision}^{commit}`,
    ]);
    if ('problem' in found) {
      const known = this.isShallow ? '; the clone is shallow, so older commits are missing' : '';
      throw new UsageError(`the revision ${revision} does not exist in this repository${known}`, {
        code: 'invalid_value',
        hints: this.isShallow ? shallowHints() : ['nothing was sent'],
      });
    }
    return found.output.toString().trim();
  }

  /**
   * Identifies the repository of a commit in every clone and worktree: the first commit of its first-parent line. Undefined in a shallow
   * clone, where that commit is missing.
   */
  async identityOf(commit: string): Promise<string | undefined> {
    if (this.isShallow) return undefined;
    const roots = await this.#output(['rev-list', '--first-parent', '--max-parents=0', commit]);
    return roots.toString().trim();
  }

  /** The files that differ between two commits. */
  async differing(from: string, to: string): Promise<string[]> {
    return namesOf(await this.#output(['diff-tree', '-r', '--no-renames', '--name-only', '-z', from, to]));
  }

  /** The files of a commit. Links to files have the content of their target. Throws UsageError for a name that is not UTF-8. */
  async files(commit: string): Promise<GitFile[]> {
    const output = await this.#output(['ls-tree', '-r', '-z', '--full-tree', commit]);
    const entries = namesOf(output).map(entry => {
      const tab = entry.indexOf('\t');
      const [mode = '', , object = ''] = entry.slice(0, tab).split(' ');
      return { path: entry.slice(tab + 1), mode, object };
    });
    const targets = new Map<string, string>();
    for (const { path, mode, object } of entries) {
      if (mode !== LINK) continue;
      const text = (await this.#output(['cat-file', 'blob', object])).toString();
      targets.set(path, posix.join(posix.dirname(path), text));
    }
    const byPath = new Map(entries.map(entry => [entry.path, entry]));
    return entries.map(({ path, mode, object }): GitFile => {
      if (mode === SUBMODULE) return { path, hash: object.slice(0, 24), unread: 'a submodule' };
      const via: string[] = [];
      for (let next = targets.get(path); next !== undefined && via.length < 40; next = targets.get(next))
        via.push(next);
      const last = via.at(-1);
      if (last === undefined) return { path, hash: object.slice(0, 24) };
      const target = byPath.get(last);
      if (target === undefined || target.mode === SUBMODULE || target.mode === LINK)
        return { path, hash: object.slice(0, 24), unread: 'a link to no file of the commit' };
      return { path, hash: target.object.slice(0, 24), via };
    });
  }

  /** The content of a file in a commit; undefined where it has none. */
  async content(commit: string, path: string): Promise<string | undefined> {
    const found = await this.#run(['cat-file', 'blob', `${commit}:${path}`]);
    return 'problem' in found ? undefined : found.output.toString();
  }

  /** How `to` lies to `from`; undefined where `from` is not in the repository. Throws UsageError for a shallow clone. */
  async relation(from: string, to: string): Promise<Relation | undefined> {
    if (from === to) return 'same';
    const exists = await this.#run(['cat-file', '-e', `${from}^{commit}`]);
    const base = 'problem' in exists ? undefined : await this.#run(['merge-base', from, to]);
    const found = base === undefined || 'problem' in base ? undefined : base.output.toString().trim();
    if (this.isShallow && (found === undefined || found === '')) throw missingCommits();
    if ('problem' in exists) return undefined;
    if (found === from) return 'forward';
    return found === to ? 'rollback' : 'diverged';
  }

  /**
   * The files that any commit changed that may have been deployed between two: on either side, the commits that the other does not
   * contain. Includes changes that were reverted later.
   */
  async touched(from: string, to: string): Promise<string[]> {
    const touched = new Set<string>();
    for (const range of await this.#ranges(from, to)) {
      const log = [
        'log',
        ...range.lines,
        '-m',
        '--no-renames',
        '--name-only',
        '-z',
        '--format=',
        range.commits,
      ];
      for (const path of namesOf(await this.#output(log))) touched.add(path.replace(/^\n+/, ''));
    }
    return [...touched].filter(path => path !== '');
  }

  /** The content of a file in each commit that changed it, of those that `touched` includes. */
  async versions(from: string, to: string, path: string): Promise<string[]> {
    const commits = new Set<string>();
    for (const range of await this.#ranges(from, to)) {
      const log = ['log', ...range.lines, '-m', '--format=%H', range.commits, '--', `:(top,literal)${path}`];
      for (const line of (await this.#output(log)).toString().split('\n')) if (line !== '') commits.add(line);
    }
    const contents = await Promise.all([...commits].map(commit => this.content(commit, path)));
    return contents.filter(content => content !== undefined);
  }

  /**
   * The commits of each side that the other does not contain. Where one side continues the first-parent line of the other, commits of
   * merged branches were never deployed by themselves, so that line is enough.
   */
  async #ranges(from: string, to: string): Promise<{ commits: string; lines: string[] }[]> {
    const ranges: { commits: string; lines: string[] }[] = [];
    for (const [without, until] of [
      [from, to],
      [to, from],
    ] as const) {
      const commits = `${without}..${until}`;
      const line = await this.#output(['rev-list', '--first-parent', '--reverse', '--parents', commits]);
      const [first = ''] = line.toString().split('\n', 1);
      if (first === '') continue;
      ranges.push({ commits, lines: first.split(' ')[1] === without ? ['--first-parent'] : [] });
    }
    return ranges;
  }

  async #output(words: readonly string[]): Promise<Buffer> {
    const found = await this.#run(words);
    if ('output' in found) return found.output;
    throw new UsageError(`git ${words[0]} failed: ${found.problem}`, {
      code: 'invalid_input',
      hints: this.isShallow ? shallowHints() : ['nothing was sent'],
    });
  }

  #run(words: readonly string[]): Promise<GitOutput> {
    return runGit(this.#folder, words, this.#env, this.#signal);
  }
}

/** The commits that `--git` names, in their repository. */
export interface Revisions {
  readonly repository: GitRepository;
  readonly commit: string;
  /** Of `BASE..REF`. */
  readonly base: string | undefined;
  /** See `identityOf`; undefined for a range in a shallow clone. */
  readonly identity: string | undefined;
}

/** Resolves `REF` or `BASE..REF` in the repository of a folder. Throws UsageError, also for a `REF` in a shallow clone. */
export async function revisionsOf(
  text: string,
  folder: string,
  env: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Revisions> {
  const repository = await GitRepository.open(folder, env, signal);
  const [first = '', second] = text.split(/\.{2,3}/);
  const commit = await repository.commit((second ?? first) || 'HEAD');
  const base = second === undefined ? undefined : await repository.commit(first || 'HEAD');
  const identity = await repository.identityOf(commit);
  if (identity === undefined && base === undefined) throw missingCommits();
  return { repository, commit, base, identity };
}

function missingCommits(): UsageError {
  return new UsageError('the clone is shallow: the commits since the last confirmed purge are missing', {
    code: 'invalid_input',
    hints: shallowHints(),
  });
}

type GitOutput = { readonly output: Buffer } | { readonly problem: string };

/** Without a pager, hooks or a configuration that changes what the commands print. */
const NEUTRAL = [
  '--no-pager',
  '-c',
  'core.quotePath=false',
  '-c',
  'log.showSignature=false',
  '-c',
  'core.fsmonitor=false',
];

function runGit(
  folder: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<GitOutput> {
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      ['-C', folder, ...NEUTRAL, ...words],
      { env, signal, encoding: 'buffer', maxBuffer: OUTPUT_LIMIT, timeout: TIMEOUT_MS, windowsHide: true },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ output: stdout });
        if (signal.aborted) return reject(signal.reason);
        resolve({ problem: problemOf(error, stderr.toString()) });
      },
    ).stdin?.end();
  });
}

function problemOf(error: ExecFileException, stderr: string): string {
  if (error.code === 'ENOENT') return 'the program git was not found';
  if (error.killed) return `git did not finish within ${TIMEOUT_MS / 1000} s`;
  const line = stderr.split(/\r?\n/).find(each => each.trim() !== '') ?? 'git failed';
  return line.replace(/^fatal: /, '').slice(0, 300);
}

function namesOf(output: Buffer): string[] {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(output);
  } catch {
    throw new UsageError('the repository contains a file name that is not UTF-8', {
      code: 'invalid_input',
      hints: ['nothing was sent'],
    });
  }
  return text.split('\0').filter(each => each !== '');
}

function shallowHints(): string[] {
  return [
    'nothing was sent: run git fetch --unshallow, or in GitHub Actions pass fetch-depth: 0 to actions/checkout',
  ];
}
