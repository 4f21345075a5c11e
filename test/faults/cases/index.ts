import type { FaultGroup } from '../fault-case.ts';
import { ahead } from './ahead.ts';
import { passing, refusals, unusableAnswers } from './answers.ts';
import { compressed } from './compressed.ts';
import { brokenConnections, slowness, wrongHttp } from './connections.ts';
import { embedded } from './embedded.ts';
import { exports } from './exports.ts';
import { files } from './files.ts';
import { floods } from './floods.ts';
import { input } from './input.ts';
import { network } from './network.ts';
import { signals } from './signals.ts';
import { state } from './state.ts';

/** The fault table, in the order of the page. */
export const faultGroups: readonly FaultGroup[] = [
  input,
  network,
  refusals,
  passing,
  unusableAnswers,
  compressed,
  brokenConnections,
  wrongHttp,
  slowness,
  floods,
  exports,
  ahead,
  files,
  signals,
  state,
  embedded,
];
