import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, test } from 'vitest';
import { openApiDocument } from '../../src/contract/openapi/index.ts';

test('a linter has no findings in the OpenAPI document, its examples included', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The paths of BDA v1 and of the CDN's ping end in a slash.
    rules: { 'no-path-trailing-slash': 'off' },
  });
  const problems = await lintFromString({ source: JSON.stringify(openApiDocument()), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual(
    [],
  );
});
