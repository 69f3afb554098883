/** A bare driver of any `codex app-server`, real or fake, that writes down what it says in a form to compare. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

type Message = Record<string, unknown>;

/** Said at any time and of no matter to a client. */
const noise =
  /^(configWarning|deprecationNotice|warning|remoteControl\/|account\/|skills\/|mcpServer\/|thread\/started)/;

export interface RawAppServer extends AsyncDisposable {
  /** Send a request; its answer or refusal is written down and returned. */
  request(method: string, params: object): Promise<Message>;
  /** Wait for a notification. */
  until(method: string): Promise<Message>;
  /** What was said so far: `← method …` of answers, `method detail` of notifications, runs of deltas as one. */
  said: string[];
}

export function startRaw(command: string, env: Record<string, string>, folder: string): RawAppServer {
  const child = spawn(command, ['app-server'], { env, cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const said: string[] = [];
  const answers = new Map<unknown, { method: string; resolve(message: Message): void }>();
  const awaited: { method: string; resolve(message: Message): void }[] = [];
  let nextId = 0;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = parse(line);
    if (!message) return;
    if (typeof message['method'] !== 'string') {
      const asked = answers.get(message['id']);
      said.push(`← ${asked?.method} ${describeAnswer(message)}`);
      return asked?.resolve(message);
    }
    const { method } = message;
    if (noise.test(method)) return;
    const words = describe(method, (message['params'] ?? {}) as Message);
    if (words !== said.at(-1) || !words.endsWith('/delta')) said.push(words);
    const at = awaited.findIndex((one) => one.method === method);
    if (at >= 0) awaited.splice(at, 1)[0]?.resolve(message);
  });
  return {
    said,
    request(method, params) {
      const id = nextId++;
      return new Promise((resolve) => {
        answers.set(id, { method, resolve });
        child.stdin.write(`${JSON.stringify({ id, method, params })}\n`);
      });
    },
    until: (method) => new Promise((resolve) => awaited.push({ method, resolve })),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await ended;
    },
  };
}

function parse(line: string): Message | null {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return null;
  }
}

/** A refusal by its code and first words, an answer by nothing. */
function describeAnswer({ error }: Message): string {
  if (!error) return 'ok';
  const { code, message } = error as { code: number; message: string };
  return `${code} ${message.replace(/[0-9a-f-]{36}/g, 'ID').slice(0, 40)}`;
}

function describe(method: string, params: Message): string {
  const item = params['item'] as Message | undefined;
  const turn = params['turn'] as Message | undefined;
  const status = params['status'] as Message | undefined;
  const usage = params['tokenUsage'] as { last?: Message } | undefined;
  const detail =
    item?.['type'] ?? turn?.['status'] ?? status?.['type'] ?? (usage ? describeUsage(usage.last ?? {}) : '');
  return `${method} ${String(detail)}`.trim();
}

function describeUsage({ inputTokens }: Message): string {
  return inputTokens === 0 ? 'estimate' : 'counted';
}

/** Start, two turns, compaction, a third turn, a resume, and what is refused. */
export async function walk(server: RawAppServer): Promise<string[]> {
  const { said } = server;
  await server.request('thread/start', {});
  await server.request('initialize', { clientInfo: { name: 'test', title: 'Test', version: '1' } });
  await server.request('initialize', { clientInfo: { name: 'test', title: 'Test', version: '1' } });
  const started = await server.request('thread/start', {
    model: 'gpt-5.5',
    approvalPolicy: 'never',
    sandbox: 'read-only',
  });
  const { thread } = started['result'] as { thread: { id: string } };
  const turn = async (method: string, params: object): Promise<void> => {
    const ended = server.until('turn/completed');
    await server.request(method, { threadId: thread.id, ...params });
    await ended;
  };
  const input = (text: string): object => ({ input: [{ type: 'text', text, text_elements: [] }] });
  await turn('turn/start', input('one'));
  await turn('turn/start', input('two'));
  await turn('thread/compact/start', {});
  await turn('turn/start', input('three'));
  await server.request('turn/interrupt', { threadId: thread.id, turnId: thread.id });
  await server.request('thread/compact/start', { threadId: 'nonsense' });
  await server.request('thread/compact/start', { threadId: '01a22988-db26-7d23-a196-5e664e0458f6' });
  await server.request('thread/resume', { threadId: '01a22988-db26-7d23-a196-5e664e0458f6' });
  await server.request('nothing/known', {});
  return said;
}
