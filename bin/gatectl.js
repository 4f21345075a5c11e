#!/usr/bin/env node
'use strict';
const { main, processIo } = require('../dist/gatectl.cjs');

main(process.argv.slice(2), processIo(process)).then(code => {
  process.exitCode = code;
});
