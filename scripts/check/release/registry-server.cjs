// Verdaccio on a free loopback port, which it tells the process that started it: node registry-server.cjs NODE_MODULES CONFIG
'use strict';
const { join } = require('node:path');

const [packages, config] = process.argv.slice(2);
const { runServer } = Object(require(join(packages, 'verdaccio')));

runServer(config).then(server =>
  server.listen(0, '127.0.0.1', () => process.send?.(Object(server.address()).port)),
);
process.once('disconnect', () => process.exit());
