import { respond } from './operations.js';

export default { fetch: respond };
