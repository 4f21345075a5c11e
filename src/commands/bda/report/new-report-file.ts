/** What a new report shows: the last days, or the previous calendar period. */
export const REPORT_DAYS = ['7d', '28d', 'week', 'month'] as const;
export const COMPARED = ['previous', 'year', 'none'] as const;

/** What a new report file contains, as far as flags or prompts say it. */
export interface ReportAnswers {
  readonly title: string | undefined;
  readonly dataSet: string | undefined;
  readonly metrics: readonly string[] | undefined;
  readonly dimensions: readonly string[] | undefined;
  readonly days: (typeof REPORT_DAYS)[number] | undefined;
  readonly compare: (typeof COMPARED)[number] | undefined;
}

/** The title of a report of such days, unless it has another. */
export function defaultTitle(days: (typeof REPORT_DAYS)[number]): string {
  return days === 'month' ? 'Monthly report' : days === '28d' ? 'The last 28 days' : 'Weekly report';
}
