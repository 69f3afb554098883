import { bigint, customType, smallint, timestamp } from 'drizzle-orm/pg-core';

/** Raw bytes: updates as received, payload contents. */
export const bytea = customType<{ data: Uint8Array; driverData: Uint8Array }>({ dataType: () => 'bytea' });

/** A text-search vector; written as a literal made by `search/tokens.ts`, never read back. */
export const tsvector = customType<{ data: string; driverData: string }>({ dataType: () => 'tsvector' });

/** A count or id that stays below 2^53. */
export const whole = (name: string) => bigint(name, { mode: 'number' });

/** A 0/1 flag of a transcript row; smallint, because two of them make three states that SQL sums and indexes. */
export const bit = (name: string) => smallint(name);

/** A moment of the database's clock. */
export const moment = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
