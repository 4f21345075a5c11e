import { statfs } from 'node:fs/promises';

/**
 * `f_type` of file systems that one kernel at a time can have mounted for writing. Shared and remote ones (NFS, SMB, FUSE, 9p,
 * virtiofs, Ceph) are missing on purpose: whatever is not listed may be in use by another machine.
 */
const LOCAL_TYPES: Readonly<Partial<Record<NodeJS.Platform, ReadonlySet<number>>>> = {
  linux: new Set([
    0xef53, // ext2, ext3, ext4
    0x58465342, // xfs
    0x9123683e, // btrfs
    0x2fc12fc1, // zfs
    0xf2f52010, // f2fs
    0xca451a4e, // bcachefs
    0x01021994, // tmpfs
    0x858458f6, // ramfs
    0x794c7630, // overlayfs
  ]),
  darwin: new Set([
    0x1a, // apfs
    0x11, // hfs
  ]),
};

/** Whether only this machine can be using the file system of a folder. False when that is unknown. */
export async function isLocalFilesystem(folder: string, platform: NodeJS.Platform): Promise<boolean> {
  const types = LOCAL_TYPES[platform];
  if (types === undefined) return false;
  try {
    return types.has((await statfs(folder)).type);
  } catch {
    return false;
  }
}
