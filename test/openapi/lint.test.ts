import { expect, test } from 'vitest';
import { lintOpenApi } from '../../scripts/check/lint-openapi.js';
import { openApiDocument, type Part } from '../../src/wire/openapi/index.ts';

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

test('every operation has a description, and no status is a wildcard, which generators of clients do not read', () => {
  const operations = Object.values(openApiDocument().paths).flatMap(methods => Object.values(methods));
  expect(operations).toHaveLength(27);
  for (const { operationId, description, responses } of operations as Part[]) {
    expect([operationId, description]).toEqual([operationId, expect.stringMatching(/\w/)]);
    const statuses = Object.keys(responses as Part);
    expect(statuses).toEqual(expect.arrayContaining(['200', 'default']));
    expect(statuses.filter(status => !/^(\d{3}|default)$/.test(status))).toEqual([]);
  }
});
