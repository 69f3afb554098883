import { expect, test } from 'vitest';
import { redact } from '../../packages/engines/src/compressor/redact.ts';

// Keys are put together here so that no scanner takes this file for a leak.
const tail = 'abcdefghijklmnopqrstuvwxyz012345';

test.each([
  [`sk-proj-${tail}`, 'sk-pro…2345'],
  [`ghp_${tail}`, 'ghp_ab…2345'],
  [`github_pat_${tail}`, 'github…2345'],
  [`xoxb-${tail}`, 'xoxb-a…2345'],
  [`AIza${tail}`, 'AIzaab…2345'],
  [`AKIA${'ABCDEFGH12345678'}`, 'AKIAAB…5678'],
  [`hf_${tail}`, 'hf_abc…2345'],
  [`123456789:${tail}`, '123456…2345'],
  [`eyJ${tail}.eyJ${tail}.${tail}`, 'eyJabc…2345'],
  [`OPENAI_API_KEY=${tail}`, 'OPENAI_API_KEY=abcdef…2345'],
  ['MYPASSWORD=geheim123', 'MYPASSWORD=[REDACTED]'],
  ['db.password=foo_bar', 'db.password=[REDACTED]'],
  ['password: hunter2', 'password: [REDACTED]'],
  ['{"api_key": "abcd1234efgh"}', '{"api_key": "[REDACTED]"}'],
  ['{\\"client_secret\\":\\"abcd1234efgh\\"}', '{\\"client_secret\\":\\"[REDACTED]\\"}'],
  ['12| api_key: abcdef123456', '12| api_key: [REDACTED]'],
  [`Authorization: Bearer ${tail}`, 'Authorization: Bearer abcdef…2345'],
  ['Proxy-Authorization: Basic dXNlcjpwYXNz', 'Proxy-Authorization: Basic [REDACTED]'],
  ['x-api-key: 12345678', 'x-api-key: [REDACTED]'],
  ['postgres://app:s3cret@db:5432/main', 'postgres://app:[REDACTED]@db:5432/main'],
  [`https://${tail}@example.org/repo`, 'https://abcdef…2345@example.org/repo'],
  [
    'https://example.org/x?access_token=abcdef12345&page=2',
    'https://example.org/x?access_token=[REDACTED]&page=2',
  ],
  ['call +4915112345678 now', 'call [REDACTED] now'],
  [
    `-----BEGIN RSA PRIVATE KEY-----\n${tail}\n-----END RSA PRIVATE KEY-----\nafter`,
    '[REDACTED] (private key)\nafter',
  ],
  [`pk-lf-${tail}`, 'pk-lf-…2345'],
  [`hvs.${tail}`, 'hvs.ab…2345'],
  [`nvapi-${tail}`, 'nvapi-…2345'],
  [`Mabcdefghijklmnopqrstuvw.abcdef.${tail}`, 'Mabcde…2345'],
  [`key: ${tail}`, 'key: abcdef…2345'],
  ['x-goog-api-key: abcdef12', 'x-goog-api-key: [REDACTED]'],
  ['x-auth-token: abcdef12', 'x-auth-token: [REDACTED]'],
  ['redis://:s3cret-word@cache:6379/0', 'redis://:[REDACTED]@cache:6379/0'],
  [`Client(api_key='${tail}')`, "Client(api_key='abcdef…2345')"],
  [`-----BEGIN PRIVATE KEY-----\n${tail}`, '[REDACTED] (private key)'],
])('F7 %j becomes %j', (text, masked) => {
  expect(redact(text)).toBe(masked);
});

test.each([
  'Secretary: Mr Smith-Jones',
  'tokenizer: bpe-large-v2',
  'max_tokens: 20000',
  'token: yes',
  'key: the-second-customer-2024-01',
  'sorted by key=lambda-of-the-first-column',
  'the keys: alpha, beta',
  'key = process.env.OPENAI_API_KEY',
  'api_key=os.getenv("OPENAI_API_KEY")',
  'export TOKEN=$GITHUB_TOKEN',
  'the password is hard to guess',
  'https://example.org/a?page=2',
  'commit 3f2a9c1d5e6b7a8c9d0e1f2a3b4c5d6e7f8a9b0c',
  'see packages/core/src/index.ts:12',
])('%j stays as it is', (text) => {
  expect(redact(text)).toBe(text);
});

test('masking twice changes nothing more', () => {
  const text = `sk-${tail} password: hunter2 https://u:${tail}@h/ API_TOKEN=${tail} Authorization: Bearer ${tail}`;

  expect(redact(redact(text))).toBe(redact(text));
});

test.each([
  ['digits', '1234567890'],
  ['hex', 'a1b2c3d4'],
  ['base64', 'QmFzZTY0+/'],
  ['words with lines', 'key_of-the.thing_'],
  ['assignments', 'token: '],
  ['addresses', 'http://'],
  ['key starts', '-----BEGIN PRIVATE KEY-----'],
])('a megabyte of %s is masked in linear time', (_, piece) => {
  const text = piece.repeat(Math.ceil(1_000_000 / piece.length));

  // Quadratic work on a megabyte takes minutes.
  expect(timed(() => redact(text))).toBeLessThan(500);
});

function timed(work: () => void): number {
  const times = [1, 2, 3].map(() => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}
