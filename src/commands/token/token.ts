import { mintIdentityToken } from '../../apis/subscriptions/holdings.ts';
import { defineCommand } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';
import { EMAIL_ARGUMENT, emailFromFlags, READER_FLAGS, siteFrom } from '../framework/reader-flags.ts';

const TOKEN = { key: 'token', title: 'Token', kind: 'text' } as const;
const EXPIRES = { key: 'expiresAt', title: 'Expires', kind: 'time' } as const;

export const token = defineCommand({
  name: 'token',
  effect: 'irreversible',
  summary: 'create an identity token for a signed-in reader',
  description:
    'Creates the signed identity token that a page passes to the widget instead of the e-mail address. It is valid for one hour: create a new one for each page, and do not store it. The request is never retried automatically; after a failure, run the command again.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: { email: READER_FLAGS.email, domain: READER_FLAGS.domain },
  examples: { 'gatectl token reader@example.com --jq .token': 'print the token only' },
  output: object({
    token: ['string', 'the identity token, valid for one hour'],
    expiresAt: ['string', 'RFC 3339'],
  }),
  async run(flags, context) {
    const email = await emailFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const minted = await mintIdentityToken(await context.gateway(), site, email);
    const { output } = await context.settings();
    if (output.value !== 'table' || context.globals.jq !== undefined)
      return await context.out.print(minted, { columns: [TOKEN, EXPIRES] });
    // On its own line, without a table, so that it can be copied from the terminal.
    const { token: text, ...rest } = minted;
    await context.out.printText(`${text}\n`);
    await context.out.print(rest, { columns: [EXPIRES] });
  },
});
