import type { Destination } from '../destinations/destination.ts';
import type { EncodedPartition, Encoder, EncoderOptions, Encoding } from './encoder.ts';
import { encodeLines } from './lines.ts';
import { encodeParquet } from './parquet.ts';

const ENCODERS: Readonly<Record<Encoding, Encoder>> = {
  parquet: encodeParquet,
  csv: encodeLines,
  tsv: encodeLines,
};

/**
 * Encodes the rows of a partition for a destination, in a file next to them. Throws FileError, UnrepresentableValueError, and
 * TypesChangedError.
 */
export async function encodePartition(
  {
    encoding,
    name,
    calendar,
    addsSite = false,
    keepsAllDigits = false,
  }: Pick<Destination, 'encoding' | 'name' | 'calendar' | 'addsSite' | 'keepsAllDigits'>,
  options: Omit<EncoderOptions, 'target' | 'calendar' | 'omitsSite' | 'keepsAllDigits'>,
): Promise<EncodedPartition> {
  return await ENCODERS[encoding]({
    ...options,
    target: name,
    calendar,
    omitsSite: addsSite,
    keepsAllDigits,
  });
}
