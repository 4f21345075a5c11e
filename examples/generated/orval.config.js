module.exports = {
  gateway: {
    input: './openapi.json',
    output: {
      target: './clients/orval.ts',
      client: 'fetch',
      override: { mutator: { path: './tests/send.ts', name: 'send' } },
    },
  },
};
