import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What a linter finds in an OpenAPI document, its examples included. */
export async function lintOpenApi(document) {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: /** @type {any} */ ({
      // The paths of BDA v1 and of the CDN's ping end in a slash.
      'no-path-trailing-slash': 'off',
      // Statuses of failures are documented for Subscriptions only; elsewhere `default` describes them.
      'operation-4xx-response': 'off',
    }),
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`);
}
