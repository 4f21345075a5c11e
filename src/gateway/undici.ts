// undici's parts by their own files: its index loads four times as much as a request needs.

import request from 'undici/lib/api/api-request.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import EnvHttpProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js';

export { Agent, EnvHttpProxyAgent, request };
