/** The table "Who may import whom" as data, and the sentences for whoever breaks it. */
import type { Import } from './read-imports.ts';

const core = ['core'];

/** Package → packages it may import. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  platforms: core,
  queue: core,
  store: core,
  providers: core,
  metrics: core,
  engines: core,
  hygiene: core,
  agent: core,
  turn: ['core', 'hygiene', 'agent'],
  testkit: core,
};

/** App → apps it may import; every app may import every package. */
export const appMayImport: Readonly<Record<string, readonly string[]>> = {
  gateway: [],
  worker: [],
  dashboard: ['gateway'],
  cli: ['gateway', 'worker', 'dashboard', 'evals'],
  evals: ['gateway', 'worker', 'dashboard', 'cli'],
};

/** Library → the only places that may import it, and what everybody else uses instead. */
const confined: readonly { readonly library: RegExp; readonly places: RegExp; readonly instead: string }[] = [
  {
    library: /^(grammy|discord\.js|@discordjs\/|discord-api-types)/,
    places: /^packages\/platforms\//,
    instead: 'the listener and sender of @palimpsest/platforms behind the ports of @palimpsest/core',
  },
  {
    library: /^(bullmq|ioredis)/,
    places: /^packages\/queue\//,
    instead: 'createQueue of @palimpsest/queue, behind the port Queue of @palimpsest/core',
  },
  {
    library: /^(drizzle-orm|pg)(\/|$)/,
    places: /^packages\/(store\/|testkit\/src\/.*database)/,
    instead: 'the stores of @palimpsest/store, behind the ports of @palimpsest/core',
  },
  {
    library: /^(@anthropic-ai\/sdk|openai|@modelcontextprotocol\/sdk)/,
    places: /^packages\/providers\//,
    instead: 'the models of @palimpsest/providers, behind the port of @palimpsest/core',
  },
  {
    // Hundreds of files, which a start without telemetry does not load.
    library: /^@opentelemetry\//,
    places: /^packages\/metrics\/src\/telemetry\//,
    instead:
      'the port Tracer of @palimpsest/core, and openTelemetry of @palimpsest/metrics/telemetry, imported when asked for',
  },
  {
    library: /^(ws|ajv|busboy)(\/|$)/,
    places: /^packages\/testkit\//,
    instead: 'nothing: only the counterparts for tests in packages/testkit need it',
  },
];

/** Built-in modules that touch the world; the thinkers decide and leave the doing to others. */
const worldModules =
  /^(node:)?(fs|net|http|https|http2|tls|dns|dgram|child_process|worker_threads|cluster)(\/|$)/;
const thinkers = new Set(['engines', 'hygiene', 'agent']);

/** `packages/store/src/x.ts` → package store; undefined outside packages and apps. */
function placeOf(path: string): { readonly kind: string; readonly name: string } | undefined {
  const [, kind, name] = /^(packages|apps)\/([^/]+)\/src\//.exec(path) ?? [];
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

/** The sentence that tells what is wrong with an import and where to import from; undefined if it is fine. */
export function brokenRule(edge: Import): string | undefined {
  const from = placeOf(edge.from);
  if (from === undefined) return undefined; // Tests and the bootstrap may use anything.
  const to = placeOf(edge.to);
  const broken = to === undefined ? brokenOutside(edge, from.name) : brokenInside(edge, from, to);
  return broken === undefined ? undefined : `${edge.from} imports ${edge.specifier}: ${broken}`;
}

type Place = NonNullable<ReturnType<typeof placeOf>>;

function brokenInside(edge: Import, from: Place, to: Place): string | undefined {
  if (from.kind === to.kind && from.name === to.name) {
    return edge.specifier.startsWith('@palimpsest/') ? 'inside a package use a relative path' : undefined;
  }
  if (edge.specifier !== `@palimpsest/${to.name}`) {
    return `import it by name, from '@palimpsest/${to.name}', and export it from ${to.kind}/${to.name}/src/index.ts`;
  }
  if (to.kind === 'apps') {
    const allowed = from.kind === 'apps' ? (appMayImport[from.name] ?? []) : [];
    return allowed.includes(to.name)
      ? undefined
      : `${from.kind}/${from.name} may import ${listOf(allowed)} of the apps; move what both need into a package`;
  }
  if (from.kind === 'apps') return undefined;
  const allowed = mayImport[from.name] ?? [];
  if (allowed.includes(to.name)) return undefined;
  return (
    `packages/${from.name} may import ${listOf(allowed)} of ours; put the interface into @palimpsest/core ` +
    'and let the app hand the implementation in'
  );
}

function brokenOutside(edge: Import, fromName: string): string | undefined {
  const rule = confined.find(({ library }) => library.test(edge.specifier));
  if (rule !== undefined && !rule.places.test(edge.from)) return `use ${rule.instead}`;
  if (edge.from.startsWith('packages/') && thinkers.has(fromName) && worldModules.test(edge.specifier)) {
    return 'engines, hygiene and agent touch no file, socket or process; take what you need through a port of @palimpsest/core';
  }
  const isBootstrap = /^apps\/(cli|evals)\//.test(edge.from) && edge.to.startsWith('infra/bootstrap/');
  if (/^(infra|test)\//.test(edge.to) && !isBootstrap) {
    return 'only apps/cli and apps/evals may use infra/bootstrap, and nothing but tests uses test/';
  }
  return undefined;
}

function listOf(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : `only ${names.join(', ')}`;
}
