import type { Settings } from '../../../config/resolve.ts';
import { UsageError } from '../../../errors/index.ts';
import { type Compression, canCompress } from '../../../export/compression.ts';
import { contentByName, type FileFormat } from '../../../export/output-path.ts';
import { isForPeople } from '../../../output/view.ts';
import type { Context } from '../../framework/context.ts';

/** A file for rows. */
export interface OutFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly compression: Compression | undefined;
}

/** What `--out` asks for: an `--output` flag first, then the file's name, then what is set elsewhere. Throws UsageError. */
export function outFile(path: string, settings: Settings, context: Context): OutFile {
  if (path.trim() === '')
    throw new UsageError('--out names no file', {
      code: 'missing_argument',
      hints: ['type --out daily.csv'],
    });
  if (context.globals.jq !== undefined)
    throw new UsageError("--jq and --out don't go together", {
      code: 'conflicting_options',
      hints: ['send what jq makes to the file: --jq … > FILE'],
    });
  const { format, compression } = contentByName(path);
  if (compression !== undefined && !canCompress(compression))
    throw new UsageError(`this version of Node can't write ${compression}`, {
      hints: ['name the file .gz, or use Node 22.15 or newer'],
    });
  const { value: set, origin } = settings.output;
  const wanted = origin.startsWith('flag') ? set : (format ?? set);
  if (wanted === 'parquet' && compression !== undefined)
    throw new UsageError(`${path}: a parquet file is compressed already`, { hints: ['name it .parquet'] });
  if (wanted === 'parquet' || !isForPeople(wanted)) {
    if (format !== undefined && format !== wanted)
      context.log.note(`${path} gets ${wanted}, as a flag says, and not what its name tells`);
    return { path, format: wanted, compression };
  }
  throw new UsageError(
    origin.startsWith('flag') ? `--out can't write ${wanted}` : `the name ${path} tells no format`,
    {
      code: 'invalid_value',
      hints: ['name the file .csv, .tsv, .ndjson, .json or .parquet, or add --output FORMAT'],
    },
  );
}
