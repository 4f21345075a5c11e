/*
 * The ledger of a lake, and how units of two plans replace a partition: src/sync/unit-guard.ts, run-unit.ts, destinations/lake/lake.ts
 * and ledger-file.ts.
 *
 * One partition of one site. A first plan, a later one with another query or with one more day, and with PLANS 3 a third one like the
 * second, are carried out in any order, and again at the end, while the gateway restates. Workers may be killed before any step, the disk
 * may be full for FULLS lines, and the power may fail POWER times. One step each:
 *
 *   begin   the ledger as `unitsLeft` reads it: the lock of the site (lock.pml) is held from here to the end
 *   fetch   the rows as the gateway has them then, and the time of the entry
 *   line 1  the line `replacing` with what the entry said, also where a process wrote it that was killed, since the power may undo it until
 *           it is flushed, in a step of its own; a line that was cut counts for nothing, and the next write rewrites the file
 *   put     the rename of the file of the partition; until its folder is flushed, the power may undo it
 *   line 2  the line of the entry, flushed likewise
 *   other   the write of another partition in the same process, which rewrites a ledger that is not clean
 *
 * Not in here: column types, history, buckets (their ledger is written after several files, and ETags show what it lacks).
 *
 * Faults: NO_MARK (no line before the file), NO_FLUSH (lines that the power may undo), NO_RENEWAL (the line of a process that was killed is
 * not written again), SET_FIRST (the entry before the file), NO_GUARD (a unit of the first plan is not compared), KEEP_MARKED (a rewrite
 * keeps the entry of a marked partition), EMPTY_MARK (the line does not say what it replaces; takes PLANS 3).
 */
#define NONE 0
#ifndef PLANS
#define PLANS 2
#define RESTATEMENTS 2
#define KILLS 2
#define FULLS 1
#define POWER 1
#endif

/* A content: its query (1, 2), days (1, 2) and version at the gateway. */
#define CONTENT(query, days, version) (1 + (version) + 8 * (query) + 32 * (days))
#define QUERY(content) ((((content) - 1) / 8) % 4)
#define DAYS(content) (((content) - 1) / 32)
#define VERSION(content) (((content) - 1) % 8)

byte entry, at, entryPlan;   /* what the ledger on the disk says: a content, when it was fetched, by which plan */
bool isTorn;                 /* its last line is cut */
byte file, undone;           /* the file; what the power would put back */
bool isFlushed = true;
byte marked, markedAt;       /* what the entry said whose file is being replaced */
byte before, beforeAt, beforePlan, beforeMarked, beforeMarkedAt; /* all of these as they were flushed last */
byte gateway, clock, kills, lock, boots, laterQuery, fulls;

inline mayEnd() {
  if
  :: boots == born && kills < KILLS -> kills++; printf("@ %d ends\n", plan); lock = (lock == plan -> 0 : lock); goto ended
  :: boots != born -> goto ended
  :: boots == born
#ifdef HISTORY
  :: boots == born :: boots == born :: boots == born :: boots == born :: boots == born
#endif
  fi
}

/* The work of a process ends, and its lock with it, unless the power failed before. */
#define ENDS(words) atomic { if :: boots == born -> printf(words, plan); lock = 0 :: else fi }

/* What a reader of the ledger relies on. */
#define MATCHES (entry == NONE || entry == file)

inline flush() { before = entry; beforeAt = at; beforePlan = entryPlan; beforeMarked = marked; beforeMarkedAt = markedAt }

/* A line of the ledger: a cut one leaves it torn, and a torn ledger is rewritten first. */
inline line(what, content) {
  atomic { mayEnd();
    if
    :: fulls < FULLS && !isFull -> fulls++; printf("@ %d full %d\n", plan, what); isTorn = true; isFull = true
    :: true ->
       printf("@ %d line %d\n", plan, what);
       isTorn = false;
#ifndef EMPTY_MARK
       if
       :: content == NONE && entry != NONE -> marked = entry; markedAt = at
       :: content == NONE && entry == NONE -> skip
       :: else -> marked = NONE; markedAt = 0
       fi;
#endif
       entry = content;
       if :: content != NONE -> at = stamp; assert(entryPlan <= plan); entryPlan = plan :: else fi;
#ifdef HISTORY
       flush()
#else
       skip
#endif
    fi
  }
#ifndef HISTORY
#ifndef NO_FLUSH
  if :: !isFull -> atomic { mayEnd(); flush() } :: else fi
#endif
#endif
}

