import { confirm, pingRequest } from '../../families/cdn/requests.ts';
import { isRecord } from '../../json/index.ts';
import { object } from '../answers.ts';
import { leaf } from '../define.ts';
import { cdnSite } from './site.ts';

const COLUMNS = [{ key: 'Success', title: 'Responds', kind: 'flag' }] as const;

export const ping = leaf({
  name: 'ping',
  summary: 'ask whether the CDN API responds',
  options: {},
  examples: [{ does: 'before a deploy', command: 'gatectl cdn ping --quiet && ./deploy.sh' }],
  answers: object({
    Success: ['boolean', 'whether the CDN API responds'],
    Error: ['string', 'empty, or what is wrong'],
  }),
  async run(_, context) {
    const sender = await context.gateway();
    const answer = await sender.send(pingRequest(await cdnSite(context)));
    confirm(answer);
    const { body } = answer;
    if (!isRecord(body)) return await context.answer(body);
    const { Error: fault, ...rest } = body;
    const told = fault === '' ? rest : body;
    await context.answerParts(body, [{ title: 'CDN', data: told, view: { columns: COLUMNS } }], body);
  },
});
