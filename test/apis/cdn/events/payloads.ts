/**
 * Requests of content systems, with signatures that were not made by gatectl: those of Sanity by `@sanity/webhook` 4.0.4, of Contentful by
 * `@contentful/node-apps-toolkit` 3.16.1, of WordPress by `standardwebhooks` 1.1.1, and of Ghost by the expression in its
 * `services/webhooks/WebhookTrigger.js`. Strapi documents no signature, only a header. Contents have the members of
 * docs.ghost.org/webhooks, sanity.io/docs/webhooks, contentful.com/developers/docs/webhooks and
 * docs.strapi.io/cms/backend-customization/webhooks.
 */
export const SENT_AT = 1_774_000_000_000;

interface Payload {
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const PAYLOADS = {
  ghost: {
    secret: 'ghost secret',
    headers: {
      'x-ghost-signature': `sha256=bcf124f5afe3c41882e859564c9f0b8ff74fbcad1994f5902bcafef5c0b3dfd7, t=${SENT_AT}`,
    },
    body: '{"event":"post.published.edited","post":{"current":{"id":"6a1","slug":"new-name","status":"published","url":"https://ghost.example.com/new-name/","updated_at":"2026-03-20T09:46:39.000Z","tags":[{"id":"t1","slug":"berlin","name":"Berlin"}],"authors":[{"id":"1","slug":"anna","name":"Anna"}]},"previous":{"slug":"old-name","updated_at":"2026-03-19T09:00:00.000Z","tags":[{"id":"t2","slug":"trams","name":"Trams"}]}}}',
  },
  sanity: {
    secret: 'sanity secret ü',
    headers: {
      'sanity-webhook-signature': `t=${SENT_AT},v1=Bpf_4UGN1IW_si0jiszqEuaF5ynEBlKfQdQINrZbntA`,
      'sanity-operation': 'update',
    },
    body: '{"_id":"a1","_type":"article","_rev":"r2","_updatedAt":"2026-03-20T09:46:39Z","slug":{"_type":"slug","current":"new-name"},"old_slug":"old-name","tags":["berlin","trams"]}',
  },
  contentful: {
    secret: 'ccccccccccccccccccccccccccccccccD/+_-=0123456789eeeeeeeeeeeeeeee',
    headers: {
      'x-contentful-topic': 'ContentManagement.Entry.publish',
      'content-type': 'application/vnd.contentful.management.v1+json',
      'x-contentful-signature': 'b63d8571cfe396e588e6cca3122b203dd990790d6f8c3b6c1e9683774f69969f',
      'x-contentful-signed-headers':
        'content-type,x-contentful-signed-headers,x-contentful-timestamp,x-contentful-topic',
      'x-contentful-timestamp': `${SENT_AT}`,
    },
    body: '{"metadata":{"tags":[{"sys":{"type":"Link","linkType":"Tag","id":"berlin"}}]},"sys":{"type":"Entry","id":"5KsDBWseXY6QegucYAoacS","space":{"sys":{"type":"Link","linkType":"Space","id":"yadj1kx9rmg0"}},"contentType":{"sys":{"type":"Link","linkType":"ContentType","id":"article"}},"publishedCounter":3,"updatedAt":"2026-03-20T09:46:39.000Z"},"fields":{"title":{"en-US":"Trams"},"slug":{"en-US":"trams","de-DE":"strassenbahnen"},"author":{"en-US":{"sys":{"type":"Link","linkType":"Entry","id":"anna"}}}}}',
  },
  wordpress: {
    secret: 'whsec_c3RhbmRhcmQgc2VjcmV0',
    headers: {
      'webhook-id': 'msg_1',
      'webhook-timestamp': `${SENT_AT / 1000}`,
      'webhook-signature': 'v1,invalid v1,4tq8POmWVn00kNgPBqUKl8NeKKg/WCh1Fi/9TkVtdww=',
    },
    body: '{"post_id":7,"post_type":"post","post_status":"publish","previous_status":"publish","permalink":"http://www.example.com/2026/new-name/","previous_permalink":"http://www.example.com/2026/old-name/","author":"anna","terms":{"category":["news"],"post_tag":["trams"]},"previous_terms":{"category":["news"],"post_tag":["berlin"]}}',
  },
  strapi: {
    secret: 'strapi token',
    headers: { authorization: 'Bearer strapi token', 'x-strapi-event': 'entry.publish' },
    body: '{"event":"entry.publish","createdAt":"2026-03-20T09:46:40.000Z","model":"article","uid":"api::article.article","entry":{"id":2,"documentId":"h90lgohlzfpjf3bvan72mzll","slug":"trams","publishedAt":"2026-03-20T09:46:39.000Z","tags":[{"id":1,"slug":"berlin"}],"author":{"id":3,"slug":"anna"},"category":{"id":1,"slug":"news"}}}',
  },
} as const satisfies Record<string, Payload>;

export type System = keyof typeof PAYLOADS;

/** The request of a system, with changes; a header that is undefined is not sent. */
export function requestOf(
  system: System,
  {
    path = `/events/${system}`,
    body = PAYLOADS[system].body,
    headers = {},
    method = 'POST',
  }: {
    path?: string;
    body?: string;
    method?: string;
    headers?: Readonly<Record<string, string | undefined>>;
  } = {},
): Request {
  const all = Object.entries({ ...PAYLOADS[system].headers, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as [string, string]],
  );
  return new Request(`http://127.0.0.1${path}`, {
    method,
    headers: all,
    ...(method !== 'GET' && { body }),
  });
}
