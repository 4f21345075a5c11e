import { respond } from './operations.js';

addEventListener('fetch', (/** @type {any} */ event) => event.respondWith(respond(event.request)));
