/** What the platforms' menus are told. */
import { expect, test } from 'vitest';
import { menuCommands } from '@palimpsest/turn';

test('every command fits the menus of both platforms, and its name is there once', () => {
  const commands = menuCommands((name) => name !== 'model');

  for (const { name, description, argument } of commands) {
    expect(name).toMatch(/^[a-z0-9_]{1,32}$/);
    expect([...description].length, name).toBeLessThanOrEqual(100);
    expect([...(argument ?? '-')].length, name).toBeLessThanOrEqual(100);
  }
  expect(new Set(commands.map(({ name }) => name)).size).toBe(commands.length);
  expect(commands.filter(({ adminOnly }) => adminOnly).map(({ name }) => name)).toEqual(['model']);
  expect(commands.filter(({ directOnly }) => directOnly).map(({ name }) => name)).toEqual([
    'resume',
    'link',
    'unlink',
    'forget',
  ]);
});
