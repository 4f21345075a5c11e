import { runProcess } from './process.js';

/**
 * Runs the cases in turn, round by round, so that whatever else the machine does falls on all alike. A case with `rounds` sits out
 * once it has as many. One unmeasured round goes first. Resolves to the runs of each case by name, with `undefined` for a round that
 * it sat out.
 */
export async function interleaved(cases, { rounds, watch = true, warmUp = true, onRound = () => {} }) {
  const runs = new Map(cases.map(({ name }) => [name, []]));
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    // A case that takes long is not worth a warm-up.
    const turn = cases.filter(
      each => round < (each.rounds ?? rounds) && (round >= 0 || each.rounds === undefined),
    );
    for (const each of turn) {
      each.before?.();
      const run = await runProcess(each, { watch });
      if (round >= 0) runs.get(each.name)[round] = run;
    }
    onRound(round + 1);
  }
  // A start is over before its memory is looked at: it is looked at more often in a run that is not timed.
  if (!watch) {
    for (const each of cases) {
      const { megabytes } = await runProcess(each, { every: 1 });
      for (const run of runs.get(each.name)) run.megabytes = megabytes;
    }
  }
  return runs;
}

/** What the runs of a part come to: for each case its seconds, its memory, and what it takes of each of its bars. */
export function summary(cases, runs) {
  return cases.map(({ name, bars = [], most }) => {
    const own = runs.get(name);
    const measured = own.filter(run => run !== undefined);
    return {
      name,
      seconds: spread(measured.map(run => run.seconds)),
      megabytes: Math.max(...measured.map(run => run.megabytes ?? Number.NaN)),
      ...(most !== undefined && { most }),
      bars: bars.map(bar => ({ ...bar, ratio: spread(ratios(own, bar, runs)) })),
    };
  });
}

/** Round by round: both sides saw the same machine. */
function ratios(own, { of, seconds }, runs) {
  const base = round => seconds ?? runs.get(of)?.[round]?.seconds;
  return own.flatMap((run, round) =>
    run === undefined || base(round) === undefined ? [] : [run.seconds / base(round)],
  );
}

/** The median and the quartiles around it. */
export function spread(numbers) {
  const sorted = [...numbers].sort((one, other) => one - other);
  const at = part => {
    const place = part * (sorted.length - 1);
    const below = sorted[Math.floor(place)];
    return below + (sorted[Math.ceil(place)] - below) * (place % 1);
  };
  return { median: at(0.5), low: at(0.25), high: at(0.75), runs: sorted.length };
}
