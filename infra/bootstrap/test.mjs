/** `npm test [-- PATH…]`: install what is missing, then run every check and every test. */
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';
import { execNode } from './exec-node.mjs';

const program = fileURLToPath(new URL('./run-tests.ts', import.meta.url));
execNode(ensure({ tests: true }), [program, ...process.argv.slice(2)]);
