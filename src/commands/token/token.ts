import { mintIdentityToken } from '../../apis/subscriptions/holdings.ts';
import { defineCommand } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';
import { EMAIL_ARGUMENT, emailFromFlags, READER_FLAGS, siteFrom } from '../reader/reader-flags.ts';

const TOKEN = { key: 'token', title: 'Token', kind: 'text' } as const;
const EXPIRES = { key: 'expiresAt', title: 'Expires', kind: 'time' } as const;

export const token = defineCommand({
  name: 'token',
  summary: 'mint an identity token for a signed-in reader',
  description:
    'Mints the signed token that a page hands to the widget in place of the e-mail address. It is valid for one hour and for one use on the page: mint a new one each time, and keep none. The request is sent once; after an unclear failure nothing is lost by asking again yourself.',
  arguments: { reader: EMAIL_ARGUMENT },
  options: { email: READER_FLAGS.email, domain: READER_FLAGS.domain },
  examples: [
    {
      does: 'the token alone, for a script',
      command: 'gatectl token reader@example.com --jq .token',
    },
  ],
  answers: object({
    token: ['string', 'the identity token; it is good for an hour'],
    expiresAt: ['string', 'RFC 3339'],
  }),
  async run(flags, context) {
    const email = emailFromFlags(flags, context);
    const site = await siteFrom(flags.domain, context);
    const minted = await mintIdentityToken(await context.gateway(), site, email);
    const { output } = await context.settings();
    if (output.value !== 'table' || context.globals.jq !== undefined)
      return await context.out.print(minted, { columns: [TOKEN, EXPIRES] });
    // A token is copied: it stands alone on a line that no layout breaks, so that the terminal hands it on in one piece.
    const { token: text, ...rest } = minted;
    await context.out.printText(`${text}\n`);
    await context.out.print(rest, { columns: [EXPIRES] });
  },
});
