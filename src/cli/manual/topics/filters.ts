import { commands, heading, type Topic, terms, text } from '../topic.ts';

export const filters: Topic = {
  name: 'filters',
  summary: 'how to filter rows of analytics',
  blocks: [
    text(
      'A filter of gatectl bda query is a column, an operator and a value without spaces in between. Quote it, because > redirects output in a shell.',
    ),
    terms({
      "'visits>3'": 'greater than',
      "'visits>=3'": 'greater than or equal',
      "'country=DE'": 'is one of: DE',
      "'country=DE,AT'": 'is one of: DE, AT',
      "'page_url:contains:news'": 'any operator word that the gateway accepts, between colons',
    }),
    text(
      'The API documents no operators for <, <= and !=; if the gateway has them, type the word between colons. Blanks around values are ignored. Use double quotes for a value with a comma, or for a number as text; in them, \\" is a quote and \\\\ a backslash.',
    ),
    commands(
      `gatectl bda query --data-set pageview -d page_title -m visits --filter 'page_title="1984"' --last 7d`,
    ),
    heading('several filters'),
    terms({
      '--filter': 'repeated: all of them must match',
      '--any-of': 'repeated, or with several filters after it: at least one of all of these must match',
      '--filter-json': "a filter in the API's JSON form, or a list of them; sent unchanged",
    }),
    commands(
      "gatectl bda query --data-set pageview -d country -m visits --filter 'visits>100' --any-of 'country=DE' --any-of 'device=mobile' --last 7d",
    ),
    text(
      'gatectl bda report run and segment create accept --filter with >, >= or an operator word, and one value, but not =. To match one of several values, use --segment for a report, and --country or --multifilter for a segment.',
    ),
    heading('numbers and text'),
    text(
      'Whether 123 is a number or a text depends on the type of the column. gatectl caches the types from bda columns, and fetches them if a filter requires them. Numbers are sent with all digits that you typed. --print prints the query without sending it.',
    ),
  ],
};
