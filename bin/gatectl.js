#!/usr/bin/env node
'use strict';
const { main, processIo, thisBundle, exitWhenDone } = require('../dist/gatectl.cjs');

exitWhenDone(process, main(process.argv.slice(2), processIo(process, thisBundle())));
