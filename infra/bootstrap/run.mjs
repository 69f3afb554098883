/** `node infra/bootstrap/run.mjs FILE ARGS…`: install what is missing, then run a TypeScript program of ours. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensure } from './ensure.mjs';
import { execNode } from './exec-node.mjs';

const [file, ...args] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('usage: node infra/bootstrap/run.mjs FILE ARGS…\n');
  process.exit(2);
}
execNode(ensure(), [resolve(fileURLToPath(new URL('../../', import.meta.url)), file), ...args]);
