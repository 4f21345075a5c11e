import { execFileSync } from 'node:child_process';
import { installed } from '../tools.js';

/** Times of short commands, compared with an empty Node program and with the same request without gatectl. */
export function startPart({ baseUrl, folder, bin, plainEnv, quick }) {
  const asking = ['access', '--product', 'premium', '--email', 'reader@example.com'];
  const byEnvironment = {
    ...plainEnv,
    GATECTL_BASE_URL: baseUrl,
    GATECTL_DOMAIN: 'example.com',
    GATECTL_API_KEY: 'bench-key',
  };
  const byProfile = { ...plainEnv, GATECTL_CONFIG_DIR: folder };
  const add = [
    'profile',
    'add',
    'bench',
    '--base-url',
    baseUrl,
    '--domain',
    'example.com',
    '--api-key-stdin',
  ];
  execFileSync(process.execPath, [bin, ...add], { env: byProfile, input: 'bench-key\n', stdio: 'pipe' });
  execFileSync(process.execPath, [bin, 'alias', 'set', 'may', 'access --product premium --email $1'], {
    env: byProfile,
    stdio: 'pipe',
  });

  const url = `${baseUrl}/subscriptions/v1/access?domain=example.com&product=premium`;
  const oneLiner = `fetch('${url}', { headers: { 'X-API-Key': 'bench-key' } }).then(r => r.json()).then(b => console.log(b.data.decision))`;
  const node = (...args) => [process.execPath, ...args];
  const cases = [
    { name: 'node -e 0', args: node('-e', '0'), env: plainEnv },
    {
      name: 'gatectl --version',
      args: node(bin, '--version'),
      env: plainEnv,
      bars: [{ of: 'node -e 0', target: 1.15, beyond: 1.05 }],
    },
    {
      name: 'gatectl --help',
      args: node(bin, '--help'),
      env: plainEnv,
      bars: [{ of: 'node -e 0', target: 1.5, beyond: 1.3 }],
    },
    {
      name: 'gatectl --help, with a profile and an alias',
      args: node(bin, '--help'),
      env: byProfile,
      bars: [{ of: 'node -e 0', target: 1.5, beyond: 1.3 }],
    },
    {
      name: 'gatectl access, key from the environment',
      args: node(bin, ...asking),
      env: byEnvironment,
      bars: [
        { of: 'node -e 0', target: 3, beyond: 2.4 },
        { of: 'node -e "fetch(…)"', target: 0.6 },
      ],
    },
    {
      name: 'gatectl access, key from a profile',
      args: node(bin, ...asking),
      env: byProfile,
      bars: [{ of: 'node -e 0', target: 3, beyond: 2.4 }],
    },
    {
      name: 'node -e "fetch(…)"',
      args: node('-e', oneLiner),
      env: plainEnv,
      bars: [{ of: 'node -e 0' }],
    },
    {
      name: 'curl',
      needs: ['curl'],
      args: ['curl', '-sS', '-H', 'X-API-Key: bench-key', url],
      env: plainEnv,
      bars: [{ of: 'node -e 0' }],
    },
  ];
  const { there, missing } = installed(cases);
  return { name: 'start', title: 'Start-up', cases: there, missing, rounds: quick ? 15 : 60, watch: false };
}
