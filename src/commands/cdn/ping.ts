import { confirm, pingRequest } from '../../families/cdn/requests.ts';
import { leaf } from '../define.ts';
import { cdnSite } from './site.ts';

export const ping = leaf({
  name: 'ping',
  summary: 'ask whether the CDN API responds',
  options: {},
  examples: [{ does: 'before a deploy', command: 'gatectl cdn ping --quiet && ./deploy.sh' }],
  async run(_, context) {
    const sender = await context.gateway();
    const answer = await sender.send(pingRequest(await cdnSite(context)));
    confirm(answer);
    await context.answer(answer.body);
  },
});
