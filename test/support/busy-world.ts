/** Conversations in which messages come while an answer is being written. */
import type { Tool } from '@palimpsest/core';
import type { ScriptAnswer, ScriptRequest } from '@palimpsest/testkit';
import pg from 'pg';
import { openTurnWorld, pause } from './turn-world.ts';

/** The last line of each message of the person in a request, without headers. */
export function said(request: ScriptRequest | undefined): string[] {
  return (request?.messages ?? [])
    .filter((message) => message.role === 'user')
    .flatMap((message) => message.text.split('\n'))
    .filter((line) => line !== '' && !line.startsWith('['));
}

/** A door that stays shut until it is opened. */
export function door() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

interface Wish {
  mode: string;
  ack?: boolean;
  script: (request: ScriptRequest, prompts: readonly ScriptRequest[]) => ScriptAnswer | Promise<ScriptAnswer>;
  tools?: readonly Tool[];
}

export async function busyWorld({ mode, ack = false, script, tools }: Wish) {
  const prompts: ScriptRequest[] = [];
  const world = await openTurnWorld({
    config: `display:\n  busy_input_mode: ${mode}\n  busy_ack_enabled: ${String(ack)}\n`,
    tools,
    script: (request) => {
      prompts.push(request);
      return script(request, prompts);
    },
  });
  return {
    ...world,
    prompts,
    async prompted(count: number): Promise<void> {
      while (prompts.length < count) await pause();
    },
    async sql(text: string): Promise<Record<string, unknown>[]> {
      const client = new pg.Client({ connectionString: world.databaseUrl });
      await client.connect();
      try {
        return (await client.query<Record<string, unknown>>(text)).rows;
      } finally {
        await client.end();
      }
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}
