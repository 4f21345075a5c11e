/*
 * Units in a queue, and workers that carry them out: src/sync/engine/unit-worker.ts, unit-runner.ts, lasting-worker.ts and unit-queue.ts,
 * with BullMQ as they use it.
 *
 * A site has two partitions. One unit is of both, and its response has rows of the first only: its worker adds a unit for the rest. WORKERS
 * workers take units, fail, are suspended, lose their lock in the queue (STALLS times) or are killed; the queue may be emptied FLUSHES
 * times, and the gateway restates. One step each:
 *
 *   pick      moveToActive: the first waiting unit, with a lock of the queue
 *   stall     the queue's check for units whose worker was silent for too long: they wait again, whatever that worker does
 *   site      the lock of the site (lock.pml), which the kernel releases; another worker with a unit of the site waits
 *   guard     unitsLeft: what was written since the plan is not requested again
 *   fetch     the rows as the gateway has them then
 *   write     the partition and its entry (ledger.pml)
 *   add       addBulk: a unit that the queue has already remains as it is
 *   finish    moveToFinished, which the queue refuses of a worker without its lock
 *
 * Not in here: groups, rates and pauses, priorities, several sites.
 *
 * Faults: NO_SITE (no lock of the site), DONE_FIRST (finished before it is written), REST_LAST (the rest is added after the end).
 */
#ifndef WORKERS
#define WORKERS 2
#define KILLS 1
#define FLUSHES 1
#define STALLS 2
#define RESTATEMENTS 1
#endif
#define TRIES 2
#define UNITS 2
#define NOBODY 9
#define DEAD 8

mtype = { absent, waiting, taken, failed };
mtype unit[UNITS] = absent;          /* in the queue: that of both partitions, and that of the rest */
byte token[UNITS] = NOBODY;          /* whose lock the queue accepts */
byte failures[UNITS];
byte written[UNITS];                 /* by partition: 0, or 1 + the version of the gateway */
bool wasFlushed;                     /* the queue was emptied */
byte site = NOBODY, gateway, kills, flushes, stalls;

#define DONE (unit[0] != waiting && unit[0] != taken && unit[1] != waiting && unit[1] != taken)

/* What holds a unit when a worker is killed is found by `stall`. */
inline mayEnd() {
  if
  :: kills < KILLS -> kills++; printf("@ %d ends\n", me);
     site = (site == me -> NOBODY : site);
     token[0] = (token[0] == me -> DEAD : token[0]); token[1] = (token[1] == me -> DEAD : token[1]);
     goto begin
  :: true
  fi
}

inline finish(which) {
  atomic {
    printf("@ %d finish %d %d\n", me, which, token[which] == me);
    if :: token[which] == me && unit[which] == taken -> unit[which] = absent; token[which] = NOBODY :: else fi
  }
}

inline add(which) {
  atomic { printf("@ %d add %d %d\n", me, which, unit[which] == absent);
    if :: unit[which] == absent -> unit[which] = waiting; failures[which] = 0 :: else fi }
}

/* A worker, and after it was killed the next one in its place. */
proctype Worker(byte me) {
  byte which, version, part;
begin:
  which = 0; version = 0; part = 0;
  do
  :: DONE -> goto ended
  :: atomic { unit[0] == waiting -> which = 0; unit[0] = taken; token[0] = me; printf("@ %d pick 0\n", me) } break
  :: atomic { unit[1] == waiting -> which = 1; unit[1] = taken; token[1] = me; printf("@ %d pick 1\n", me) } break
  od;
#ifndef NO_SITE
  atomic { site == NOBODY -> mayEnd(); site = me; printf("@ %d site %d\n", me, which) }
#else
  mayEnd();
#endif
#ifdef DONE_FIRST
  finish(which);
#endif
  /* What was written since the plan is not requested again. */
  part = (!written[0] && which == 0 -> 0 : 1);
  atomic { printf("@ %d guard %d %d\n", me, which, (written[part] -> 9 : part)); if :: written[part] -> part = 9; goto rest :: else fi }
  atomic { mayEnd(); version = 1 + gateway; printf("@ %d fetch %d\n", me, gateway) }
  /* The gateway fails, or the lock of the queue is known to be lost before the write: both give the unit back. */
  if
  :: atomic { printf("@ %d fail %d\n", me, which); site = (site == me -> NOBODY : site);
       if
       :: token[which] == me && unit[which] == taken ->
          token[which] = NOBODY;
          failures[which]++;
          unit[which] = (failures[which] >= TRIES -> failed : waiting)
       :: else
       fi }
     goto begin
  :: true
  fi;
  atomic { mayEnd(); printf("@ %d write %d\n", me, part);
    /* Rows of an earlier time never replace later ones. */
    assert(version >= written[part]);
    written[part] = version }
rest:
#ifdef REST_LAST
  mayEnd();
  finish(which);
  mayEnd();
  if :: part == 0 -> add(1) :: else fi;
#else
  mayEnd();
  if :: part == 0 -> add(1) :: else fi;
#endif
  atomic { site = (site == me -> NOBODY : site); printf("@ %d leave %d\n", me, which) }
  mayEnd();
  finish(which);
  goto begin;
ended:
  skip
}

/* The server of the queue. A unit that a killed worker had is found as often as that takes. */
proctype Server() {
  do
  :: atomic { unit[0] == taken && (token[0] == DEAD || stalls < STALLS) ->
       stalls = stalls + (token[0] != DEAD); unit[0] = waiting; token[0] = NOBODY; printf("@ stall 0\n") }
  :: atomic { unit[1] == taken && (token[1] == DEAD || stalls < STALLS) ->
       stalls = stalls + (token[1] != DEAD); unit[1] = waiting; token[1] = NOBODY; printf("@ stall 1\n") }
  :: atomic { flushes < FLUSHES -> flushes++; wasFlushed = true; printf("@ flush\n");
       unit[0] = absent; unit[1] = absent; token[0] = NOBODY; token[1] = NOBODY }
  :: gateway < RESTATEMENTS -> gateway++
  :: _nr_pr == 2 -> break
  od
}

init {
  atomic {
    unit[0] = waiting;
    run Server();
    byte each; for (each : 1 .. WORKERS) { run Worker(each) }
  }
  _nr_pr == 1;
  /* Every partition was written, or a unit of it was set aside, or the queue was emptied: `bda sync run` plans it again. */
  assert(wasFlushed || written[0] || unit[0] == failed);
  assert(wasFlushed || written[1] || unit[0] == failed || unit[1] == failed)
}
