import { tmpdir } from 'node:os';
import { PrivateFolder } from '../../files/private-folder.ts';

/** A private folder for files on their way to a destination elsewhere: in the system's folder for temporary files. */
export class StagingFolder extends PrivateFolder {
  constructor() {
    super(tmpdir(), 'gatectl-sync-');
  }
}
