// The least that a client in Node can do: node purge.js URL LIST sends each file of a list, eight at a time over undici's pool.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [url, list] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const paths = readFileSync(list, 'utf8').trim().split('\n');
const pool = new Pool(origin, { connections: 8 });
let next = 0;
async function lane() {
  while (next < paths.length) {
    const body = readFileSync(paths[next++]);
    const headers = { 'content-type': 'application/json' };
    const answer = await pool.request({ path: pathname, method: 'POST', headers, body });
    if (!(await answer.body.json()).Success) throw new Error('not cleared');
  }
}
await Promise.all(Array.from({ length: 8 }, lane));
await pool.close();
