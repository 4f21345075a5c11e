// Prints the notes of a version, from CHANGELOG.md: node scripts/release/notes.js 0.1.0
import { readFileSync } from 'node:fs';
import { notesOf } from './changelog.js';

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('usage: node scripts/release/notes.js VERSION');
process.stdout.write(notesOf(version, readFileSync('CHANGELOG.md', 'utf8')));
