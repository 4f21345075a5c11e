import { createHash } from 'node:crypto';
import type { OpenApiDocument, Part } from '../wire/openapi/index.ts';
import type { SandboxReply } from './routing.ts';

/** Schemas within schemas that are shown. */
const MAX_DEPTH = 6;

const STYLE = `:root{color-scheme:light dark;--line:#8886;--dim:#666;--mark:#b45309}
@media(prefers-color-scheme:dark){:root{--dim:#aaa;--mark:#fbbf24}}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h2{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:1rem;font-size:1.2rem}h3{font-size:1rem;margin:1.2rem 0 .3rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}
th button{font:inherit;font-weight:600;background:none;border:0;padding:0;cursor:pointer;color:inherit}
th[aria-sort=ascending] button::after{content:" \\2191"}th[aria-sort=descending] button::after{content:" \\2193"}
code,pre{font:14px/1.4 ui-monospace,monospace}pre{overflow:auto;border:1px solid var(--line);padding:.6rem;border-radius:4px}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}ul{padding-left:1.2rem;margin:.2rem 0}
.dim{color:var(--dim)}.assumed{color:var(--mark)}a{color:inherit}:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
[hidden]{display:none}@media(max-width:600px){.wide{display:none}}
@media print{input,label,#count{display:none}h2{break-before:auto;break-after:avoid}pre{white-space:pre-wrap;overflow:visible}body{max-width:none}}`;

/** Searches and sorts the list. Without it, the page shows everything. */
const SCRIPT = `const search=document.getElementById('search'),body=document.querySelector('#operations tbody'),count=document.getElementById('count');
const rows=[...body.rows],sections=new Map(rows.map(row=>[row,document.getElementById(row.dataset.of)]));
const words=row=>(row.textContent+' '+sections.get(row).textContent).toLowerCase();
const find=()=>{const wanted=search.value.toLowerCase().split(/\\s+/).filter(Boolean);let found=0;
for(const row of rows){const shown=wanted.every(word=>words(row).includes(word));row.hidden=!shown;sections.get(row).hidden=!shown;found+=shown}
count.textContent=found+' of '+rows.length+' operations'};
search.addEventListener('input',find);find();
document.addEventListener('keydown',event=>{if(event.key==='/'&&event.target!==search){event.preventDefault();search.focus()}
if(event.key==='Escape'&&search.value!==''){search.value='';find()}});
document.querySelectorAll('#operations th').forEach((head,index)=>head.querySelector('button').addEventListener('click',()=>{
const descending=head.getAttribute('aria-sort')==='ascending';
for(const other of head.parentNode.cells)other.setAttribute('aria-sort','none');
head.setAttribute('aria-sort',descending?'descending':'ascending');
rows.sort((a,b)=>a.cells[index].textContent.localeCompare(b.cells[index].textContent)*(descending?-1:1));body.append(...rows)}))`;

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page to read the document, which needs no other file. */
export function openApiPage(document: OpenApiDocument): SandboxReply {
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    body: pageOf(document),
  };
}

interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly part: Part;
}

function pageOf(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, value]): Operation => {
      const part = value as Part;
      const [tag] = part.tags as readonly string[];
      return { id: String(part.operationId), method: method.toUpperCase(), path, tag: tag ?? '', part };
    }),
  );
  const { title, description } = document.info;
  const servers = document.servers.map(({ url }) => `<code>${escaped(url)}</code>`).join(', ');
  const heads = ['API', 'Method', 'Path', 'Summary'].map(
    (name, index) =>
      `<th scope="col" aria-sort="none"${index === 3 ? ' class="wide"' : ''}><button type="button">${name}</button></th>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><header><h1>${escaped(title)}</h1><p>${prose(description)}</p>
<p>Base URL: ${servers} · <a href="openapi.json">openapi.json</a> (OpenAPI ${escaped(document.openapi)})</p></header>
<main><label for="search">Search (press /; Esc clears)</label><input id="search" type="search" autocomplete="off">
<p id="count" class="dim" role="status"></p>
<table id="operations"><thead><tr>${heads.join('')}</tr></thead><tbody>
${operations.map(listed).join('\n')}
</tbody></table>
${operations.map(operation => section(operation, document)).join('\n')}
</main><script>${SCRIPT}</script></body></html>
`;
}

function listed({ id, method, path, tag, part }: Operation): string {
  return `<tr data-of="${escaped(id)}"><td>${escaped(tag)}</td><td><code>${method}</code></td><td><a href="#${escaped(id)}"><code>${escaped(path)}</code></a></td><td class="wide">${escaped(part.summary ?? '')}</td></tr>`;
}

