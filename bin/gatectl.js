#!/usr/bin/env node
'use strict';
const { main, processIo, thisBundle } = require('../dist/gatectl.cjs');

main(process.argv.slice(2), processIo(process, thisBundle())).then(code => {
  process.exitCode = code;
});
