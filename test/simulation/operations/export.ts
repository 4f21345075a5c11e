import type { Operation, Stage } from '../history.ts';

const FILE = '/data/rows.csv';
const OLD = 'a file that was there before\n';
const MOST_COMMANDS = 14;
/** The complete file, by what differs between queries. */
const complete = new Map<string, string>();
const PAGE_SIZES = ['8', '15'];

function query(pageSize: string): string[] {
  return [
    ...['bda', 'query', '--data-set', 'pageview', '-d', 'page_url', '-m', 'visits', '--from', '2026-03-01'],
    ...[
      '--to',
      '2026-03-02',
      '--all',
      '--filter',
      'visits>=60',
      '--page-size',
      pageSize,
      '--out',
      FILE,
      '--quiet',
    ],
  ];
}

/** An export to a file that is ended at any step, sometimes while another process writes the same file, and resumed. */
export const exportRows: Operation = {
  name: 'export',
  steps: 130,
  async prepare(stage) {
    for (const pageSize of PAGE_SIZES) {
      const { code, stderr } = await stage.command(query(pageSize));
      if (code !== 0) throw new Error(stderr());
      complete.set(pageSize, stage.disk.text(FILE) ?? '');
    }
  },
  async run(stage) {
    const { world, disk, machine } = stage;
    const pageSize = world.pick(PAGE_SIZES);
    const whole = complete.get(pageSize) ?? '';
    const hadFile = world.random() < 0.5;
    if (hadFile) disk.put(FILE, OLD);
    const args = [
      ...query(pageSize),
      ...(world.random() < 0.5 ? ['--concurrency', world.pick(['1', '2', '3'])] : []),
    ];
    for (let count = 0; ; count += 1) {
      stage.must(count < MOST_COMMANDS, 'the export never ends');
      const isResumed = disk.text(`${FILE}.part.json`) !== undefined && world.random() < 0.5;
      const run = stage.start(isResumed ? [...args, '--resume'] : args);
      const other = world.random() < 0.2 ? stage.start(args) : undefined;
      await stage.until(() => run.process.isDead && other?.process.isDead !== false);
      const codes = [run.code, other?.code];
      checkFile(stage, whole, hadFile);
      stage.must(!codes.includes(1), `gatectl itself failed: ${run.stderr()}${other?.stderr() ?? ''}`);
      if (codes.includes(0)) break;
    }
    machine.cutPower();
    stage.must(disk.text(FILE) === whole, 'the file is lost although the export was complete');
  },
};

/** The file is the old one or the complete new one, and the checkpoint tells of rows that are there. */
function checkFile({ disk, must }: Stage, whole: string, hadFile: boolean): void {
  const text = disk.text(FILE);
  must(
    text === whole || text === (hadFile ? OLD : undefined),
    `the file is neither old nor new: ${text?.length}`,
  );
  const stored = disk.text(`${FILE}.part.json`);
  const rows = disk.text(`${FILE}.part`);
  if (stored === undefined || rows === undefined) return;
  const { progress } = JSON.parse(stored) as {
    readonly progress: { readonly written: { readonly sinkBytes: number } };
  };
  const { sinkBytes } = progress.written;
  must(rows.length >= sinkBytes, `the checkpoint tells of ${sinkBytes} bytes, ${rows.length} are there`);
  must(
    rows.slice(0, sinkBytes) === whole.slice(0, sinkBytes),
    'the rows of the checkpoint are not those of the file',
  );
}
