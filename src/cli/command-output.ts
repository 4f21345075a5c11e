import type { Globals, Output, OutputSection } from '../commands/framework/context.ts';
import type { OutputSchema } from '../commands/framework/output-schema.ts';
import { existingTimeZone, machineTimeZone, type Settings } from '../config/resolve.ts';
import { UsageError } from '../errors/index.ts';
import { conflict, missingArgument } from '../errors/usage.ts';
import { isRecord, type Json, stringifyJson } from '../json/index.ts';
import { machineLocale } from '../output/presentation/index.ts';
import { type Format, isForPeople, type Style, type View } from '../output/view.ts';
import { hasColour, hasUnicode, painter } from '../terminal/colour.ts';
import { columnsOf, DEFAULT_COLUMNS, type Io, isOnTerminal } from '../terminal/io.ts';
import type { DataWriter } from '../terminal/writer.ts';
import { printableBlock } from '../text/printable.ts';
import type { SignalControl } from './signals.ts';

interface OutputParts {
  readonly io: Io;
  readonly globals: Globals;
  readonly out: DataWriter;
  readonly settings: () => Promise<Settings>;
  readonly signals: SignalControl;
  readonly signal: AbortSignal;
  /** Delays notes and warnings while a pager uses the screen; returns a function that prints them. */
  readonly holdLog: () => () => void;
  readonly endProgress: () => void;
  readonly warn: (text: string) => void;
  /** Whether a request that changes something was sent. */
  readonly hasChanged: () => boolean;
}

/** Stdout of a command: filtered by `--jq`, in the selected format, without control characters on a terminal. */
export class CommandOutput implements Output {
  readonly #parts: OutputParts;
  #isPaged = true;
  /** What the command declares to print. */
  #declared: OutputSchema | undefined;

  constructor(parts: OutputParts) {
    this.#parts = parts;
  }

  async print(allData: Json, fullView: View = {}): Promise<void> {
    const { data, view } = await chosen(allData, fullView);
    const { fields, jq } = this.#parts.globals;
    if (fields !== undefined) return await this.#printFields(data, fields);
    if (jq !== undefined) return await this.#filtered(data, jq);
    const [{ render }, format, style] = await Promise.all([
      import('../output/render.ts'),
      this.#format(),
      this.style(),
    ]);
    await this.#show(render(data, view, format, style));
  }

