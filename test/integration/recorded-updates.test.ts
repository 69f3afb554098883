/** Every recorded update of both platforms through normaliser and store: stored, or marked with a reason; never twice. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLogger, type AccountRef, type IncomingUpdate, type IntakePolicy } from '@palimpsest/core';
import { normaliseDispatch } from '@palimpsest/platforms';
import { openStore } from '@palimpsest/store';
import { normaliseRaw } from '../../packages/platforms/src/telegram/normalise-update.ts';
import { createTestDatabase } from '../support/database.ts';
import { sharedPath } from '../support/shared.ts';

const telegram = sharedPath('updates/telegram');
const discord = sharedPath('updates/discord');

function policyOf(account: AccountRef): IntakePolicy {
  const lists = { allowAll: true, allowedUsers: [], allowedChats: [] };
  return { account, lists, engine: 'compressor', waitForMoreMs: 1_000, requireMention: true };
}

function readAll(folder: string): Buffer[] {
  return readdirSync(folder).map((file) => readFileSync(join(folder, file)));
}

/** Many recordings carry the same update_id: here each arrived under its own. */
function distinct(updates: readonly IncomingUpdate[]): IncomingUpdate[] {
  return updates.map((update, index) => ({ ...update, updateKey: String(1_000 + index) }));
}

describe.skipIf(telegram.missing || discord.missing)('recorded updates', () => {
  const sources = telegram.missing
    ? []
    : [
        {
          account: { platform: 'telegram', id: '7000000001' } as const,
          updates: readAll(telegram.path).map((raw) =>
            normaliseRaw(raw, { id: '7000000001', username: 'palimpsest_test_bot' }),
          ),
          atLeast: 100,
        },
        {
          account: { platform: 'discord', id: '1027672206240022830' } as const,
          updates: readAll(discord.path).flatMap((raw) => {
            const frame = JSON.parse(raw.toString()) as { t?: string | null; d?: unknown };
            return frame.t
              ? [normaliseDispatch(frame.t, frame.d, { id: '1027672206240022830', name: 'palimpsest' })]
              : [];
          }),
          atLeast: 40,
        },
      ];

  test.each(sources)(
    'of $account.platform are stored or marked in one batch, and a second time all are duplicates',
    async ({ account, updates, atLeast }) => {
      await using database = await createTestDatabase();
      const store = await openStore({ databaseUrl: database.url, logger: silentLogger });
      try {
        const batch = distinct(updates);
        const first = await store.intake.storeUpdates(policyOf(account), batch);
        const second = await store.intake.storeUpdates(policyOf(account), batch);

        expect(batch.length).toBeGreaterThanOrEqual(atLeast);
        expect(first).toHaveLength(batch.length);
        expect(first.filter((update) => update.result === 'unparsed')).toEqual([]);
        expect(first.some((update) => update.result === 'stored')).toBe(true);
        expect(
          first
            .filter((update) => update.result === 'ignored')
            .every((update) => update.reason !== undefined),
        ).toBe(true);
        expect(new Set(second.map((update) => update.result))).toEqual(new Set(['duplicate']));
      } finally {
        await store.close();
      }
    },
  );
});
