/**
 * A strict `codex app-server` for tests, run as a program:
 *   node fake-app-server.ts HOME app-server
 * HOME holds `fake-scenes.json` (what to play), `fake-threads.json` (threads) and `fake-journal.jsonl` (what came in).
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isJson, objectsOf, textOf } from '../json.ts';
import type { Json } from '../json.ts';
import { checkParams } from './check-params.ts';
import { nextId } from './next-id.ts';
import { playTurn, turnOf } from './play-turn.ts';
import type { Scene } from './scene.ts';
import { noCounts, ThreadStore } from './thread-store.ts';
import type { StoredThread } from './thread-store.ts';
import { Refused, Wire } from './wire.ts';

/** A thread that was let go is not free at once, real milliseconds. */
const CLOSING_MS = 30;

class FakeAppServer {
  readonly #home: string;
  readonly #wire: Wire;
  readonly #store: ThreadStore;
  readonly #running = new Map<string, { turnId: string; stop: AbortController }>();
  readonly #closing = new Set<string>();
  #initialized = false;

  constructor(home: string) {
    this.#home = home;
    this.#store = new ThreadStore(home);
    this.#wire = new Wire(process.stdout, home);
    this.#wire.listen(process.stdin, (message) => this.#take(message));
    process.stdin.on('end', () => process.exit(0));
  }

  #take({ id, method, params }: Json): void {
    if (id === undefined) return; // notifications of the client need no answer
    try {
      const result = this.#run(id, textOf(method), isJson(params) ? params : {});
      if (result) this.#wire.answer(id, result);
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      this.#wire.refuse(id, thrown);
    }
  }

  /** The answer, or undefined when it is given later. */
  #run(id: unknown, method: string, params: Json): Json | undefined {
    if (!this.#initialized && method !== 'initialize') throw new Refused('Not initialized');
    checkParams(method, params);
    switch (method) {
      case 'initialize':
        return this.#initialize();
      case 'config/read':
        return { config: { model: null, mcp_servers: { homemade: { command: 'true', enabled: true } } } };
      case 'thread/start':
        return this.#startThread(params);
      case 'thread/resume':
        return this.#resumeThread(params);
      case 'thread/unsubscribe':
        return this.#letGo(textOf(params['threadId']));
      case 'turn/interrupt':
        return this.#interrupt(params);
      default:
        return this.#startTurn(id, method, params);
    }
  }

  #initialize(): Json {
    if (this.#initialized) throw new Refused('Already initialized');
    this.#initialized = true;
    setImmediate(() => this.#wire.notify('configWarning', { summary: 'of no matter', details: null }));
    return { userAgent: 'fake/0.171.0', codexHome: this.#home, platformFamily: 'unix', platformOs: 'linux' };
  }

  #startThread(params: Json): Json {
    const thread: StoredThread = {
      id: nextId(),
      model: textOf(params['model']),
      total: noCounts(),
      last: noCounts(),
      turns: [],
      unloadsAtOnce: unloadsAtOnce(params),
    };
    this.#store.loaded.set(thread.id, thread);
    this.#store.lock(thread.id);
    if (params['ephemeral'] !== true) this.#store.save(thread);
    // The notification may come after the answer.
    setImmediate(() => this.#wire.notify('thread/started', { thread: { id: thread.id } }));
    return {
      thread: { id: thread.id, status: { type: 'idle' } },
      model: thread.model,
      modelProvider: 'fake',
    };
  }

  #resumeThread(params: Json): Json {
    const id = textOf(params['threadId']);
    if (this.#closing.has(id))
      throw new Refused(`thread ${id} is closing; retry thread/resume after the thread is closed`);
    const thread = this.#store.loaded.get(id) ?? this.#store.read(id);
    if (!thread) throw new Refused(`no rollout found for thread id ${id}`);
    if (!this.#store.lock(id)) throw new Refused(`thread ${id} already has an active writer`);
    thread.unloadsAtOnce = unloadsAtOnce(params);
    this.#store.loaded.set(id, thread);
    const tokenUsage = { total: thread.total, last: thread.last, modelContextWindow: 258_400 };
    const turnId = thread.turns.at(-1) ?? nextId();
    setImmediate(() => this.#wire.notify('thread/tokenUsage/updated', { threadId: id, turnId, tokenUsage }));
    return { thread: { id, status: { type: 'idle' } }, model: thread.model, modelProvider: 'fake' };
  }

  /** Usually a thread stays loaded for a while, and no other process can have it. */
  #letGo(id: string): Json {
    const thread = this.#store.loaded.get(id);
    if (thread?.unloadsAtOnce) {
      this.#store.unlock(id);
      this.#closing.add(id);
      setTimeout(() => this.#closing.delete(id), CLOSING_MS);
    }
    return { status: thread ? 'unsubscribed' : 'notLoaded' };
  }

  #interrupt(params: Json): Json {
    const running = this.#running.get(textOf(params['threadId']));
    if (running?.turnId !== params['turnId']) throw new Refused('no active turn to interrupt');
    running?.stop.abort();
    return {};
  }

  #startTurn(id: unknown, method: string, params: Json): undefined {
    const thread = this.#store.loaded.get(textOf(params['threadId']));
    if (!thread) throw new Refused(`thread not found: ${textOf(params['threadId'])}`);
    if (this.#running.has(thread.id)) throw new Refused('a turn is already running in this thread');
    const compacts = method === 'thread/compact/start';
    const turnId = nextId();
    const stop = new AbortController();
    const scene = this.#nextScene();
    this.#running.set(thread.id, { turnId, stop });
    this.#wire.splitBytes = scene.splitBytes;
    const asked = objectsOf(params['input'])
      .map((item) => textOf(item['text']))
      .join('\n');
    const answer = compacts ? {} : { turn: turnOf({ turnId }, 'inProgress') };
    const begun = (): void => this.#wire.answer(id, answer);
    const stage = {
      wire: this.#wire,
      thread,
      scene,
      turnId,
      interrupted: stop.signal,
      asked,
      compacts,
      begun,
    };
    void playTurn(stage).finally(() => {
      this.#running.delete(thread.id);
      if (this.#store.read(thread.id)) this.#store.save(thread);
    });
    return undefined;
  }

  /** Scenes are used up, also across restarts. */
  #nextScene(): Scene {
    const file = join(this.#home, 'fake-scenes.json');
    if (!existsSync(file)) return {};
    const [first = {}, ...rest] = JSON.parse(readFileSync(file, 'utf8')) as Scene[];
    writeFileSync(`${file}.new`, JSON.stringify(rest));
    renameSync(`${file}.new`, file);
    return first;
  }
}

function unloadsAtOnce({ config }: Json): boolean {
  return isJson(config) && config['thread_unload_delay_secs'] === 0;
}

const [home = '', command] = process.argv.slice(2);
if (command !== 'app-server') {
  process.stderr.write(`error: unrecognized subcommand '${String(command)}'\n`);
  process.exit(2);
}
new FakeAppServer(home);
