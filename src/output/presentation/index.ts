/** How people read columns, figures and dates. The bundle loads it when one of its functions is first called. */
export {
  type ColumnFacts,
  changeOf,
  comparedWith,
  figureColumnOf,
  headingOf,
  isDocumentedColumn,
  labelInSentence,
  labelled,
  type Presentation,
  presentationOf,
  shownUnit,
  withLabels,
  withUnit,
} from './column.ts';
export { datesFormat, dateText, periodText } from './dates.ts';
export {
  agreeingStyle,
  areShares,
  differenceTexts,
  type FigureStyle,
  figuresFormat,
  inOneUnit,
  percentChange,
  shownNumber,
} from './figures.ts';
export { type Locale, localeOf, machineLocale, regrouped } from './locale.ts';
