import type { GatectlError } from '../../errors/index.ts';
import type { RawResponse } from '../../http/gateway.ts';
import { type Json, parseJson, stringifyJson, tryParseJson } from '../../json/index.ts';
import { printable, printableBlock } from '../../text/printable.ts';
import type { Context } from '../framework/context.ts';

/** Maximum length of a body that is not JSON, which is printed to stderr. */
const EXCERPT = 2000;

/** Writes status and headers unchanged, and a blank line. */
async function showHead({ status, headers }: RawResponse, context: Context): Promise<void> {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const shown = [`HTTP/1.1 ${status}`, ...lines].map(line => printable(context.redactor.redact(line)));
  await context.out.printText(`${shown.join('\n')}\n\n`);
}

/** Prints JSON, unchanged unless a flag sets another format. */
export async function showJson(body: Json, context: Context): Promise<void> {
  if (context.globals.flags.output !== undefined || context.globals.jq !== undefined)
    await context.out.print(body);
  else await context.out.printText(stringifyJson(body, 2));
}

/**
 * Writes the body of a failure, secrets replaced: JSON to stdout, anything else to stderr; nothing that is not valid UTF-8. A filter is
 * not for it.
 */
export async function showFailure(
  { text, isUtf8 }: RawResponse,
  error: GatectlError,
  context: Context,
): Promise<void> {
  const redacted = context.redactor.redact(text);
  const body = redacted.trim();
  if (body === '' || !isUtf8) return;
  const json = tryParseJson(redacted);
  if (json !== undefined) return await context.out.printText(stringifyJson(json, 2));
  const shown = printableBlock(body.slice(0, EXCERPT));
  if (!error.message.includes(printable(shown)))
    context.log.warn(`the body is not JSON: ${shown}${body.length > EXCERPT ? '…' : ''}`);
}

/** Prints a response and throws its error, if any. An unexpected empty body is an error. */
export async function showResponse(response: RawResponse, include: boolean, context: Context): Promise<void> {
  const { error, status, text, request } = response;
  if (include) await showHead(response, context);
  const isBare = request.method === 'HEAD' || status === 204 || status === 205;
  if (isBare && text === '' && status >= 200 && status < 300) return;
  if (error === undefined) return await showJson(parseJson(text), context);
  await showFailure(response, error, context);
  throw error;
}
