import { writeAtomic } from '../files/atomic-file.ts';
import { type Json, type JsonRecord, stringifyJson } from '../json/index.ts';
import type { Compression } from './compression.ts';
import type { FileExportResult } from './export-to-file.ts';
import { type FileFormat, sidecarPaths } from './output-path.ts';

interface ManifestFacts {
  readonly path: string;
  /** What the manifest calls the file. */
  readonly name: string;
  readonly format: FileFormat;
  readonly compression: Compression | undefined;
  readonly exported: FileExportResult;
  /** What is wrong with the rows, as sentences. */
  readonly flaws: readonly string[];
  /** The request without paging. */
  readonly query: JsonRecord;
  /** The days of the request, as the API names them. */
  readonly days: Json;
  readonly baseUrl: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly version: string;
}

/** Writes `FILE.meta.json`, which describes the rows in a file and their origin. Throws FileError. */
export async function writeManifest(facts: ManifestFacts): Promise<void> {
  const { path, exported } = facts;
  const { stats } = exported;
  const manifest: JsonRecord = {
    file: facts.name,
    format: facts.format,
    compression: facts.compression ?? null,
    bytes: exported.bytes,
    sha256: exported.sha256 ?? null,
    rows: stats.rows,
    total_rows: stats.lastTotal ?? null,
    flaws: facts.flaws,
    days: facts.days,
    query: facts.query,
    base_url: facts.baseUrl ?? null,
    started_at: new Date(facts.startedAt).toISOString(),
    ended_at: new Date(facts.endedAt).toISOString(),
    gatectl: facts.version,
  };
  await writeAtomic(sidecarPaths(path).manifest, `${stringifyJson(manifest, 2)}\n`);
}
