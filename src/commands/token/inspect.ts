import { type InspectedToken, inspectToken } from '../../apis/subscriptions/token-claims.ts';
import { missingArgument } from '../../errors/usage.ts';
import { readText } from '../../files/text-source.ts';
import type { JsonRecord } from '../../json/index.ts';
import type { View } from '../../output/view.ts';
import { pasteError, pasteNote, withoutPasteDamage } from '../../terminal/paste-damage.ts';
import type { Context } from '../framework/context.ts';
import { defineCommand, string } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';

/** `token inspect --key`: the key does not confirm the token. */
const NOT_VALID = 3;
/** Maximum size of a header. */
const MAX_TOKEN_BYTES = 1 << 20;

export const inspect = defineCommand({
  name: 'inspect',
  effect: 'read',
  summary: 'show the claims and times of a token',
  description:
    'Reads an identity token or a session token from stdin, or prompts for it, and prints its claims and times. Without --key nothing is verified. With --key, exits 3 unless the signature matches and the token is in force. Nothing is sent or stored.',
  options: {
    key: string('--key <file>', 'verify with a PEM public key, a JWK, a set of JWKs or a shared secret'),
  },
  examples: {
    'gatectl token inspect < token.txt': 'show the claims of a token',
    'gatectl token inspect --key public.pem < token.txt': 'whether the site signed it',
  },
  output: object({
    verification: ['string', 'not_verified, valid or invalid'],
    problem: ['string?', 'why it is invalid'],
    issuedAt: ['string?', 'RFC 3339'],
    notBefore: ['string?', 'RFC 3339'],
    expiresAt: ['string?', 'RFC 3339'],
    expired: ['boolean?', 'whether expiresAt has passed'],
    header: ['object', 'the header of the token'],
    claims: ['object?', 'the claims; absent for an encrypted token'],
  }),
  async run(flags, context) {
    const token = await tokenFrom(context);
    context.redactor.add(token);
    const key = flags.key === undefined ? undefined : await readText(flags.key, context);
    const inspected = await inspectToken(token, key, context.clock.now());
    const { header, claims, issuedAt, notBefore, expiresAt, isExpired, verification } = inspected;
    const times = {
      ...(issuedAt !== undefined && { issuedAt }),
      ...(notBefore !== undefined && { notBefore }),
      ...(expiresAt !== undefined && { expiresAt }),
    };
    const data = {
      verification: verification.status,
      ...('problem' in verification && { problem: verification.problem }),
      ...times,
      ...(isExpired !== undefined && { expired: isExpired }),
      header,
      ...(claims !== undefined && { claims }),
    };
    await context.out.printSections(
      data,
      [
        { title: 'Token', data: summaryOf(inspected), view: { prose: true } },
        {
          title: 'Times',
          data: times,
          view: {
            columns: [
              { key: 'issuedAt', title: 'Issued', kind: 'time' },
              { key: 'notBefore', title: 'Valid from', kind: 'time', whenPresent: true },
              { key: 'expiresAt', title: 'Expires', kind: 'time' },
            ],
            empty: 'none',
          },
        },
        { title: 'Header', data: header, view: verbatim(header) },
        {
          title: 'Claims',
          data: claims ?? {},
          view: { ...verbatim(claims ?? {}), empty: 'encrypted: no claim can be read' },
        },
      ],
      data,
    );
    return verification.status === 'invalid' ? NOT_VALID : undefined;
  },
});

/** Numbers of seconds are not grouped like counts. */
function verbatim(fields: JsonRecord): View {
  return { columns: Object.keys(fields).map(key => ({ key, kind: 'text' })) };
}

function summaryOf({ verification, isExpired }: InspectedToken): string {
  const times = isExpired === undefined ? 'without an end' : isExpired ? 'expired' : 'in force';
  switch (verification.status) {
    case 'not_verified':
      return `Not verified (no --key); ${times}.`;
    case 'valid':
      return `Valid: the key confirms the signature; ${times}.`;
    case 'invalid':
      return `Not valid: ${verification.problem}.`;
  }
}

/** The token on stdin, or typed at a prompt where stdin is a terminal. Throws UsageError. */
async function tokenFrom({ io, log, prompt, signal }: Context): Promise<string> {
  if (io.stdin.isTTY && prompt === undefined)
    throw missingArgument('no token on stdin', 'pipe the token in: gatectl token inspect < token.txt');
  const text =
    prompt === undefined
      ? await readText(io.stdin, { signal, maxBytes: MAX_TOKEN_BYTES })
      : await prompt.secret('Token');
  const pasted = withoutPasteDamage(text.trim().replace(/^Bearer\s+/i, ''));
  if ('problem' in pasted) throw pasteError('the token', pasted.problem);
  if (pasted.removed.length > 0) log.note(pasteNote('the token', pasted.removed));
  return pasted.value;
}
