import { PERIODS } from '../../../analysis/relative-dates.ts';
import { commands, heading, type Topic, terms, text } from '../topic.ts';

export const dates: Topic = {
  name: 'dates',
  summary: 'which days analytics are asked about',
  blocks: [
    text(
      'Days begin in the time zone of the profile (gatectl profile set time-zone ZONE), or else of this machine. Unless told otherwise the last day is yesterday, because today is not over. Where a flag is relative, gatectl says which days it stands for.',
    ),
    terms(
      ['--from DAY --to DAY', 'both days are included; without --to the last day is yesterday'],
      ['--last SPAN', 'the days up to yesterday: 7d, 4w, 3m, 1y'],
      ['--this PERIOD', `the complete days of the running ${PERIODS.join(', ')}; weeks begin on Monday`],
      ['--previous PERIOD', 'the whole period before the running one'],
      ['--include-today', 'ends --last, --this and a --from without --to today'],
    ),
    heading('a DAY is'),
    terms(
      ['2026-02-28', 'a day of the calendar'],
      ['today, yesterday', 'what they say'],
      [
        '-7d, -4w, -3m, -1y',
        'days, weeks, months or years before today; a month before 31 March is the last day of February',
      ],
    ),
    heading('for example'),
    commands(
      'gatectl bda query --data-set pageview -m visits --previous month',
      'gatectl bda query --data-set pageview -m visits --from -30d --to yesterday',
      'gatectl bda query --data-set pageview -m visits --last 7d --include-today',
    ),
    text(
      'An export that is gone on with on another day needs the same days as before: where they were relative, gatectl names them with --from and --to when it is interrupted.',
    ),
  ],
};
