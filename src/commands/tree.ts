import { access } from './access/access.ts';
import { audit } from './access/audit/audit.ts';
import { wait } from './access/wait.ts';
import { aliasGroup } from './alias.ts';
import { api } from './api/api.ts';
import { bdaGroup } from './bda/group.ts';
import { history } from './cdn/history.ts';
import { listen } from './cdn/listen/listen.ts';
import { ping } from './cdn/ping.ts';
import { purge } from './cdn/purge/purge.ts';
import { completionGroup } from './completion/group.ts';
import { docs, docsSearch } from './docs.ts';
import { doctor } from './doctor/doctor.ts';
import type { Command } from './framework/define-command.ts';
import { help } from './help.ts';
import { log, logExport, logVerify } from './log.ts';
import { login } from './login/login.ts';
import { install as mcpInstall } from './mcp/install.ts';
import { mcp } from './mcp/mcp.ts';
import { planApply, planApprove, planKey, planShow } from './plan/plan.ts';
import { policyCheck, policyShow } from './policy.ts';
import { products } from './products.ts';
import { profileGroup } from './profile/group.ts';
import { purchases } from './purchases.ts';
import { reader } from './reader/reader.ts';
import { replyGroup } from './reply/group.ts';
import { serve } from './sandbox/serve.ts';
import { schema } from './schema.ts';
import { skillsInstall, skillsShow } from './skills.ts';
import { inspect } from './token/inspect.ts';
import { token } from './token/token.ts';
import { trust, trustList, trustRemove } from './trust.ts';
import { unlock } from './unlock.ts';

/** Every command, in the order of `gatectl --help`. */
export const tree: readonly Command[] = [
  { ...access, commands: [audit, wait] },
  products,
  purchases,
  reader,
  replyGroup,
  { ...token, commands: [inspect] },
  { name: 'cdn', summary: 'purge the CDN cache', commands: [ping, purge, listen, history] },
  bdaGroup,
  login,
  profileGroup,
  { ...log, commands: [logVerify, logExport] },
  {
    name: 'plan',
    summary: 'approve and apply changes that others planned',
    commands: [planShow, planApprove, planApply, planKey],
  },
  { name: 'policy', summary: 'check who may change what', commands: [policyCheck, policyShow] },
  aliasGroup,
  { ...trust, commands: [trustList, trustRemove] },
  doctor,
  unlock,
  api,
  {
    name: 'sandbox',
    summary: 'run the embedded gateway',
    commands: [serve],
  },
  { ...mcp, commands: [mcpInstall] },
  completionGroup,
  schema,
  {
    name: 'skills',
    summary: 'manage the gatectl skill of an AI assistant',
    commands: [skillsInstall, skillsShow],
  },
  { ...docs, commands: [docsSearch] },
  help,
];
