/** Folders of plug-in engines, written for a test and gone with it. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@palimpsest/core';

export const examplePlugIn = fileURLToPath(
  new URL('../../infra/examples/plugins/context_engine/recent-turns', import.meta.url),
);

/** plugIns  text of index.ts by the name of the folder; `true`: the example of the repository */
export function plugInFolder(plugIns: Readonly<Record<string, string | true>>) {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-plug-ins-'));
  for (const [name, text] of Object.entries(plugIns)) {
    if (text === true) {
      cpSync(examplePlugIn, join(path, name), { recursive: true });
      continue;
    }
    mkdirSync(join(path, name), { recursive: true });
    writeFileSync(join(path, name, 'index.ts'), text);
  }
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A whole engine that does as little as there is; `members` are put in the place of its own. */
export function engineText(name: string, members = ''): string {
  return `
export function register(host) {
  host.registerContextEngine({ name: ${JSON.stringify(name)}, create: () => ({
    name: ${JSON.stringify(name)},
    systemText: 'This is ${name}.',
    shouldCompress: () => ({ kind: 'no', reason: 'below_threshold' }),
    assemble: async (view) => {
      const bodies = await view.bodies(view.rows.map((row) => row.id));
      return { messages: view.rows.map((row) => ({ role: row.role, parts: bodies.get(row.id).parts, rowId: row.id })) };
    },
    compress: async () => ({ kind: 'none', outcome: 'noop', reason: 'none', summaryModel: null, summaryCalls: 0, message: '' }),
    updateFromResponse: () => ({}),
    updateModel: () => ({}),
    getToolSchemas: () => [],
    handleToolCall: async () => ({ result: { text: 'none', isError: true } }),
    enter: async () => null,
    leave: async () => null,
    onSessionStart() {},
    onSessionEnd() {},
    onSessionReset() {},
    getStatus: () => ({ engine: ${JSON.stringify(name)}, triggerTokens: 1, prepareTokens: 1, hardLimitTokens: 1, lines: ['I am ${name}.'] }),
    commands: () => [],
    ${members}
  }) });
}
`;
}

export interface Warning {
  fields: Record<string, unknown>;
  message: string;
}

/** A logger that keeps its warnings. */
export function warningLog(): { logger: Logger; warnings: Warning[] } {
  const warnings: Warning[] = [];
  const logger: Logger = {
    debug() {},
    info() {},
    warn: (fields, message) => void warnings.push({ fields: { ...fields }, message }),
    error() {},
    child: () => logger,
  };
  return { logger, warnings };
}
