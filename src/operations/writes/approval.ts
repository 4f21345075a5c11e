import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { FileError } from '../../errors/index.ts';
import { readFile } from '../../files/disk.ts';
import { fileError, systemCode } from '../../files/file-error.ts';
import { writeOnce } from '../../files/machine-key.ts';
import { isRecord } from '../../json/index.ts';

/** `ed25519:` and 32 bytes in base64. */
const PUBLIC_KEY = /^ed25519:[A-Za-z0-9+/]{43}=$/;
/** What stands before the 32 bytes of a public key in DER (RFC 8410). */
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** A signature of a plan. */
export interface Approval {
  /** The public key, `ed25519:…`. */
  readonly key: string;
  /** RFC 3339. */
  readonly at: string;
  /** Of the hash of the plan and of `at`, in base64. */
  readonly signature: string;
}

/** The text of a public key, if it is one. */
export function publicKeyOf(text: string): string | undefined {
  // Other last digits of base64 could spell the same key.
  const spelt = `ed25519:${Buffer.from(text.slice('ed25519:'.length), 'base64').toString('base64')}`;
  return PUBLIC_KEY.test(text) && spelt === text ? text : undefined;
}

/** The private key in a file, and the public one. Undefined without the file. Throws FileError. */
export async function readApprovalKey(path: string): Promise<{ secret: KeyObject; key: string } | undefined> {
  const text = await readFile(path, 'utf8').catch(error => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw fileError(path, error, 'read');
  });
  if (text === undefined) return undefined;
  try {
    const secret = createPrivateKey(text);
    if (secret.asymmetricKeyType === 'ed25519') return { secret, key: shownKey(createPublicKey(secret)) };
  } catch {}
  throw new FileError(`${path} is not an Ed25519 key`, { path, code: 'invalid_file' });
}

/** The public key in a file, which is made unless there is one. Throws FileError. */
export async function approvalKey(path: string): Promise<{ key: string; isNew: boolean }> {
  const known = await readApprovalKey(path);
  if (known !== undefined) return { key: known.key, isNew: false };
  const { privateKey } = generateKeyPairSync('ed25519');
  await writeOnce(path, privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
  const made = await readApprovalKey(path);
  if (made === undefined) throw new FileError(`cannot create ${path}`, { path });
  return { key: made.key, isNew: true };
}

/** Signs the hash of a plan. */
export function approve(
  hash: string,
  { secret, key }: { secret: KeyObject; key: string },
  at: string,
): Approval {
  return { key, at, signature: sign(null, signedText(hash, at), secret).toString('base64') };
}

/** Whether it is an approval of this hash by its key. */
export function isApproval(value: unknown, hash: string): value is Approval {
  if (!isRecord(value)) return false;
  const { key, at, signature } = value;
  if (typeof key !== 'string' || typeof at !== 'string' || typeof signature !== 'string') return false;
  if (publicKeyOf(key) === undefined) return false;
  const der = Buffer.concat([DER_HEAD, Buffer.from(key.slice('ed25519:'.length), 'base64')]);
  try {
    const known = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, signedText(hash, at), known, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

function signedText(hash: string, at: string): Buffer {
  return Buffer.from(`gatectl approval of a plan\n${hash}\n${at}\n`);
}

function shownKey(key: KeyObject): string {
  const der = key.export({ format: 'der', type: 'spki' });
  return `ed25519:${der.subarray(DER_HEAD.length).toString('base64')}`;
}
