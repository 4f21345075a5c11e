import { mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';

/** Programs that must be there, as check:shells has them: a check that leaves them out would say less than it seems to. */
const REQUIRED = (process.env.GATECTL_CHECK_PROGRAMS ?? '').split(' ').filter(Boolean);

/** Whether a program can be used here; where not, the log says what goes untried. Throws where GATECTL_CHECK_PROGRAMS names it. */
export async function has(program, log, what) {
  const { failed } = await execa('sh', ['-c', 'command -v "$0"', program], { reject: false });
  if (!failed) return true;
  if (REQUIRED.includes(program))
    throw new Error(`${program} is not installed, and GATECTL_CHECK_PROGRAMS names it`);
  log.untried(what, `${program} is not installed`);
  return false;
}

/**
 * Runs a program; returns what it printed to stdout. Its whole output is in the message of the error where it fails.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('execa').Options} options
 * @returns {Promise<string>}
 */
export async function run(program, args, options = {}) {
  const { stdout } = await execa(program, args, {
    stdin: 'ignore',
    ...options,
    encoding: 'utf8',
    lines: false,
  });
  return String(stdout);
}

/** What a clean machine has: an empty home, and programs below a prefix. Nothing of this process's environment. */
export class Machine {
  /** The environment of its user. */
  env;

  /**
   * @param {string} folder is created
   * @param {Readonly<Record<string, string>>} more environment variables
   */
  constructor(folder, more = {}) {
    this.home = join(folder, 'home');
    this.prefix = join(folder, 'prefix');
    for (const each of [this.home, this.prefix]) mkdirSync(each, { recursive: true });
    this.env = {
      PATH: [join(this.prefix, 'bin'), process.env.PATH].join(delimiter),
      HOME: this.home,
      LANG: 'C.UTF-8',
      SHELL: '/bin/bash',
      npm_config_prefix: this.prefix,
      ...more,
    };
  }

  /** Runs a program as this user, in the home or another folder. */
  run(program, args, options = {}) {
    return run(program, args, { cwd: this.home, env: this.env, extendEnv: false, ...options });
  }
}

/** The version is the one expected, and the main job works without a key. */
export async function works(machine, version, program = 'gatectl', leading = []) {
  const said = await machine.run(program, [...leading, '--version']);
  if (said !== version) throw new Error(`${program} --version prints ${said} instead of ${version}`);
  const access = ['access', 'active@example.com', '--product', 'premium', '--sandbox', '--jq', '.decision'];
  const decision = await machine.run(program, [...leading, ...access]);
  if (decision !== 'allowed') throw new Error(`${access.join(' ')} prints ${decision}`);
}
