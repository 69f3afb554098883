/** One batch of updates in one transaction; an update that cannot be stored does not take the others with it. */
import {
  cleanDeep,
  cleanText,
  GatewayError,
  type IncomingUpdate,
  type IntakePolicy,
  type StoredUpdate,
} from '@palimpsest/core';
import { type Database, savepoint, transaction, type Transaction } from '../database.ts';
import { StatementRefused } from '../database-error.ts';
import { storeBatch } from './store-batch.ts';
import { writeInbox } from './write-inbox.ts';

/** See the port. Retryable errors (database away, full, deadlock) end the whole batch: nothing of it was stored. */
export function storeUpdates(
  db: Database,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<readonly StoredUpdate[]> {
  if (updates.length === 0) return Promise.resolve([]);
  const clean = updates.map(cleanUpdate);
  return transaction(db, async (tx) => {
    const results = await unlessPoison(tx, () => storeBatch(tx, policy, clean));
    return results ?? (await storeOneByOne(tx, policy, clean));
  });
}

// NUL and lone surrogates would make a message unstorable; what arrived stays as it was in `raw`.
function cleanUpdate(update: IncomingUpdate): IncomingUpdate {
  return { ...update, updateKey: cleanText(update.updateKey), content: cleanDeep(update.content) };
}

/** The whole batch goes through behind one savepoint; only when that fails does each update get its own. */
async function storeOneByOne(
  tx: Transaction,
  policy: IntakePolicy,
  updates: readonly IncomingUpdate[],
): Promise<StoredUpdate[]> {
  const results: StoredUpdate[] = [];
  for (const update of updates) {
    const stored = await unlessPoison(tx, () => storeBatch(tx, policy, [update]));
    results.push(stored?.[0] ?? (await storeRaw(tx, policy, update)));
  }
  return results;
}

/** The last resort: bytes and key, marked unparsed. It throws when even these are refused: nothing unstored is confirmed. */
async function storeRaw(
  tx: Transaction,
  policy: IntakePolicy,
  update: IncomingUpdate,
): Promise<StoredUpdate> {
  const { updateKey } = update;
  const row = { updateKey, raw: update.raw, status: 'unparsed', reason: 'poison' } as const;
  const fresh = await writeInbox(tx, policy.account, [row]);
  if (fresh.size === 0) return { updateKey, result: 'duplicate' };
  return { updateKey, result: 'unparsed', reason: 'poison' };
}

/** Null when `work` failed for a reason that lies in the update: its values, or a bug of ours that they wake. */
async function unlessPoison<Result>(tx: Transaction, work: () => Promise<Result>): Promise<Result | null> {
  try {
    return await savepoint(tx, work);
  } catch (thrown) {
    const isPoison =
      thrown instanceof StatementRefused
        ? thrown.isAboutData
        : thrown instanceof GatewayError && thrown.code === 'internal';
    if (isPoison) return null;
    throw thrown;
  }
}
