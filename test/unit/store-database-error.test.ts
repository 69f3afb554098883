import { GatewayError, LeaseLost } from '@palimpsest/core';
import { expect, test } from 'vitest';
import { toDatabaseError } from '../../packages/store/src/database-error.ts';

function driverError(code: string, fields: object = {}): Error {
  return Object.assign(new Error('duplicate key: (text)=(my secret)'), { code, ...fields });
}

test('a full disk is worth another try and says what to do', () => {
  const error = toDatabaseError(driverError('53100'));

  expect(error).toMatchObject({ code: 'database_full', retryable: true });
  expect(error.message).toContain('free disk space');
});

test.each(['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '08006', '53300'])(
  '%s means that the database is away',
  (code) => {
    expect(toDatabaseError(driverError(code))).toMatchObject({
      code: 'database_unavailable',
      retryable: true,
    });
  },
);

test('a connection that ended without a code is known by its wording', () => {
  const wordings = ['Connection terminated unexpectedly', 'timeout exceeded when trying to connect'];

  expect(wordings.map((wording) => toDatabaseError(new Error(wording)).code)).toEqual([
    'database_unavailable',
    'database_unavailable',
  ]);
});

test('all addresses of a host refused is one refusal', () => {
  const error = new AggregateError([driverError('ECONNREFUSED'), driverError('ECONNREFUSED')]);

  expect(toDatabaseError(error).code).toBe('database_unavailable');
});

test('a deadlock is worth another try, a broken constraint is not', () => {
  expect(toDatabaseError(driverError('40P01'))).toMatchObject({ code: 'database_error', retryable: true });
  expect(toDatabaseError(driverError('23505'))).toMatchObject({ code: 'database_error', retryable: false });
});

test('the message names code, table and constraint and quotes no value', () => {
  const wrapped = new Error('Failed query: insert … params: my secret', {
    cause: driverError('23505', {
      table: 'outbox',
      constraint: 'outbox_key',
      detail: 'Key (text)=(my secret)',
    }),
  });

  const error = toDatabaseError(wrapped);

  expect(error.message).toContain('23505, table outbox, constraint outbox_key');
  expect(`${error.message} ${String(error.cause)} ${(error.cause as Error).stack}`).not.toContain(
    'my secret',
  );
});

test('our own errors go through unchanged', () => {
  const lost = new LeaseLost('20261129_192056_1a2b3c4d', 3);

  expect(toDatabaseError(lost)).toBe(lost);
});

test('a bug inside a transaction is told as one', () => {
  expect(toDatabaseError(new TypeError('x is undefined'))).toMatchObject({ code: 'internal' });
  expect(toDatabaseError('odd')).toBeInstanceOf(GatewayError);
});
