/** `npm start`: install what is missing, then run everything on this machine (`palimpsest up`). */
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';
import { execNode } from './exec-node.mjs';

const program = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
execNode(ensure(), [program, 'up', ...process.argv.slice(2)]);
