import { namedSegments } from '../../../apis/bda-v1/definition.ts';
import { UsageError } from '../../../errors/index.ts';
import { isRecord } from '../../../json/index.ts';
import { segmentIdsIn } from '../report/saved-reports.ts';
import type { DefinitionSource } from './definitions.ts';
import type { MigrationSource } from './source.ts';

/** The request with segments of the flags (numbers or names) in place of its own. Throws UsageError. */
export async function withSegments(
  asked: MigrationSource,
  given: readonly string[],
  source: DefinitionSource,
): Promise<MigrationSource> {
  if (given.length === 0 || !isRecord(asked.request)) return asked;
  const ids = await segmentIdsIn(given, async () => {
    if (source.isLive || source.known.segments !== undefined) return namedSegments(await source.segments());
    throw new UsageError('nothing is asked, so a segment must be given by its number', {
      hints: ['or add --segments FILE (gatectl bda segment list --json)'],
    });
  });
  return { ...asked, request: { ...asked.request, SegmentIds: ids } };
}