  async printRows(allRows: AsyncIterable<Json>, fullView: View): Promise<void> {
    const { rows, view } = await chosenOfRows(allRows, fullView);
    const format = await this.#format();
    if (this.#parts.globals.jq !== undefined || isForPeople(format)) {
      const all: Json[] = [];
      for await (const row of rows) all.push(row);
      return await this.print(all, view);
    }
    const { rowEncoder } = await import('../output/render.ts');
    const encoder = rowEncoder(format, view.columns ?? [], await this.style());
    await this.#showStream(async write => {
      await write(encoder.header());
      for await (const row of rows) await write(encoder.row(row));
      await write(encoder.footer());
    });
  }

  async printSections(data: Json, sections: readonly OutputSection[], rows: Json): Promise<void> {
    const format = await this.#format();
    if (this.#parts.globals.jq !== undefined || format === 'json' || format === 'ndjson')
      return await this.print(data);
    if (format === 'csv' || format === 'tsv') return await this.print(rows);
    const { renderSections } = await import('../output/render.ts');
    await this.#show(renderSections(sections, format, await this.style()));
  }

  async printResult(data: Json, sections: readonly OutputSection[], rows: Json): Promise<void> {
    const { quiet, jq } = this.#parts.globals;
    if (quiet && jq === undefined && (await this.#format()) === 'table') return;
    await this.printSections(data, sections, rows);
  }

  async draw(render: (style: Style) => string): Promise<void> {
    await this.#show(render(await this.style()));
  }

  async printText(text: string): Promise<void> {
    const block = isOnTerminal(this.#parts.io) ? printableBlock(text) : text;
    await this.#show(block === '' || block.endsWith('\n') ? block : `${block}\n`);
  }

  async stream<T>(produce: (write: (chunk: Uint8Array) => Promise<void>) => Promise<T>): Promise<T> {
    if (!isOnTerminal(this.#parts.io)) return await produce(chunk => this.#parts.out.write(chunk));
    return await this.#showStream(write =>
      produce(chunk => write(printableBlock(new TextDecoder().decode(chunk)))),
    );
  }

  withoutPager(): void {
    this.#isPaged = false;
  }

  async #show(text: string): Promise<void> {
    const paging = await this.#paging();
    if (paging === undefined) await this.#write(text);
    else await paging.pageText(text, paging.parts);
  }

  async #showStream<T>(produce: (write: (text: string) => Promise<void>) => Promise<T>): Promise<T> {
    const paging = await this.#paging();
    return paging === undefined
      ? await produce(text => this.#write(text))
      : await paging.pageStream(produce, paging.parts);
  }

  /** On a terminal, rows are written where the progress line would be; they show the progress themselves. */
  async #write(text: string): Promise<void> {
    if (isOnTerminal(this.#parts.io)) this.#parts.endProgress();
    await this.#parts.out.write(text);
  }

  /** The pager functions; undefined without a terminal or pager. */
  async #paging() {
    const { io, globals, signals } = this.#parts;
    if (!this.#isPaged || !isOnTerminal(io) || !io.stdout.rows) return undefined;
    const { pagerWords, pageText, pageStream } = await import('./pager.ts');
    const words = pagerWords(io, globals.noPager);
    if (words === undefined) return undefined;
    const parts = { ...this.#parts, words, ignoreInterrupts: signals.ignoreInterrupts };
    return { pageText, pageStream, parts };
  }

  /**
   * Throws UsageError for an invalid `--jq`, and for a format, `--decimals` or `--csv-dialect` that the output does not have, before a
   * request is sent.
   * `outFile` is the value of `--out`.
   */
  async checkOptions(outFile: unknown, schema?: OutputSchema): Promise<void> {
    const { fields, jq, decimals, fileFormat, requiresCsv } = this.#parts.globals;
    const hasFile = typeof outFile === 'string' && outFile !== '-';
    if (fileFormat !== undefined && !hasFile)
      throw missingArgument(
        `-o ${fileFormat} requires --out FILE`,
        `type --out FILE.${fileFormat}, with a command that has --out, such as bda query`,
      );
    if (decimals !== undefined && !hasFile) await this.#checkDecimals();
    if (requiresCsv) await this.#checkCsv(hasFile ? outFile : undefined);
    this.#declared = schema;
    if (fields !== undefined) (await import('./check-fields.ts')).checkFields(fields, schema);
    if (jq === undefined || fields !== undefined) return;
    const { checkJq, JqError } = await import('../output/jq.ts');
    try {
      await checkJq(jq);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new UsageError(`--jq '${jq}' is not valid: ${error.message}`, {
        code: 'invalid_value',
        cause: error,
      });
    }
  }

  async #checkDecimals(): Promise<void> {
    const format = await this.#format();
    if (!isForPeople(format))
      throw conflict(
        `--decimals requires -o table, md or html, not ${format}`,
        `omit --decimals; ${format} has all digits`,
      );
  }

  async #checkCsv(outFile: string | undefined): Promise<void> {
    const printed = await this.#format();
    const named =
      outFile === undefined
        ? undefined
        : (await import('../export/output-path.ts')).contentByName(outFile).format;
    const format = named ?? printed;
    if (format !== 'csv' && printed !== 'csv')
      throw conflict(
        `--csv-dialect requires csv output, not ${format}`,
        'add --csv, or write a file whose name ends in .csv',
      );
  }

  /**
   * Prints the chosen members. After a change was sent, a name that the response lacks is a warning, and the response is printed
   * whole: a failure would say that nothing was changed.
   */
  async #printFields(data: Json, names: readonly string[]): Promise<void> {
    const [{ pickFields }, { declaredFields }] = await Promise.all([
      import('../output/pick-fields.ts'),
      import('./check-fields.ts'),
    ]);
    let shown = data;
    try {
      shown = pickFields(data, names, declaredFields(this.#declared));
    } catch (error) {
      if (!(error instanceof UsageError && this.#parts.hasChanged())) throw error;
      this.#parts.warn(
        `--fields: ${error.message}; the change was sent, so the complete response is printed`,
      );
    }
    await this.printText(stringifyJson(shown));
  }

  async #filtered(data: Json, expression: string): Promise<void> {
    const { runJq, JqError } = await import('../output/jq.ts');
    // A filter that never ends blocks the event loop, so signals must terminate the process.
    this.#parts.signals.leave();
    try {
      await this.printText(await runJq(stringifyJson(data), expression));
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      throw new UsageError(`--jq failed: ${error.message}`, {
        hints: ['the response is complete; omit --jq to see it'],
        cause: error,
      });
    }
  }

  async #format(): Promise<Format> {
    const settings = await this.#parts.settings();
    return settings.output.value;
  }

  async style(): Promise<Style> {
    const { io, globals } = this.#parts;
    const isTTY = isOnTerminal(io);
    const settings = await this.#parts.settings();
    return {
      width: isTTY ? (columnsOf(io.stdout) ?? DEFAULT_COLUMNS) : undefined,
      paint: await painter(hasColour({ isTTY }, globals.noColor, io.env)),
      get timeZone() {
        return existingTimeZone(settings) ?? machineTimeZone() ?? 'UTC';
      },
      unicode: hasUnicode(io.env, io.platform) || !isTTY,
      csvDialect: globals.csvDialect,
      decimals: globals.decimals,
      get locale() {
        return globals.locale ?? machineLocale(io.env);
      },
    };
  }
}

/** The columns that `View.chosen` selects. */
async function chosen(data: Json, view: View): Promise<{ readonly data: Json; readonly view: View }> {
  if (view.chosen === undefined) return { data, view };
  const { chooseColumns } = await import('../output/choose-columns.ts');
  return chooseColumns(data, view);
}

/** The same for rows that arrive later, which have the columns of the view. */
async function chosenOfRows(
  rows: AsyncIterable<Json>,
  { chosen: names, ...view }: View,
): Promise<{ readonly rows: AsyncIterable<Json>; readonly view: View }> {
  if (names === undefined) return { rows, view };
  const { chosenColumns, pickColumns } = await import('../output/choose-columns.ts');
  const columns = chosenColumns(names, view.columns ?? []);
  const picked = async function* (): AsyncGenerator<Json> {
    for await (const row of rows) yield isRecord(row) ? pickColumns(row, columns) : row;
  };
  return { rows: picked(), view: { ...view, columns } };
}
