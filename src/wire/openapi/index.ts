import { brandNames } from '../brand.ts';
import { bdaV1Parts } from './bda-v1.ts';
import { bdaV2Parts } from './bda-v2.ts';
import { cdnParts } from './cdn.ts';
import { KEY_SCHEMES, type Part } from './parts.ts';
import { subscriptionsParts } from './subscriptions.ts';

export type { Part } from './parts.ts';

interface OpenApiOptions {
  /** The service's brand word; decides header names and platform values. */
  readonly brand?: string;
  /** Root address of the gateway, without a trailing slash. A variable of the document if absent. */
  readonly baseUrl?: string;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Part;
  readonly servers: readonly Part[];
  readonly tags: readonly Part[];
  /** Path to methods to operations. */
  readonly paths: { readonly [path: string]: Part };
  readonly components: {
    readonly securitySchemes: Part;
    readonly schemas: { readonly [name: string]: Part };
  };
}

/**
 * Describes every endpoint of the gateway. Behaviour that the API documentation leaves open carries `x-assumed`. Of the parameters
 * listed under `x-exactly-one-of` a request has one, of those under `x-at-least-one-of` one or more.
 */
export function openApiDocument({ brand, baseUrl }: OpenApiOptions = {}): OpenApiDocument {
  const names = brandNames(brand);
  const apis = [subscriptionsParts(names), cdnParts(), bdaV1Parts(names), bdaV2Parts(names)];
  return {
    openapi: '3.1.1',
    info: {
      title: 'Publisher-services gateway',
      version: '1',
      summary: 'Reader access, CDN purges and analytics.',
      description:
        'An unofficial description of the gateway, written from its documentation. What the documentation leaves open is marked `x-assumed`: a gateway may behave differently there.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      baseUrl === undefined
        ? {
            url: '{base_url}',
            description: 'Root address of the gateway.',
            variables: { base_url: { default: 'https://gateway.example.com' } },
          }
        : { url: baseUrl },
    ],
    tags: apis.map(({ tag }) => tag),
    paths: Object.assign({}, ...apis.map(({ paths }) => paths)),
    components: {
      securitySchemes: KEY_SCHEMES,
      schemas: Object.assign({}, ...apis.map(api => api.schemas)),
    },
  };
}
