// What gatectl changes in the AWS SDK, and why.

/** @type {import('./plugin.d.ts').LibraryPatch} */
export const awsSdkPatch = {
  library: '@aws-sdk/core',
  changes: [
    {
      reason:
        'it prints a notice about versions of Node that later versions of the SDK will not support, which no user of gatectl can act on',
      file: 'dist-es/submodules/client/emitWarningIfUnsupportedVersion.js',
      line: 'if (version && !state.warningEmitted) {',
      by: 'if (false) {',
      bundleOnly: true,
    },
  ],
};
