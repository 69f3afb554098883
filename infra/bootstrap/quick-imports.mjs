/**
 * `node --import` this: drizzle-orm is loaded as its CommonJS build.
 *
 * For every module that is imported from a package Node parses that package's package.json again. The one of
 * drizzle-orm has 179 KB and its modules are a hundred: more than half of the processor time of a start.
 * Both builds are the same code, and every import and require passes here, so that only one of them is ever loaded.
 */
import { registerHooks } from 'node:module';

/** As programs name it, and as vitest does, which has resolved the name itself. */
const byName = /^drizzle-orm(\/|$)/;
const byFile = /\/node_modules\/drizzle-orm\/.*\.js$/;

const found = new Map();

registerHooks({
  resolve(specifier, context, next) {
    if (byName.test(specifier)) {
      if (!found.has(specifier))
        found.set(specifier, next(specifier, { ...context, conditions: ['node', 'require'] }).url);
      return { url: found.get(specifier), format: 'commonjs', shortCircuit: true };
    }
    if (byFile.test(specifier)) return next(specifier.replace(/\.js$/, '.cjs'), context);
    return next(specifier, context);
  },
});
