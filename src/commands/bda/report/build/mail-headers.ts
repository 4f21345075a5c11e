import isEmail from 'validator/es/lib/isEmail.js';
import { invalidValue, missingArgument } from '../../../../errors/usage.ts';
import type { MailAddress } from '../../../../output/document/mail.ts';
import type { MailText, ReportFile } from './report-file.ts';
import { withPlace } from './section-context.ts';

/** The headers of an e-mail that its report determines. */
export interface MailHeaders {
  readonly from: MailAddress | undefined;
  readonly to: readonly MailAddress[];
  readonly cc: readonly MailAddress[];
  /** Undefined for that of the figures. */
  readonly subject: string | undefined;
}

const NAMED = /^(.*\S)\s*<([^<>]+)>$|^<?([^<>]+)>?$/;

/** The headers of a report that is mailed. Throws UsageError without a recipient, and for what is no address. */
export function mailHeaders({ mail }: ReportFile): MailHeaders {
  const [from] = mail?.from === undefined ? [] : [addressIn(mail.from)];
  const to = mail?.to.map(addressIn) ?? [];
  if (to.length === 0)
    throw missingArgument(
      'the report has no recipient',
      'add mail: {to: editors@example.com} to the file; sendmail -t reads it',
    );
  return { from, to, cc: mail?.cc.map(addressIn) ?? [], subject: mail?.subject?.text };
}

function addressIn({ text, place }: MailText): MailAddress {
  const [, name, named, plain] = NAMED.exec(text.trim()) ?? [];
  const address = (named ?? plain ?? '').trim();
  if (isEmail(address, { allow_utf8_local_part: false }) && !/[\0-\x1f\x7f]/.test(text))
    return { name: name?.replace(/^"(.*)"$/, '$1'), address };
  throw withPlace(
    invalidValue(
      `'${text}' is not an e-mail address`,
      "write editors@example.com, or 'Editors <editors@example.com>'; several as a list",
    ),
    place,
  );
}
