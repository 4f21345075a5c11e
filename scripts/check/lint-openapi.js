import { createConfig, lintFromString } from '@redocly/openapi-core';

/** What a linter finds in an OpenAPI document, its examples included. */
export async function lintOpenApi(document) {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The paths of BDA v1 and of the CDN's ping end in a slash.
    rules: /** @type {any} */ ({ 'no-path-trailing-slash': 'off' }),
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${location[0]?.pointer} ${ruleId}: ${message}`);
}
