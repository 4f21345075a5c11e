import { assertSuccess, pingRequest } from '../../apis/cdn/requests.ts';
import { isRecord, type Json } from '../../json/index.ts';
import { cdnSite, errorTextWarnings } from '../framework/cdn-site.ts';
import { defineCommand } from '../framework/define-command.ts';
import { object } from '../framework/output-schema.ts';

const COLUMNS = [{ key: 'Success', title: 'Responds', kind: 'flag' }] as const;

export const ping = defineCommand({
  name: 'ping',
  effect: 'read',
  summary: 'check whether the CDN API responds',
  options: {},
  examples: { 'gatectl cdn ping --quiet && ./deploy.sh': 'before a deploy' },
  output: object({
    Success: ['boolean', 'whether the CDN API responds'],
    Error: ['string', 'empty, or what is wrong'],
  }),
  async run(_, context) {
    const sender = await context.gateway();
    const response = await sender.send(pingRequest(await cdnSite(context)));
    assertSuccess(response, errorTextWarnings(context));
    const { body } = response;
    await context.out.printResult(
      body,
      [{ title: 'CDN', data: shown(body), view: { columns: COLUMNS } }],
      body,
    );
  },
});

/** Without the error text, which is empty where the API responds. */
function shown(body: Json): Json {
  if (!isRecord(body) || body.Error !== '') return body;
  const { Error: _, ...rest } = body;
  return rest;
}
