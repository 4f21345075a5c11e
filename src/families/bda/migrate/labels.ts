/** What a query is called before its siblings are known. */
export interface LabelParts {
  readonly report: string | undefined;
  readonly chart: string | undefined;
  readonly segment: string | undefined;
}

/** One label a query, each once: the chart and the segment where they tell queries apart, else what the report is called. */
export function labelQueries(parts: readonly LabelParts[]): string[] {
  const severalCharts = new Set(parts.map(({ chart }) => chart)).size > 1;
  const used = new Set<string>();
  return parts.map(({ report, chart, segment }) => {
    const names = segment !== undefined && !severalCharts ? [segment] : [chart, segment];
    const plain = names.filter(Boolean).join(' / ') || report || 'query';
    let label = plain;
    for (let copy = 2; used.has(label); copy += 1) label = `${plain} (${copy})`;
    used.add(label);
    return label;
  });
}
