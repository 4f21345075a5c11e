import { commands, heading, type Topic, terms, text } from '../topic.ts';

const PERIOD_WORDS = 'week, month, quarter or year';

export const dates: Topic = {
  name: 'dates',
  summary: 'how to select days for analytics',
  blocks: [
    text(
      'Days start in the time zone of --tz, of the profile (gatectl profile set time-zone ZONE), or of this machine. The default last day is yesterday, because today is not complete. gatectl prints the resolved days as a note.',
    ),
    terms({
      '--from DAY --to DAY': 'first and last day, both included; --to defaults to yesterday',
      '--last SPAN': 'days up to yesterday: 7 (days), 7d, 4w, 3m, 1y',
      '--this PERIOD': `complete days of the current ${PERIOD_WORDS}; weeks start on Monday`,
      '--previous PERIOD': `the ${PERIOD_WORDS} before the current one`,
      '--month MONTH': "a month: 2026-10, Oct, 'Oct 2026', 'last month'",
      '--period DAYS': 'first to last day of any form below, or of two: 2026-09-01..2026-09-14',
      '--include-today': 'include today in --last, --this, --month, --period and --from without --to',
      '--tz ZONE': 'IANA time zone in which days start, such as Europe/Madrid',
    }),
    heading('a DAY is'),
    terms({
      '2026-02-28, 2026/02/28': 'a date',
      '28.02.2026, 2/28/2026': 'the same; 3/10/2026 is two dates, and is rejected',
      '2026-10, 2026-Q3, 2026': 'a month, quarter or year: --from takes its first day, --to its last',
      'today, yesterday': 'the current day, the previous day',
      '1 Nov, 1 November 2026, Nov 2026':
        'a day or month by name; without a year, the latest one that is not in the future',
      'this week, last month': 'a calendar period; last means the previous one',
      '-7d, -4w, -3m, -1y, 7 days ago':
        'days, weeks, months or years before today; a month before 31 March is the last day of February',
      'last 7 days, past 4 weeks': 'a number of days up to yesterday',
    }),
    text('Quote forms that consist of several words. A period that is not over ends yesterday.'),
    heading('for example'),
    commands(
      'gatectl bda query --data-set pageview -m visits --previous month',
      'gatectl bda query --data-set pageview -m visits --month 2026-01',
      'gatectl bda query --data-set pageview -m visits --from -30d --to yesterday',
      'gatectl bda query --data-set pageview -m visits --last 7d --include-today',
    ),
    text(
      'To resume an export on another day, run the command that gatectl printed at the interrupt: it sets the days with --from and --to.',
    ),
  ],
};
