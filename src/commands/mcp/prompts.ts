/** A prompt that a client offers its user. */
interface JobPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
  readonly text: (given: Readonly<Record<string, string>>) => string;
}

const argument = (name: string, description: string, required = true) => ({ name, description, required });

/** One prompt per job. */
export const PROMPTS: readonly JobPrompt[] = [
  {
    name: 'support',
    title: "Explain a reader's access",
    description: 'Look up a reader and draft a reply for the ticket.',
    arguments: [
      argument('email', "the reader's e-mail address"),
      argument('product', 'the product that the ticket is about', false),
    ],
    text: ({ email = '', product }) =>
      `Call reader with email ${quoted(email)}${product === undefined ? '' : ` and product ${quoted(product)}`}. Say whether the reader has access now, the reason code and its meaning, and what to do next. Then draft a short, friendly reply to the reader. State only what the result contains.`,
  },
  {
    name: 'operator',
    title: 'Purge pages',
    description: 'Plan a purge, show it, and apply it after confirmation.',
    arguments: [argument('targets', 'URLs or surrogate keys, separated by spaces')],
    text: ({ targets = '' }) =>
      `Call purge_plan for these URLs or surrogate keys: ${quoted(targets)}. Show me the plan: what is purged, how many, on which domain. Call purge_apply only after I confirm, then report what was cleared and what failed. If purge_apply is not offered, give me the gatectl command instead.`,
  },
  {
    name: 'analyst',
    title: 'Explain a change',
    description: 'Find out which part of the traffic explains a change of a metric.',
    arguments: [
      argument('metric', 'the metric, such as visits'),
      argument('days', 'the days, such as 7d; compared with as many before', false),
    ],
    text: ({ metric = '', days = '7d' }) =>
      `Why did ${quoted(metric)} change in the last ${quoted(days)}, compared with the same number of days before? Call why, with the data set and columns that columns lists. Report the change, the sentences of the result, and the three values that contribute most. Take figures from results only.`,
  },
  {
    name: 'data-engineer',
    title: 'Export rows',
    description: 'Export rows to a file and describe its columns.',
    arguments: [argument('request', 'what to export, in words')],
    text: ({ request = '' }) =>
      `Export this with query: ${quoted(request)}. Find data set and columns with columns first. Report the file, its columns, the number of rows and every note or warning. Give me the gatectl command for a cron job that repeats the export.`,
  },
  {
    name: 'developer',
    title: 'Move a v1 request to v2',
    description: 'Convert a v1 data request and explain the differences.',
    arguments: [argument('request', 'the v1 request: JSON, its URL, or a curl command')],
    text: ({ request = '' }) =>
      `Call migrate with this request: ${quoted(request)}. Show the v2 query, then list each note: what is lossless, what changes and what is lost. Give me the gatectl command that verifies the result on the real account.`,
  },
];

/** A value of the user inside a prompt, on one line. */
function quoted(value: string): string {
  return JSON.stringify(value);
}
