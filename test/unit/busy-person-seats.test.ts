/** One person with many conversations leaves room for the others. */
import { PersonSeats } from '@palimpsest/turn';
import { expect, test } from 'vitest';

function seatsOf(most: number) {
  const woken: string[] = [];
  return { woken, seats: new PersonSeats(most, (sessionId) => woken.push(sessionId)) };
}

test('a person has so many turns at once, another person their own', () => {
  const { seats } = seatsOf(2);

  expect(seats.seat().take('ada')).toBe(true);
  expect(seats.seat().take('ada')).toBe(true);
  expect(seats.seat().take('ada')).toBe(false);
  expect(seats.seat().take('bob')).toBe(true);
});

test('who was refused is woken when a turn ends, in order and one at a time', () => {
  const { seats, woken } = seatsOf(1);
  const running = seats.seat();
  running.take('ada');
  for (const sessionId of ['s2', 's3']) {
    const refused = seats.seat();
    refused.take('ada');
    refused.wakeWhenFree(sessionId);
  }

  const before = [...woken];
  running.leave();
  const next = seats.seat();
  next.take('ada');
  next.leave();

  expect(before).toEqual([]);
  expect(woken).toEqual(['s2', 's3']);
});

test('a turn that ended between the refusal and the wait is not missed', () => {
  const { seats, woken } = seatsOf(1);
  const running = seats.seat();
  running.take('ada');
  const refused = seats.seat();
  refused.take('ada');

  running.leave();
  refused.wakeWhenFree('s2');

  expect(woken).toEqual(['s2']);
});

test('leaving twice, or without a turn, counts once', () => {
  const { seats } = seatsOf(1);
  const running = seats.seat();
  running.take('ada');
  running.leave();
  running.leave();
  seats.seat().leave();

  expect(seats.seat().take('ada')).toBe(true);
  expect(seats.seat().take('ada')).toBe(false);
});

test('a session that waits twice is woken once', () => {
  const { seats, woken } = seatsOf(1);
  const running = seats.seat();
  running.take('ada');
  for (let time = 0; time < 2; time++) {
    const refused = seats.seat();
    refused.take('ada');
    refused.wakeWhenFree('s2');
  }

  running.leave();
  seats.seat().leave();

  expect(woken).toEqual(['s2']);
});
