import { expect, test } from 'vitest';
import { WaitingRounds } from '../../apps/worker/src/waiting-rounds.ts';

test('a session found waiting in four sweeps in a row is stuck, and again four sweeps later', () => {
  const rounds = new WaitingRounds();

  const stuck = Array.from({ length: 8 }, () => rounds.note(['a']));

  expect(stuck).toEqual([[], [], [], ['a'], [], [], [], ['a']]);
});

test('a sweep that does not find it begins the count anew', () => {
  const rounds = new WaitingRounds();

  const stuck = [['a', 'b'], ['a', 'b'], ['a', 'b'], ['b'], ['a', 'b']].map((waiting) =>
    rounds.note(waiting),
  );

  expect(stuck).toEqual([[], [], [], ['b'], []]);
});
