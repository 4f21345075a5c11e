// Preloaded into a process: at its end it writes which scripts V8 took from stored code (true), compiled anew after it refused stored
// code (false), and compiled without any (null).
const { writeFileSync } = require('node:fs');
const { basename } = require('node:path');
const vm = require('node:vm');

const scripts = {};
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts[basename(options.filename)] = options.cachedData === undefined ? null : !this.cachedDataRejected;
  }
};
process.on('exit', () => writeFileSync(process.env.SCRIPTS_TO, JSON.stringify(scripts)));
