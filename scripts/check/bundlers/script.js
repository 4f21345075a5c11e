// For Node, Bun and Deno: node script.js BASE_URL API_KEY
import { results } from './operations.js';

const [, , baseUrl, apiKey] = process.argv;
// biome-ignore lint/suspicious/noConsole: the one way to print that all three have
results(baseUrl, apiKey).then(all => console.log(JSON.stringify(all)));
