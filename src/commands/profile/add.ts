import { addProfile } from '../../config/store.ts';
import { boolean, defineCommand, oneOf, required, string } from '../framework/define-command.ts';
import { NOTHING } from '../framework/output-schema.ts';
import { KEY_FLAGS, keySourceFromFlags } from './key-flags.ts';
import { storeOptions } from './store.ts';
import { askForProfile } from './wizard.ts';

export const add = defineCommand({
  name: 'add',
  summary: 'store a gateway under a name',
  description:
    'Stores a base URL, defaults and where the API key comes from. The first profile becomes the one in use. On a terminal, what is missing is asked for; elsewhere flags and stdin say it all. The key is never taken from the command line, where others could see it.',
  arguments: { name: required('name', 'how you will call it') },
  options: {
    domain: string('--domain <domain>', 'the domain to ask about when none is given', {
      completes: 'domain',
      isPasted: true,
    }),
    brand: string(
      '--brand <word>',
      "the service's brand word in header names and platform values (default service)",
    ),
    ...KEY_FLAGS,
    keyIn: oneOf('--key-in <place>', 'where Subscriptions and CDN calls carry the key (default header)', [
      'header',
      'query',
    ]),
    timeZone: string('--time-zone <zone>', 'IANA time zone in which days begin and times are shown', {
      completes: 'time-zone',
    }),
    caFile: string('--ca-file <file>', 'PEM file of a further certificate authority to trust', {
      completes: 'file',
    }),
    protected: boolean('--protected', 'a purge of a whole domain always wants --confirm'),
    prefixSubscriptions: string(
      '--prefix-subscriptions <path>',
      'path of the Subscriptions API below the base URL',
    ),
    prefixCdn: string('--prefix-cdn <path>', 'path of the CDN API below the base URL'),
    prefixBdaV1: string('--prefix-bda-v1 <path>', 'path of the analytics API v1 below the base URL'),
    prefixBdaV2: string('--prefix-bda-v2 <path>', 'path of the analytics API v2 below the base URL'),
    replace: boolean('--replace', 'overwrite a profile of the same name'),
  },
  examples: [
    {
      does: 'with the key from a file that only you can read',
      command:
        'gatectl profile add news --base-url https://gateway.example.com --domain example.com --api-key-file ~/.secrets/gateway',
    },
    {
      does: 'with the key from a password store',
      command:
        "gatectl profile add news --base-url https://gateway.example.com --key-command 'pass show gateway'",
    },
    { does: 'asked step by step', command: 'gatectl profile add news' },
  ],
  answers: NOTHING,
  async run({ name, replace, ...flags }, context) {
    const { baseUrl, insecureHttp } = context.globals.flags;
    const given = { ...flags, baseUrl: baseUrl === undefined ? undefined : String(baseUrl) };
    const { prompt } = context;
    const { settings, key } =
      given.baseUrl === undefined && prompt !== undefined
        ? await askForProfile(prompt, name, given, context)
        : { settings: given, key: await keySourceFromFlags(given, name, given.baseUrl, context) };
    const { apiKeyStdin, apiKeyFile, keyCommand, keyring, ...rest } = { ...given, ...settings };
    const stored = { ...rest, protected: rest.protected ? 'true' : undefined };
    const { path, isCurrent } = await addProfile(storeOptions(context), name, {
      settings: stored,
      key,
      replace,
      insecureHttp,
    });
    context.log.note(
      `stored profile ${name} in ${path}${isCurrent ? '; it is the one in use' : `; use it with --profile ${name}`}`,
    );
    if (key === undefined)
      context.log.note(
        'it has no key: set GATECTL_API_KEY, or add it again with --api-key-stdin and --replace',
      );
  },
});
