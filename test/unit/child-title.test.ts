import { expect, test } from 'vitest';
import { childTitle } from '../../packages/store/src/compactions/child-title.ts';

test.each([
  ['Ferry', 'Ferry #2'],
  ['Ferry #2', 'Ferry #3'],
  ['Ferry #9', 'Ferry #10'],
  ['Issue #7 again', 'Issue #7 again #2'],
  ['C#', 'C# #2'],
  ['', '#2'],
  ['#2', '#3'],
  [null, '#2'],
])('the session after %j is called %j', (title, child) => {
  expect(childTitle(title)).toBe(child);
});