function section({ id, method, path, part }: Operation, document: OpenApiDocument): string {
  const {
    parameters = [],
    requestBody,
    responses = {},
    security = [],
  } = part as {
    readonly parameters?: readonly Part[];
    readonly requestBody?: Part;
    readonly responses?: { readonly [status: string]: Part };
    readonly security?: readonly Part[];
  };
  const keys = security.flatMap(Object.keys).map(name => {
    const scheme = document.components.securitySchemes[name] as Part;
    return `<code>${escaped(scheme.name)}</code> (${escaped(scheme.in)})`;
  });
  return `<section id="${escaped(id)}"><h2>${method} <code>${escaped(path)}</code></h2>
<p>${escaped(part.summary ?? '')}</p>${part.description === undefined ? '' : `<p>${prose(part.description)}</p>`}${assumed(part)}
<p>Key: ${keys.join(' or ')}</p>
${parameters.length === 0 ? '' : `<h3>Parameters</h3><ul>${parameters.map(each => parameter(each, document)).join('')}</ul>`}
${requestBody === undefined ? '' : `<h3>Body</h3>${content(requestBody, document)}`}
${Object.entries(responses)
  .map(
    ([status, response]) =>
      `<h3>Response ${escaped(status)}</h3><p>${prose(response.description ?? '')}</p>${assumed(response)}${content(response, document)}`,
  )
  .join('\n')}</section>`;
}

function parameter(each: Part, document: OpenApiDocument): string {
  const { name, required, schema = {}, description } = each;
  return `<li><code>${escaped(name)}</code> <span class="dim">${escaped(each.in)}, ${escaped(typeOf(schema as Part, document))}${required ? ', required' : ''}</span> ${prose(description ?? (schema as Part).description ?? '')}${assumed(each)}</li>`;
}

function content(part: Part, document: OpenApiDocument): string {
  return Object.entries((part.content ?? {}) as { readonly [type: string]: Part })
    .map(([type, { schema = {}, examples = {} }]) => {
      const shown = Object.values(examples as { readonly [name: string]: Part }).map(
        ({ value }) =>
          `<pre tabindex="0">${escaped(typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))}</pre>`,
      );
      return `<p class="dim">${escaped(type)}</p>${fields(schema as Part, document, 0)}${shown.join('')}`;
    })
    .join('');
}

/** The members of a schema as a list, and theirs. */
function fields(given: Part, document: OpenApiDocument, depth: number): string {
  const schema = resolved(given, document);
  if (depth > MAX_DEPTH) return '';
  const inner = schema.items ?? schema.additionalProperties;
  const ofItems =
    typeof inner === 'object' && inner !== null ? fields(inner as Part, document, depth + 1) : '';
  const choices = [schema.oneOf, schema.anyOf, schema.allOf].flatMap(list => (list ?? []) as Part[]);
  const ofChoices = choices.map(choice => fields(choice, document, depth + 1)).join('');
  const required = (schema.required ?? []) as readonly string[];
  const members = Object.entries((schema.properties ?? {}) as { readonly [name: string]: Part }).map(
    ([name, member]) =>
      `<li><code>${escaped(name)}</code> <span class="dim">${escaped(typeOf(member, document))}${required.includes(name) ? ', required' : ''}</span> ${prose(resolved(member, document).description ?? '')}${assumed(resolved(member, document))}${fields(member, document, depth + 1)}</li>`,
  );
  return (members.length === 0 ? '' : `<ul>${members.join('')}</ul>`) + ofItems + ofChoices;
}

function resolved(schema: Part, { components }: OpenApiDocument): Part {
  const [, name] = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? '')) ?? [];
  return name === undefined ? schema : { ...components.schemas[name], ...schema };
}

function typeOf(given: Part, document: OpenApiDocument): string {
  const schema = resolved(given, document);
  const choices = (schema.oneOf ?? schema.anyOf) as readonly Part[] | undefined;
  if (choices !== undefined) return choices.map(choice => typeOf(choice, document)).join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map(value => JSON.stringify(value)).join(', ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array') return `list of ${typeOf((schema.items ?? {}) as Part, document)}`;
  const limits = [
    schema.format,
    schema.minimum === undefined ? undefined : `from ${schema.minimum}`,
    schema.maximum === undefined ? undefined : `to ${schema.maximum}`,
  ].filter(text => text !== undefined);
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any');
  return [type, ...limits].join(' ');
}

function assumed(part: Part): string {
  const text = part['x-assumed'];
  if (text === undefined) return '';
  return ` <span class="assumed">assumed${typeof text === 'string' ? `: ${prose(text)}` : ''}</span>`;
}

/** Text with code between backticks. */
function prose(text: unknown): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: unknown): string {
  return String(text).replaceAll(/[&<>"']/g, character => ENTITIES[character] ?? character);
}
