import { commands, heading, type Topic, terms, text } from '../topic.ts';

export const filters: Topic = {
  name: 'filters',
  summary: 'which rows of analytics are wanted',
  blocks: [
    text(
      'A filter of gatectl bda query is a column, an operator and a value, in one word: quote it, because the shell reads > itself.',
    ),
    terms(
      ["'visits>3'", 'greater than'],
      ["'visits>=3'", 'greater than or equal'],
      ["'country=DE'", 'is one of: DE'],
      ["'country=DE,AT'", 'is one of: DE, AT'],
      ["'page_url:contains:news'", 'any operator word that your gateway knows, between colons'],
    ),
    text(
      'There is no known word for <, <=, != and the like: if your gateway has one, type it between colons. Blanks around values are dropped. In double quotes stands any text: a value with a comma, or a number that is meant as text. Within them \\" is a quote and \\\\ a backslash.',
    ),
    commands(
      `gatectl bda query --data-set pageview -d page_title -m visits --filter 'page_title="1984"' --last 7d`,
    ),
    heading('several filters'),
    terms(
      ['--filter', 'repeated: all of them must match'],
      ['--any-of', 'repeated, or with several filters after it: at least one of all of these must match'],
      ['--filter-json', 'a filter as the API takes it, as a JSON object or a list of them; sent as it is'],
    ),
    commands(
      "gatectl bda query --data-set pageview -d country -m visits --filter 'visits>100' --any-of 'country=DE' --any-of 'device=mobile' --last 7d",
    ),
    text(
      'gatectl bda report run and segment create take --filter with >, >= or an operator word, and one value; there is no = in them. For one of several values a report has --segment, and a segment --country and --multifilter.',
    ),
    heading('numbers and texts'),
    text(
      'Whether 123 is a number or a text depends on the column. gatectl knows the types from the last gatectl bda columns, and lists the columns by itself where a filter needs it and they are not known. Numbers are sent with the digits that you typed. --print shows the query that would be sent.',
    ),
  ],
};
