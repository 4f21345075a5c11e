import { type ChildProcess, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts, type Program, spawnServer } from './program.ts';

const PROGRAMS = ['/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/sbin/munged', '/usr/bin/sbatch'];

export const program: Program = {
  name: 'Slurm',
  packages: ['slurmctld', 'slurmd', 'slurm-client', 'munge'],
  find: () => (PROGRAMS.every(path => existsSync(path)) ? '/usr/sbin/slurmctld' : undefined),
};

/**
 * When another try may start. A node rejects whatever of a job starts in the second in which it ended an earlier try, as a job that was
 * killed: the task then ends with `FAILED 1:0` and has run nothing, which is why Slurm waits for two minutes itself.
 */
const SOON = 'now+2';

/** What Slurm says about a task. */
export interface Task {
  /** Such as COMPLETED, and how it ended: its exit code and its signal. */
  readonly ended: string;
  readonly restarts: number;
  /** The id that Slurm gives the task without its array. */
  readonly id: string;
}

/** A Slurm of this machine alone, which says that it has eight processors. */
export class SlurmServer {
  /** The environment of its commands. */
  readonly env: NodeJS.ProcessEnv;
  readonly #folder: string;
  readonly #daemons: readonly ChildProcess[];

  private constructor(folder: string, daemons: readonly ChildProcess[], env: NodeJS.ProcessEnv) {
    this.#folder = folder;
    this.#daemons = daemons;
    this.env = env;
  }

  static async create(): Promise<SlurmServer> {
    const folder = mkdtempSync(join(tmpdir(), 'slurm-'));
    chmodSync(folder, 0o755);
    const [controller, node] = await freePorts(2);
    const at = (name: string) => join(folder, name);
    for (const name of ['state', 'spool']) mkdirSync(at(name));
    writeFileSync(at('munge.key'), randomBytes(128), { mode: 0o600 });
    const [host = ''] = hostname().split('.');
    const user = userInfo().username;
    const settings = {
      ClusterName: 'test',
      SlurmctldHost: `${host}(127.0.0.1)`,
      SlurmctldPort: controller,
      SlurmdPort: node,
      SlurmUser: user,
      SlurmdUser: user,
      AuthInfo: `socket=${at('munge.socket')}`,
      StateSaveLocation: at('state'),
      SlurmdSpoolDir: at('spool'),
      SlurmctldPidFile: at('slurmctld.pid'),
      SlurmdPidFile: at('slurmd.pid'),
      SlurmctldLogFile: at('slurmctld.log'),
      SlurmdLogFile: at('slurmd.log'),
      ProctrackType: 'proctrack/linuxproc',
      TaskPlugin: 'task/none',
      JobAcctGatherType: 'jobacct_gather/none',
      AccountingStorageType: 'accounting_storage/none',
      SelectType: 'select/cons_tres',
      SelectTypeParameters: 'CR_CPU',
      MpiDefault: 'none',
      ReturnToService: 2,
      RequeueExit: '6,7,8,143',
      SlurmdParameters: 'config_overrides',
      SchedulerParameters: 'sched_interval=1,sched_min_interval=0,batch_sched_delay=0',
      NodeName: `${host} NodeAddr=127.0.0.1 CPUs=8`,
      PartitionName: `all Nodes=${host} Default=YES State=UP`,
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(at('slurm.conf'), lines.join(''));
    const env = { ...process.env, SLURM_CONF: at('slurm.conf'), SLURM_TIME_FORMAT: '%s' };
    const munge = ['key-file=munge.key', 'socket=munge.socket', 'pid-file=munge.pid', 'seed-file=munge.seed'];
    const server = new SlurmServer(
      folder,
      [
        spawnServer('/usr/sbin/munged', [
          '-F',
          '--force',
          ...munge.map(name => `--${name.replace('=', `=${folder}/`)}`),
        ]),
        spawnServer('/usr/sbin/slurmctld', ['-D', '-i'], { env }),
        spawnServer('/usr/sbin/slurmd', ['-D'], { env }),
      ],
      env,
    );
    for (let attempt = 0; server.#state() !== 'idle'; attempt++) {
      if (attempt === 600) {
        await server.remove();
        throw new Error('Slurm did not start');
      }
      await sleep(100);
    }
    return server;
  }

  #state(): string {
    const { stdout } = spawnSync('sinfo', ['--noheader', '--format=%T'], { env: this.env, encoding: 'utf8' });
    return stdout.trim();
  }

  /** What a command of Slurm prints. Throws if it fails. */
  run(command: string, args: readonly string[]): string {
    const { status, stdout, stderr } = spawnSync(command, args, { env: this.env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  }

  /** A task, by its array and number such as `7_3`. */
  task(name: string): Task {
    const text = this.run('scontrol', ['show', 'job', '--oneliner', name]);
    const fieldOf = (key: string) => new RegExp(`\\b${key}=(\\S+)`).exec(text)?.[1] ?? '';
    return {
      ended: `${fieldOf('JobState')} ${fieldOf('ExitCode')}`,
      restarts: Number(fieldOf('Restarts')),
      id: fieldOf('JobId'),
    };
  }

  /** The names of the tasks that have not ended, such as `7_3`. Starts those soon that wait for two minutes before another try. */
  queue(): readonly string[] {
    const tasks = this.run('squeue', ['--noheader', '--array', '--format=%i|%r|%S'])
      .split('\n')
      .filter(line => line !== '');
    return tasks.map(line => {
      const [name = '', reason, start] = line.split('|');
      if (reason === 'BeginTime' && Number(start) > Date.now() / 1000 + 30)
        spawnSync('scontrol', ['update', `JobId=${name}`, `StartTime=${SOON}`], { env: this.env });
      return name;
    });
  }

  /** What the daemons wrote, and what is known of all tasks. */
  report(): string {
    const logs = ['slurmctld.log', 'slurmd.log'].map(
      name => `${name}:\n${readFileSync(join(this.#folder, name), 'utf8')}`,
    );
    return [this.run('scontrol', ['show', 'job', '--oneliner']), ...logs].join('\n');
  }

  /** The processes of a task. */
  processesOf(name: string): readonly number[] {
    return this.run('scontrol', ['listpids', this.task(name).id])
      .split('\n')
      .slice(1)
      .map(line => Number(line.trim().split(/\s+/)[0]));
  }

  async remove(): Promise<void> {
    spawnSync('scancel', ['--full', '--signal=KILL', `--user=${userInfo().username}`], { env: this.env });
    const daemons = [...this.#daemons].reverse();
    for (const child of daemons) {
      const ended = new Promise(resolve => child.once('exit', resolve));
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}
