import { aliasGroup } from './alias/group.ts';
import { api } from './api/api.ts';
import { bdaGroup } from './bda/group.ts';
import { ping } from './cdn/ping.ts';
import { purge } from './cdn/purge.ts';
import { completion } from './completion.ts';
import type { Command } from './define.ts';
import { doctor } from './doctor/doctor.ts';
import { help } from './help.ts';
import { profileGroup } from './profile/group.ts';
import { serve } from './sandbox/serve.ts';
import { schema } from './schema.ts';
import { access } from './subscriptions/access.ts';
import { products } from './subscriptions/products.ts';
import { purchases } from './subscriptions/purchases.ts';
import { reader } from './subscriptions/reader.ts';
import { token } from './subscriptions/token.ts';
import { unlock } from './unlock.ts';

/** Every command, in the order of `gatectl --help`. */
export const tree: readonly Command[] = [
  access,
  products,
  purchases,
  reader,
  token,
  { name: 'cdn', summary: 'clear the CDN cache', commands: [ping, purge] },
  bdaGroup,
  profileGroup,
  aliasGroup,
  doctor,
  unlock,
  api,
  {
    name: 'sandbox',
    summary: 'run the embedded gateway',
    commands: [serve],
  },
  completion,
  schema,
  help,
];
