import { expect, test } from 'vitest';
import { lintOpenApi } from '../../scripts/check/lint-openapi.js';
import { openApiDocument } from '../../src/wire/openapi/index.ts';

test('a linter has no findings in the OpenAPI document, its examples included', async () => {
  expect(await lintOpenApi(openApiDocument())).toEqual([]);
});

test('the linter finds an example that its schema does not allow', async () => {
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  document.paths['/cdnservices/clearcache'].post.requestBody.content[
    'application/json'
  ].examples.article.value = {};
  expect(await lintOpenApi(document)).toEqual([expect.stringMatching(/no-invalid-media-type-examples/)]);
});