/* A worker with the unit of a plan: its query, its days, the query that it found, and when it was made. */
proctype Worker(byte plan; byte query; byte days; byte found; byte planned) {
  byte born = boots, known, content, stamp; bool isFull;
  atomic { lock == 0 || boots != born -> mayEnd(); lock = plan; known = entry;
    printf("@ %d begin %d\n", plan, known); assert(MATCHES) }
#ifdef NO_GUARD
  if :: plan == 1 -> goto fetch :: else fi;
#endif
  if
  :: known == NONE && marked != NONE && QUERY(marked) != query && !(found == QUERY(marked) && markedAt <= planned) ->
     ENDS("@ %d superseded\n"); goto ended
  :: known == NONE && marked != NONE && QUERY(marked) == query && DAYS(marked) > days ->
     ENDS("@ %d written\n"); goto ended
  :: known != NONE && QUERY(known) != query && !(found == QUERY(known) && at <= planned) ->
     ENDS("@ %d superseded\n"); goto ended
  :: known != NONE && QUERY(known) == query && (DAYS(known) > days || (DAYS(known) == days && at >= planned)) ->
     ENDS("@ %d written\n"); goto ended
  :: else
  fi;
fetch:
  atomic { mayEnd(); content = CONTENT(query, days, gateway); clock++; stamp = clock; printf("@ %d fetch %d\n", plan, gateway) }
  if
  :: known == content && file == content -> goto set
  :: else
  fi;
#ifdef SET_FIRST
  line(2, content); if :: isFull -> goto failed :: else fi;
#endif
#ifndef NO_MARK
  if
  :: known != NONE -> line(1, NONE)
#ifndef NO_RENEWAL
  :: known == NONE && marked != NONE -> line(1, NONE)
#endif
  :: else
  fi;
  if :: isFull -> goto failed :: else fi;
#endif
  atomic { mayEnd(); printf("@ %d put\n", plan); undone = file; file = content; isFlushed = false }
  atomic { mayEnd(); printf("@ %d flush\n", plan); isFlushed = true }
set:
  line(2, content);
  if :: !isFull -> ENDS("@ %d end\n"); goto ended :: else fi;
failed:
  /* The process goes on with another partition, which rewrites the ledger from what it knows. */
  atomic { mayEnd(); printf("@ %d other\n", plan); isTorn = false;
#ifdef KEEP_MARKED
    if :: entry == NONE && known != NONE -> entry = known :: else fi;
#endif
    flush(); lock = 0 }
ended:
  skip
}

proctype Restate() { do :: gateway < RESTATEMENTS -> gateway++ :: break od }

proctype Power() {
#ifdef HISTORY
  clock > 3 || timeout;
#endif
  atomic {
    boots++; lock = 0;
    if :: !isFlushed -> file = undone :: true fi; isFlushed = true;
    if
    :: entry != before || marked != beforeMarked ->
       entry = before; at = beforeAt; entryPlan = beforePlan; marked = beforeMarked; markedAt = beforeMarkedAt
    :: true
    fi;
    printf("@ power %d\n", file)
  }
}

init {
  byte found1, found2, found3, planned1, planned2, planned3;
  /* What an earlier run left: nothing, or rows of one of the queries. */
  if
  :: true
  :: entry = CONTENT(1, 1, 0); file = entry; clock = 1; at = 1
  :: entry = CONTENT(3, 1, 0); file = entry; clock = 1; at = 1
  fi;
  flush(); printf("@ 0 has %d\n", entry);
  if :: laterQuery = 1 :: laterQuery = 2 fi;
  atomic { clock++; planned1 = clock; found1 = (entry == NONE -> 0 : QUERY(entry));
    printf("@ 1 plan 1 1\n");
    run Worker(1, 1, 1, found1, planned1);
    run Restate(); if :: POWER > 0 -> run Power() :: else fi }
  /* The second plan is made at any time. */
  atomic { assert(MATCHES); clock++; planned2 = clock; found2 = (entry == NONE -> 0 : QUERY(entry));
    printf("@ 2 plan %d 2\n", laterQuery);
    run Worker(2, laterQuery, 2, found2, planned2) }
  if
  :: PLANS > 2 -> atomic { clock++; planned3 = clock; found3 = (entry == NONE -> 0 : QUERY(entry));
       printf("@ 3 plan %d 2\n", laterQuery);
       run Worker(3, laterQuery, 2, found3, planned3) }
  :: else
  fi;
  _nr_pr == 1;
  /* Units that were killed or that failed are taken by other workers, with the same plans, then a last plan is carried out. */
  kills = KILLS; fulls = FULLS;
  run Worker(2, laterQuery, 2, found2, planned2); _nr_pr == 1;
  run Worker(1, 1, 1, found1, planned1); _nr_pr == 1;
  if :: PLANS > 2 -> run Worker(3, laterQuery, 2, found3, planned3); _nr_pr == 1 :: else fi;
  clock++; printf("@ 4 plan %d 2\n", laterQuery);
  run Worker(4, laterQuery, 2, (entry == NONE -> 0 : QUERY(entry)), clock); _nr_pr == 1;
  assert(MATCHES && QUERY(entry) == laterQuery && DAYS(entry) == 2 && VERSION(entry) == gateway)
}
