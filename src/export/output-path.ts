import { extname } from 'node:path';
import type { FileOnlyFormat } from '../output/view.ts';
import type { Compression } from './compression.ts';
import type { RowFormat } from './transcode/formats.ts';

/** The formats of an exported file. */
export type FileFormat = RowFormat | FileOnlyFormat;

const FORMATS: Readonly<Record<string, FileFormat>> = {
  csv: 'csv',
  tsv: 'tsv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
  parquet: 'parquet',
  xlsx: 'xlsx',
};

const COMPRESSIONS: Readonly<Record<string, Compression>> = { gz: 'gzip', zst: 'zstd' };

/** The format and compression that a file name implies: `daily.csv.gz` is gzipped csv. Undefined for an unknown extension. */
export function contentByName(path: string): {
  readonly format: FileFormat | undefined;
  readonly compression: Compression | undefined;
} {
  const [last = '', before = ''] = path.toLowerCase().split('.').slice(1).reverse();
  const compression = own(COMPRESSIONS, last);
  return { format: own(FORMATS, compression === undefined ? last : before), compression };
}

function own<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The files next to an unfinished export, and the manifest next to a finished one. */
export function sidecarPaths(path: string): {
  readonly partial: string;
  readonly checkpoint: string;
  readonly manifest: string;
} {
  return { partial: `${path}.part`, checkpoint: `${path}.part.json`, manifest: `${path}.meta.json` };
}

/** The formats of a chart in a file. */
export const CHART_FILE_KINDS = ['svg', 'png', 'html'] as const;
export type ChartFileKind = (typeof CHART_FILE_KINDS)[number];

/** The format of a chart, by the extension of its file; undefined for any other. */
export function chartFileKind(path: string): ChartFileKind | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return CHART_FILE_KINDS.find(kind => kind === extension);
}
