import type { Settings } from '../../../config/resolve.ts';
import { cannotCombine, invalidUsage, invalidValue, missingArgument } from '../../../errors/usage.ts';
import { canCompress } from '../../../export/compression.ts';
import { contentByName } from '../../../export/output-path.ts';
import { isS3Url, parseS3Url, printS3Location, type S3Location } from '../../../objects/s3-location.ts';
import type { RowFile } from '../../../operations/rows/export-rows.ts';
import { isFileOnly, isForPeople } from '../../../output/view.ts';
import { shellQuote } from '../../../text/shell-words.ts';
import type { Context } from '../../framework/context.ts';
import { filterFlag } from '../../framework/filter-flag.ts';

/** The file of `--out`. Its format comes from the flag `--output`, the file name or the settings, in that order. Throws UsageError. */
export function outFile(path: string, settings: Settings, context: Context): RowFile {
  if (path.trim() === '') throw missingArgument('--out is empty', 'pass a file name: --out daily.csv');
  const filter = filterFlag(context.globals);
  if (context.globals.jq !== undefined)
    throw cannotCombine(`${filter} and --out`, `redirect the output of ${filter}: > FILE`);
  const object = isS3Url(path) ? objectOf(path) : undefined;
  const { format, compression } = contentByName(object?.key.replace(/^.*\//, '') ?? path);
  if (compression !== undefined && !canCompress(compression))
    throw invalidUsage(
      `this version of Node cannot write ${compression}`,
      'name the file .gz, or use Node 22.15 or newer',
    );
  const { value: set, origin } = settings.output;
  const chosen = context.globals.fileFormat ?? (origin.startsWith('flag') ? set : (format ?? set));
  if (isFileOnly(chosen) && compression !== undefined)
    throw invalidUsage(`cannot compress ${path}: ${chosen} has its own compression`, `name it .${chosen}`);
  if (isFileOnly(chosen) || !isForPeople(chosen)) {
    if (format !== undefined && format !== chosen)
      context.log.note(`writing ${chosen} to ${path}, because --output overrides the file name`);
    if (object === undefined) return { path, format: chosen, compression };
    return { path: printS3Location(object), object, format: chosen, compression };
  }
  throw invalidValue(
    origin.startsWith('flag') ? `cannot write ${chosen} to a file` : `cannot determine the format of ${path}`,
    ...(/\.xls[bm]?$/i.test(path)
      ? ['for Excel, name it .xlsx, or .csv with --csv-dialect excel, or excel-semicolon for decimal commas']
      : origin.startsWith('flag') && object === undefined
        ? [`print it into the file: omit --out, and end the command with > ${shellQuote(path)}`]
        : ['use .csv, .tsv, .ndjson, .json, .parquet or .xlsx, or pass --output FORMAT']),
  );
}

/** Throws UsageError for a URL that names no object. */
function objectOf(url: string): S3Location {
  const location = parseS3Url(url);
  if (location.key !== '' && !/\/(?:\?|$)/.test(url)) return location;
  throw invalidValue(
    `${printS3Location(location)} names no object`,
    `type one: --out ${printS3Location(location)}/daily.parquet`,
  );
}
