import { statfs } from './disk.ts';

/**
 * `f_type` of file systems that only one kernel at a time can mount for writing. Any other (NFS, SMB, FUSE, 9p, virtiofs, Ceph)
 * may be in use by another machine.
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

/** Whether no other machine can use the file system of a folder; false when unknown. */
export async function isLocalFilesystem(folder: string, platform: NodeJS.Platform): Promise<boolean> {
  const types = LOCAL_TYPES[platform];
  if (types === undefined) return false;
  try {
    return types.has((await statfs(folder)).type);
  } catch {
    return false;
  }
}
