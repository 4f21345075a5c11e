import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Received, type Reply, wireServer } from '../support/wire-server.ts';
import { figuresOf, KEY, respondFrom } from '../sync/source.ts';
import { filesOf, redisEngine, sites } from './fleets.ts';
import { program as redis } from './servers/redis.ts';
import { program, SlurmServer } from './servers/slurm.ts';

const BIN = fileURLToPath(new URL('../../bin/gatectl.js', import.meta.url));
const FILE = `destination: lake
tables:
  pages:
    data_set: pageview
    dimensions: [page_url]
    metrics: [visits, revenue]
    start: 2026-01-01
    end: 2026-01-20
    partition: day
`;
/** The commands that the documentation prints. */
const [PLAN = '', SUBMIT = ''] =
  /```sh\n(gatectl bda sync plan --units .*)\n(sbatch .*)\n```/
    .exec(readFileSync(new URL('../../docs/sync.md', import.meta.url), 'utf8'))
    ?.slice(1) ?? [];
const [WORK = ''] =
  /^sbatch .* bda sync worker .*$/m.exec(
    readFileSync(new URL('../../docs/fleet.md', import.meta.url), 'utf8'),
  ) ?? [];
const NEVER = new Promise<Reply>(() => {});

describe.skipIf(program.find() === undefined)('the tasks of a Slurm array', () => {
  let slurm: SlurmServer;
  const servers: (() => Promise<void>)[] = [];
  const folders: string[] = [];
  /** Two tasks whose first requests are never answered, and which Slurm ends before their time limit. */
  let limited: Account & { readonly job: string };

  beforeAll(async () => {
    slurm = await SlurmServer.create();
    const account = await accountOf(2, (_, tries) => (tries === 0 ? NEVER : undefined));
    limited = { ...account, job: await account.submit('1-2', '--time=1 --signal=B:TERM@60') };
  }, 180_000);

  afterAll(async () => {
    await slurm?.remove();
    for (const close of servers) await close();
  });

  afterEach(({ task }) => {
    if (task.result?.state !== 'fail') return;
    process.stdout.write(`${slurm.report()}\n`);
    for (const folder of folders)
      for (const name of readdirSync(folder).filter(each => each.endsWith('.out')))
        process.stdout.write(`${name}:\n${readFileSync(join(folder, name), 'utf8')}\n`);
  });

  interface Account {
    readonly folder: string;
    /** The sites of the queries that arrived. */
    queried(): readonly number[];
    /** Submits an array; resolves to the id of its job. */
    submit(array: string, options?: string, command?: string): Promise<string>;
    /** Waits until a task such as `7_3` has printed a text. */
    printed(task: string, text: string): Promise<void>;
    /** The output of a command line in the folder. */
    shell(command: string): Promise<string>;
    /** The files that a single process writes. */
    expected(): Promise<Record<string, string>>;
  }

  /** A gateway with so many sites, which answers some queries otherwise, and a folder with the units of a plan. */
  async function accountOf(
    count: number,
    otherwise: (site: number, tries: number) => Promise<Reply | undefined> | undefined = () => undefined,
    engine: Readonly<Record<string, string>> = {},
  ): Promise<Account> {
    const respond = respondFrom(figuresOf(sites(count), '2026-01-01', 20));
    const isQuery = ({ method }: Received) => method === 'POST';
    const siteOf = ({ body }: Received): number => JSON.parse(body).domain_id;
    const tries = new Map<number, number>();
    let isAlone = false;
    const server = await wireServer(async request => {
      if (isAlone || !isQuery(request)) return respond(request);
      const site = siteOf(request);
      const before = tries.get(site) ?? 0;
      tries.set(site, before + 1);
      return (await otherwise(site, before)) ?? respond(request);
    });
    servers.push(() => server.close());
    const [folder, alone] = ['array-', 'alone-'].map(name => mkdtempSync(join(tmpdir(), name))) as [
      string,
      string,
    ];
    folders.push(folder);
    for (const each of [folder, alone]) writeFileSync(join(each, 'gatectl.sync.yaml'), FILE);
    const programs = join(folder, 'bin');
    mkdirSync(programs);
    writeFileSync(join(programs, 'gatectl'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, {
      mode: 0o755,
    });
    const env = {
      ...slurm.env,
      PATH: `${programs}:${process.env.PATH}`,
      HOME: folder,
      GATECTL_BASE_URL: server.baseUrl,
      GATECTL_API_KEY: KEY,
      GATECTL_CONFIG_DIR: join(folder, 'config'),
      ...engine,
    };
    const shell = async (command: string, cwd = folder) =>
      (await promisify(execFile)('/bin/sh', ['-c', command], { cwd, env })).stdout.trim();
    await shell(PLAN);
    return {
      folder,
      queried: () => server.received.filter(isQuery).map(siteOf),
      shell,
      submit: (array, options = '', command = SUBMIT) =>
        shell(command.replace(/--array=\S+/, `--parsable --array=${array} ${options}`)),
      printed: (task, text) => {
        const path = join(folder, `slurm-${task}.out`);
        return until(() => existsSync(path) && readFileSync(path, 'utf8').includes(text));
      },
      expected: async () => {
        isAlone = true;
        await shell('gatectl bda sync run --quiet', alone);
        return filesOf(alone);
      },
    };
  }

  /** Queries that are answered as usual, once they are released. */
  function holding(): { readonly held: Promise<undefined>; release(): void } {
    let release = () => {};
    const held = new Promise<undefined>(resolve => {
      release = () => resolve(undefined);
    });
    return { held, release: () => release() };
  }

  const until = async (isSo: () => boolean) => {
    while (!isSo()) await sleep(100);
  };
  /** Waits for tasks, such as `7_3`, or for all of a job, such as `7_`. */
  const endOf = (task: string) => until(() => !slurm.queue().some(name => `${name} `.startsWith(task)));

  test.each(['0-3', '1-4', '1-8%4', '0-6:2'])(
    'leave the bytes of a single run: --array=%s',
    { timeout: 120_000 },
    async array => {
      const { folder, queried, submit, expected } = await accountOf(8);
      await endOf(`${await submit(array)}_`);
      expect([...queried()].sort()).toEqual(sites(8));
      expect(filesOf(folder)).toEqual(await expected());
    },
  );

  test('leave the bytes of a single run when two are ended and put back in the queue', {
    timeout: 120_000,
  }, async () => {
    const { held, release } = holding();
    const { folder, queried, submit, expected } = await accountOf(4, () => held);
    const job = await submit('1-4');
    await until(() => queried().length === 4);
    slurm.run('scancel', [`${job}_2`]);
    for (const pid of slurm.processesOf(`${job}_3`)) process.kill(pid, 'SIGKILL');
    for (const number of [2, 3]) await endOf(`${job}_${number} `);
    release();
    await endOf(`${job}_`);
    const ended = () => [1, 2, 3, 4].map(number => slurm.task(`${job}_${number}`).ended);
    expect(ended()).toEqual(['COMPLETED 0:0', 'CANCELLED 143:0', 'FAILED 0:9', 'COMPLETED 0:0']);
    for (const number of [2, 3]) slurm.run('scontrol', ['requeue', `${job}_${number}`]);
    await endOf(`${job}_`);
    expect(ended()).toEqual(Array(4).fill('COMPLETED 0:0'));
    expect(queried()).toHaveLength(6);
    expect(filesOf(folder)).toEqual(await expected());
  });

  test.skipIf(redis.find() === undefined)(
    'may be workers of a queue, one of which is cancelled',
    { timeout: 120_000 },
    async () => {
      const engine = await redisEngine();
      onTestFinished(() => engine.remove());
      const { held, release } = holding();
      const account = await accountOf(8, () => held, engine.env);
      const { folder, queried, submit, printed, shell, expected } = account;
      await shell('gatectl bda sync submit');
      const job = await submit('1-4', '', WORK);
      await until(() => queried().length === 8);
      // The others may have taken all units before this task started.
      await printed(`${job}_2`, 'worker_ready');
      slurm.run('scancel', [`${job}_2`]);
      await printed(`${job}_2`, 'worker_stopping');
      release();
      await endOf(`${job}_`);
      const ended = [1, 2, 3, 4].map(number => slurm.task(`${job}_${number}`).ended);
      expect(ended).toEqual(['COMPLETED 0:0', 'CANCELLED 143:0', 'COMPLETED 0:0', 'COMPLETED 0:0']);
      expect(queried()).toHaveLength(8);
      expect(filesOf(folder)).toEqual(await expected());
    },
  );

  test('are put back in the queue by their exit code when a unit failed, and request only that unit', {
    timeout: 120_000,
  }, async () => {
    const broken = async () => ({ status: 400, body: '{"error":"the site is being rebuilt"}' });
    const { folder, queried, submit, expected } = await accountOf(4, (site, tries) =>
      site === 3 && tries === 0 ? broken() : undefined,
    );
    const job = await submit('1-2');
    await endOf(`${job}_`);
    const tasks = [1, 2].map(number => slurm.task(`${job}_${number}`));
    expect(tasks.map(({ ended }) => ended)).toEqual(['COMPLETED 0:0', 'COMPLETED 0:0']);
    expect(tasks.map(({ restarts }) => restarts).sort()).toEqual([0, 1]);
    expect([...queried()].sort()).toEqual([1, 2, 3, 3, 4]);
    expect(filesOf(folder)).toEqual(await expected());
  });

  test('that Slurm ends before their time limit are put back in the queue, and then succeed', {
    timeout: 180_000,
  }, async () => {
    const { folder, job, queried, expected } = limited;
    await endOf(`${job}_`);
    const tasks = [1, 2].map(number => slurm.task(`${job}_${number}`));
    expect(tasks).toMatchObject(Array(2).fill({ ended: 'COMPLETED 0:0', restarts: 1 }));
    expect([...queried()].sort()).toEqual([1, 1, 2, 2]);
    expect(filesOf(folder)).toEqual(await expected());
  });
});
