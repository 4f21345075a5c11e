// Preloaded into a process: at its end it writes which addresses it connected or sent to, which names it resolved and which programs it
// started.
const childProcess = require('node:child_process');
const dgram = require('node:dgram');
const dns = require('node:dns');
const { writeFileSync } = require('node:fs');
const net = require('node:net');

const seen = new Set();

/** Calls `note` with the arguments of each call of a method. */
function record(owner, name, note) {
  const original = owner[name];
  owner[name] = function (...given) {
    seen.add(note(given));
    return original.apply(this, given);
  };
}

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...given) {
  const [first, second] = Array.isArray(given[0]) ? given[0] : given;
  const {
    path,
    host = 'localhost',
    port,
  } = typeof first === 'object'
    ? first
    : { port: first, host: typeof second === 'string' ? second : undefined };
  seen.add(path === undefined ? `connect ${host}:${port}` : `connect ${path}`);
  return connect.apply(this, given);
};
for (const name of ['send', 'connect'])
  record(dgram.Socket.prototype, name, given => `udp ${given.slice(-3, -1)}`);
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.keys(dns).filter(name => /^(?:lookup|resolve|reverse)/.test(name)))
    if (typeof owner[name] === 'function') record(owner, name, ([asked]) => `name ${asked}`);
}
for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync', 'exec', 'execSync', 'fork'])
  record(childProcess, name, ([program]) => `program ${program}`);
process.on('exit', () => writeFileSync(process.env.RECORD_TO, JSON.stringify([...seen])));
