import { FileDigest } from '../export/file-sink.ts';
import { stat } from '../files/disk.ts';
import { fileError } from '../files/file-error.ts';

/** The SHA-256 of a file in hexadecimal digits. Throws FileError. */
export async function sha256Of(path: string): Promise<string> {
  const { size } = await stat(path).catch(error => {
    throw fileError(path, error, 'read');
  });
  return (await FileDigest.ofFile(path, size)).hex();
}
