/*
 * The journal of a purge and how it is resumed: src/apis/cdn/journal.ts, src/operations/purge/purge.ts and journal-folders.ts.
 *
 * One list of BATCHES batches. Its process writes the list (`urls`), then `head`, then sends batch after batch and adds a line to `done`
 * for each that was cleared. It may be killed before any step; the power may fail POWER times, and what was not flushed may be lost then. Two
 * processes resume what was interrupted, at any time; a third one has purged the same list itself, and removes the journal. One step each:
 *
 *   list    UrlListWriter: the file may lose what was not flushed
 *   seal    writeAtomic of head: flushed, and there by one rename
 *   send    the gateway clears the batch; a kill may come before the answer
 *   answer  the line in `done`: one write, with a checksum, so that part of it counts for nothing. It is not flushed
 *   look    unfinished and remaining, before the lock: what they find may be gone afterwards
 *   lock    the lock of the journal, proven in lock.pml
 *   gone    the rename of the folder to a name that no process looks for
 *
 * Not in here: keys after the lines, stages, damage that the disk does.
 *
 * Faults: NO_FSYNC (head before the list is flushed), LINE_FIRST (the line before the answer), REMOVE_IN_PLACE (the files are removed one
 * by one), REMOVE_UNLOCKED (the third process removes without the lock), NO_LOOK (a resumed journal is not looked for under its lock).
 */
#ifndef BATCHES
#define BATCHES 2
#define KILLS 2
#define POWER 1
#endif
#define NOBODY 9
#define OTHER 3

bool urls, head, isListed;        /* what a reader finds; isListed: the list is flushed */
bool done[BATCHES];               /* lines that a reader finds */
bool cleared[BATCHES];            /* what the gateway has cleared */
bool wasAllConfirmed, isSealed;
byte lock = NOBODY, kills, boots; /* boots: how often the power has failed */

/* Before a step that others see, the process may be killed, and the kernel releases its lock. */
inline mayEnd() {
  if
  :: boots == born && kills < KILLS -> kills++; printf("@ %d ends\n", me);
     if :: lock == me -> lock = NOBODY :: else fi;
     goto ended
  :: boots != born -> goto ended
  :: boots == born
#ifdef HISTORY
  :: boots == born :: boots == born :: boots == born :: boots == born :: boots == born
#endif
  fi
}

/* In a history, what others do to a journal comes after its head. */
#ifdef HISTORY
#define LATER ((isSealed && lock == NOBODY) || timeout)
#else
#define LATER true
#endif

#define CONFIRMED (done[0] && done[BATCHES - 1])
#define CLEARED (cleared[0] && cleared[BATCHES - 1])

/* Whoever reads a journal with a head finds its list, and no line of a batch that was not cleared. */
inline read() {
  atomic { mayEnd();
    printf("@ %d read %d %d\n", me, done[0], done[BATCHES - 1]);
    assert(urls);
    batch = 0;
    do :: batch < BATCHES -> assert(!done[batch] || cleared[batch]); left[batch] = !done[batch]; batch++ :: else -> break od;
    batch = 0
  }
}

inline purgeAll() {
  batch = 0;
  do
  :: batch == BATCHES -> break
  :: batch < BATCHES && !left[batch] -> batch++
  :: batch < BATCHES && left[batch] ->
#ifdef LINE_FIRST
     atomic { mayEnd(); done[batch] = true }
#endif
     /* A purge that was confirmed to its end is not begun again. */
     atomic { mayEnd(); assert(!wasAllConfirmed || boots > 0); printf("@ %d send %d\n", me, batch); cleared[batch] = true }
     atomic { mayEnd(); printf("@ %d answer %d\n", me, batch); done[batch] = true; wasAllConfirmed = CONFIRMED; batch++ }
  od
}

inline removeJournal() {
#ifdef REMOVE_IN_PLACE
  gone = 0;
  do
  :: gone == 3 -> break
  :: !(gone & 1) -> atomic { mayEnd(); head = false; gone = gone | 1 }
  :: !(gone & 2) -> atomic { mayEnd(); urls = false; gone = gone | 2 }
  :: atomic { mayEnd(); done[0] = false; done[BATCHES - 1] = false }
  od;
#endif
  atomic { mayEnd(); printf("@ %d gone\n", me); assert(CLEARED);
    urls = false; head = false; done[0] = false; done[BATCHES - 1] = false }
}

/* The process of the list. */
proctype Purge() {
  byte me = 0, born = boots, batch = 0, gone = 0; bool left[BATCHES] = true;
  atomic { mayEnd(); lock = me; printf("@ %d list\n", me); urls = true }
#ifndef NO_FSYNC
  atomic { mayEnd(); printf("@ %d flush\n", me); isListed = true }
#endif
  atomic { mayEnd(); printf("@ %d seal\n", me); head = true; isSealed = true }
  purgeAll();
  removeJournal();
  atomic { mayEnd(); printf("@ %d unlock\n", me); lock = NOBODY }
ended:
  skip
}

proctype Resume(byte me) {
  byte born = boots, batch = 0, gone = 0; bool left[BATCHES] = false;
  /* Without a journal there is nothing to resume. */
  LATER;
  atomic { mayEnd(); printf("@ %d look %d\n", me, head && lock == NOBODY); if :: head && lock == NOBODY :: else -> goto ended fi }
#ifdef HISTORY
  me != 2 || lock == NOBODY || timeout;
#endif
  atomic { mayEnd(); printf("@ %d lock %d\n", me, lock == NOBODY); if :: lock == NOBODY -> lock = me :: else -> goto ended fi }
#ifndef NO_LOOK
  atomic { mayEnd(); printf("@ %d there %d\n", me, head); if :: !head -> lock = NOBODY; goto ended :: else fi }
#endif
  read();
  purgeAll();
  removeJournal();
  atomic { mayEnd(); printf("@ %d unlock\n", me); lock = NOBODY }
ended:
  skip
}

/* It has purged the same list to its end, with a journal of its own. */
proctype Redo(byte me) {
  byte born = boots, gone = 0;
  LATER;
  atomic { mayEnd(); printf("@ %d look %d\n", me, head && lock == NOBODY); if :: head && lock == NOBODY :: else -> goto ended fi }
  cleared[0] = true; cleared[BATCHES - 1] = true;
#ifndef REMOVE_UNLOCKED
  atomic { mayEnd(); printf("@ %d lock %d\n", me, lock == NOBODY); if :: lock == NOBODY -> lock = me :: else -> goto ended fi }
#endif
  removeJournal();
  atomic { mayEnd(); printf("@ %d unlock\n", me); if :: lock == me -> lock = NOBODY :: else fi }
ended:
  skip
}

/* Of what was not flushed, anything may be lost. */
proctype Power() {
#ifdef HISTORY
  done[0] || timeout;
#endif
  atomic {
    boots++; lock = NOBODY; printf("@ power");
    if :: !isListed && urls -> urls = false; printf(" urls") :: true fi;
    if :: done[0] -> done[0] = false; printf(" 0") :: true fi;
    if :: done[BATCHES - 1] -> done[BATCHES - 1] = false; printf(" %d", BATCHES - 1) :: true fi;
    printf("\n")
  }
}

init {
  atomic { run Purge(); run Resume(1); run Resume(2); run Redo(OTHER); if :: POWER > 0 -> run Power() :: else fi }
  _nr_pr == 1;
  /* What is left is resumed in the end. */
  kills = KILLS; run Resume(4);
  _nr_pr == 1;
  assert(!head && (!isSealed || CLEARED))
}
