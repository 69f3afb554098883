/** What the program says on standard error, word for word, and with which code it ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCommandLine } from '../../apps/cli/src/run-command-line.ts';
import { launch } from '../support/chaos/program.ts';

interface Run {
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Files in the working folder. */
  files?: Readonly<Record<string, string>>;
}

/** Run a command in a folder of its own, which its output calls FOLDER. */
async function palimpsest({ args, env = {}, files = {} }: Run) {
  await using folder = workFolder(files);
  let said = '';
  using _spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += String(text);
    return true;
  });
  const code = await runCommandLine({ env, folder: folder.path }, args);
  return { code, said: said.replaceAll(folder.path, 'FOLDER') };
}

/** The same as a process of its own. */
async function program({ args, env = {}, files = {} }: Run) {
  await using folder = workFolder(files);
  const started = launch({ command: ['apps/cli/src/main.ts', ...args], env, folder: folder.path });
  const { code } = await started.ended;
  return { code, said: started.log().replaceAll(folder.path, 'FOLDER'), output: started.output() };
}

function workFolder(files: Readonly<Record<string, string>>) {
  const path = mkdtempSync(join(tmpdir(), 'palimpsest-cli-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return { path, [Symbol.asyncDispose]: async () => rmSync(path, { recursive: true, force: true }) };
}

const explained: readonly (Run & { case: string; said: string })[] = [
  {
    case: 'a config with an unknown key and a wrong value',
    args: ['config', 'check'],
    files: { 'config.yaml': 'server:\n  prot: 1\n  port: 70000\n' },
    said:
      'FOLDER/config.yaml:3: server.port: 70000 is not accepted; allowed: a whole number from 0 to 65535.\n' +
      'FOLDER/config.yaml:2: server.prot: unknown key; allowed here: host, port, public_host.\n',
  },
  {
    case: 'the same config at the start of the service',
    args: ['up'],
    files: { 'config.yaml': 'context:\n  engine: nope\n' },
    said: 'FOLDER/config.yaml:2: context.engine: "nope" is not accepted; allowed: compressor, lcm, dcp.\n',
  },
  {
    case: 'a config that is a folder',
    args: ['config', 'check'],
    env: { PALIMPSEST_CONFIG: '/tmp' },
    said: '/tmp cannot be read (EISDIR). Make it a file this user may read, or name another one in PALIMPSEST_CONFIG.\n',
  },
  {
    case: 'a config that is not there',
    args: ['up'],
    env: { PALIMPSEST_CONFIG: 'other.yaml' },
    said: 'PALIMPSEST_CONFIG names FOLDER/other.yaml, and there is no such file. Correct the path or unset it.\n',
  },
  {
    case: 'a Telegram token of another shape',
    args: ['up'],
    env: { TELEGRAM_BOT_TOKEN: 'my-secret-token' },
    said: 'TELEGRAM_BOT_TOKEN does not look like a bot token (digits, a colon and a secret, as BotFather gives it); 15 characters seen. Copy it again.\n',
  },
  {
    case: 'a Discord token of another shape',
    args: ['up'],
    env: { DISCORD_BOT_TOKEN: 'geheim' },
    said: 'DISCORD_BOT_TOKEN does not look like a bot token (three parts with dots, from the developer portal); 6 characters seen. Copy it again.\n',
  },
  {
    case: 'an address of another kind of database',
    args: ['up'],
    env: { DATABASE_URL: 'mysql://root:geheim@localhost/x' },
    said: 'DATABASE_URL is not a URL that begins with postgres:// or postgresql:// (31 characters seen). Correct it or unset it.\n',
  },
  {
    case: 'a port that is none',
    args: ['up'],
    env: { PORT: '8787a' },
    said: 'PORT is "8787a"; a whole number from 0 to 65535 is allowed (0 takes a free port).\n',
  },
  {
    case: 'an unknown log level',
    args: ['up'],
    env: { LOG_LEVEL: 'loud' },
    said: 'LOG_LEVEL is "loud"; allowed: trace, debug, info, warn, error, fatal, silent.\n',
  },
  {
    case: 'a data folder that is a file',
    args: ['up'],
    env: { PALIMPSEST_DATA: 'config.yaml' },
    files: { 'config.yaml': '' },
    said: 'the data folder FOLDER/config.yaml cannot be created or written (EEXIST). Make it a folder of this user, or name another one in PALIMPSEST_DATA.\n',
  },
  {
    case: 'one service without a shared database',
    args: ['worker'],
    said: 'worker alone needs DATABASE_URL (a Postgres shared with the other services); for one machine use npm start.\n',
  },
  {
    case: 'a command for a database that does not run',
    args: ['access', 'list'],
    said: 'no database is running in FOLDER/data. Start it with npm start, or set DATABASE_URL.\n',
  },
  {
    case: 'a name where an id is needed',
    args: ['access', 'allow', 'telegram', '@ada'],
    said: '"@ada" is not a numeric id; names are never compared. /whoami shows a person\'s id.\n',
  },
  {
    case: 'an unknown platform',
    args: ['access', 'allow', 'signal', '5'],
    said: '"signal" is not a platform; allowed: telegram, discord.\n',
  },
  {
    case: 'a recording that is not there',
    args: ['replay', 'no.jsonl'],
    said: 'FOLDER/no.jsonl: there is no such file. Name a recording (JSON lines).\n',
  },
  {
    case: 'a recording with a broken line',
    args: ['replay', 'a.jsonl'],
    files: { 'a.jsonl': '{"seq":1,"role":"user","content":"hi"}\n{"seq":2,"role":\n' },
    said: 'FOLDER/a.jsonl:2: not a JSON object. A recording is one JSON object a line.\n',
  },
  {
    case: 'a recording in which nobody asks',
    args: ['replay', 'a.jsonl'],
    files: { 'a.jsonl': '' },
    said: 'FOLDER/a.jsonl: none of its 0 lines has the role user, so there is nothing to send. A recording is one JSON object a line.\n',
  },
  {
    case: 'a replay without the schema of its platform',
    args: ['replay', 'a.jsonl', '--platform', 'telegram', '--schemas', '.'],
    files: { 'a.jsonl': '{"seq":1,"role":"user","content":"hi"}\n' },
    said: 'FOLDER/telegram/bot-api.json is missing; the counterpart of telegram checks our requests against it. Name its folder with --schemas, or use --platform local.\n',
  },
];

const hint = '(--help shows what is possible)\n';
const wrongUsage: readonly { args: readonly string[]; said: string }[] = [
  { args: ['acess'], said: `error: unknown command 'acess'\n(Did you mean access?)\n${hint}` },
  { args: ['access', 'allow', 'telegram'], said: `error: missing required argument 'id'\n${hint}` },
  { args: ['doctor', '--fix'], said: `error: unknown option '--fix'\n${hint}` },
  { args: ['replay'], said: `error: missing required argument 'file'\n${hint}` },
  {
    args: ['replay', 'a.jsonl', '--platform', 'irc'],
    said: `error: option '--platform <name>' argument 'irc' is invalid. Allowed choices are telegram, discord, local.\n${hint}`,
  },
  {
    args: ['replay', 'a.jsonl', '--window', 'big'],
    said: `error: option '--window <tokens>' argument 'big' is invalid. "big" is not a whole number.\n${hint}`,
  },
  {
    args: ['replay', 'a.jsonl', '--window', '10'],
    said: `error: option '--window <tokens>' argument '10' is invalid. At least 1000 is needed.\n${hint}`,
  },
  {
    args: ['replay', 'a.jsonl', '--engine', 'nope'],
    said: `error: option '--engine <name>' argument 'nope' is invalid. Allowed choices are compressor, lcm, dcp.\n${hint}`,
  },
];

test.each(explained)('$case is explained, and the exit code is 1', async ({ said, case: _case, ...run }) => {
  expect(await palimpsest(run)).toEqual({ code: 1, said });
});

test.each(wrongUsage)(
  'wrong usage is told in a line, and the exit code is 2: $args',
  async ({ args, said }) => {
    expect(await palimpsest({ args })).toEqual({ code: 2, said });
  },
);

test('the process writes it to standard error and ends with that code; a token of .env is read and not shown', async () => {
  const [explainedError, usage] = await Promise.all([
    program({ args: ['up'], files: { '.env': 'DISCORD_BOT_TOKEN=geheim\n' } }),
    program({ args: [] }),
  ]);

  expect(explainedError).toEqual({
    code: 1,
    said: 'DISCORD_BOT_TOKEN does not look like a bot token (three parts with dots, from the developer portal); 6 characters seen. Copy it again.\n',
    output: '',
  });
  expect(usage.code).toBe(2);
  expect(usage.output).toBe('');
  expect(usage.said).toMatch(/^Usage: palimpsest \[options\] \[command\]\n/);
}, 60_000);

test('doctor finds a database that is away and a Redis that is away, each with what to do', async () => {
  const ended = await program({
    args: ['doctor', '--json'],
    env: {
      DATABASE_URL: 'postgres://root:geheim@127.0.0.1:1/none',
      REDIS_URL: 'redis://:geheim@127.0.0.1:1',
    },
  });

  const { findings } = JSON.parse(ended.output) as {
    findings: { what: string; state: string; words: string }[];
  };
  expect(ended.code).toBe(1);
  expect(findings.filter((finding) => finding.state === 'problem')).toEqual([
    {
      what: 'database',
      state: 'problem',
      words:
        'the database cannot be reached (ECONNREFUSED); check that Postgres runs and that DATABASE_URL names it',
    },
    {
      what: 'queue',
      state: 'problem',
      words:
        'queue turns is unreachable: Redis at 127.0.0.1:1 does not answer (ECONNREFUSED); check that Redis runs and that REDIS_URL names it',
    },
  ]);
  expect(ended.output + ended.said).not.toContain('geheim');
}, 60_000);
