/*
 * The lock of a file and its takeover: src/files/lock.ts, lock-entry.ts and liveness-socket.ts.
 *
 * A lock is a folder with the id of its holder; so is its claim, which a process needs to remove it. Here at[LOCK] is the id in the
 * lock (0: free), and at[id] the id in the claim of the lock, or of the claim, with that id. A suspended process is one whose next
 * step comes late: the kernel still accepts on its socket. One step each, because the system makes it one:
 *
 *   read    readLockEntry: what is in a folder never changes, and a folder comes and goes by one rename
 *   alive   isHolderRunning: the kernel closes the socket when a process ends; a process id that was given to another process is
 *           told apart by its start time
 *   take    the rename of a prepared folder to a name, which fails where that has one
 *   remove  the rename of a folder to a temporary name: it moves whatever is there now, not what was read before
 *
 * Not in here: removeLeftovers, which removes what ended processes left by the same steps; a disk too full for a claim.
 * PROCESSES want the lock, once each; UNLOCKER is `gatectl unlock --force`, with UNLOCKS 1. Up to CRASHES of them end at any step.
 *
 * Faults: NO_CLAIM (the lock is removed without a claim), NO_RELEASE_CLAIM (its holder removes it without one),
 * NO_READ_AGAIN (it is removed as it was read before the claim), PID_ONLY (a process id that another process has got passes for running).
 */
#ifndef PROCESSES
#define PROCESSES 3
#define CRASHES 1
#define UNLOCKS 1
#endif
#define UNLOCKER 3
#define LOCK 0
/* The ids of a process: what it takes at a depth (0: the lock, 1: its claim, 2: the claim of a claim). A new one replaces the last. */
#define ID(who, depth) (1 + (who) * 6 + (depth) * 2 + turn[depth])
#define OWNER(id) (((id) - 1) / 6)

byte at[25];          /* by path: LOCK, or the id whose claim it is */
bool dead[4];
bool isForced[4];     /* its lock was removed by the unlocker */
bool isInside[4];
byte crashes;

#ifdef PID_ONLY
#define ALIVE(id) true
#else
#define ALIVE(id) (!dead[OWNER(id)])
#endif

/* Processes that rely on the lock. */
#define HOLDS(who) (isInside[who] && !dead[who] && !isForced[who])
#define HOLDERS (HOLDS(0) + HOLDS(1) + HOLDS(2))

/* Before a step that others see, the process may end. */
inline mayEnd() {
  if
  :: crashes < CRASHES -> crashes++; dead[me] = true; printf("@ %d ends\n", me);
     goto ended
  :: true
  fi
}

inline read(path, into) {
  atomic { into = at[path]; printf("@ %d read %d %d\n", me, path, into) }
}

inline alive(id, into) {
  atomic { into = ALIVE(id); printf("@ %d alive %d\n", me, into) }
}

inline take(path, depth, ok) {
  atomic { mayEnd();
    ok = at[path] == 0;
    if :: ok -> turn[depth] = 1 - turn[depth]; at[path] = ID(me, depth) :: else fi;
    printf("@ %d take %d %d\n", me, path, at[path] * ok)
  }
}

/* What it removes must be what it read: another lock may have a holder. */
inline remove(path, expected) {
  atomic { mayEnd();
    printf("@ %d remove %d %d\n", me, path, at[path]);
    assert(at[path] == expected);
    if :: me == UNLOCKER && path == LOCK && expected != 0 -> isForced[OWNER(expected)] = true :: else fi;
    at[path] = 0
  }
}

/* removeClaimed and tryClaim. `ok`: whether the lock with this id is gone. A claim whose process ended is removed under its own. */
inline removeClaimed(path, id, ok) {
#ifdef NO_CLAIM
  remove(path, id); ok = true;
#else
  read(id, claim);
  ok = true;
  if :: claim != 0 -> alive(claim, isAlive) :: else fi;
  if
  :: claim != 0 && isAlive -> ok = false
  :: claim != 0 && !isAlive ->
     read(claim, second);
     if :: second != 0 -> alive(second, isAlive) :: else fi;
     if
     :: second != 0 && isAlive -> ok = false
     :: second != 0 && !isAlive -> printf("@ %d ends\n", me); goto ended    /* the next depth is like this one */
     :: else ->
        take(claim, 2, ok);
        if
        :: ok ->
           read(id, seen);
           if :: seen == claim -> remove(id, claim) :: else fi;
           read(claim, seen); remove(claim, ID(me, 2))
        :: else
        fi
     fi
  :: else
  fi;
  if :: ok -> take(id, 1, ok) :: else fi;
  if
  :: ok ->
#ifdef NO_READ_AGAIN
     seen = id;
#else
     read(path, seen);
#endif
     if :: seen == id -> remove(path, id) :: else fi;
     read(id, seen); remove(id, ID(me, 1))
  :: else
  fi;
  claim = 0; second = 0; seen = 0; isAlive = false
#endif
}

active proctype Unlocker() {
  byte me = UNLOCKER, entry, claim, second, seen; byte turn[3]; bool ok, isAlive;
  if :: UNLOCKS == 0 -> goto ended :: else fi;
  read(LOCK, entry);
  if :: entry != 0 -> alive(entry, isAlive); removeClaimed(LOCK, entry, ok) :: else fi;
ended:
  dead[me] = true
}

proctype Process(byte me) {
  byte entry, claim, second, seen; byte turn[3]; bool ok, isAlive;
again:
  read(LOCK, entry);
  if :: entry != 0 -> alive(entry, isAlive) :: else fi;
  if
  :: entry == 0 ->
     take(LOCK, 0, ok);
     if :: !ok -> goto again :: else fi
  :: entry != 0 && isAlive ->
     /* It waits until something has changed, instead of looking every 20 ms. */
     atomic { at[LOCK] != entry || !ALIVE(entry) -> printf("@ %d wait\n", me) }
     goto again
  :: else ->
     removeClaimed(LOCK, entry, ok);
     if :: !ok -> atomic { at[entry] == 0 || !ALIVE(at[entry]) -> printf("@ %d wait\n", me) } :: else fi;
     goto again
  fi;
  atomic { isInside[me] = true; printf("@ %d enter\n", me); assert(HOLDERS <= 1) }
  atomic { mayEnd(); isInside[me] = false; printf("@ %d leave\n", me) }
  entry = ID(me, 0);
#ifdef NO_RELEASE_CLAIM
  read(LOCK, seen);
  if :: seen == entry -> remove(LOCK, entry) :: else fi;
#else
release:
  removeClaimed(LOCK, entry, ok);
  if :: !ok -> atomic { at[entry] == 0 || !ALIVE(at[entry]) -> printf("@ %d wait\n", me) } goto release :: else fi;
#endif
ended:
  dead[me] = true
}

init { atomic { byte each; for (each : 0 .. PROCESSES - 1) { run Process(each) } } }
