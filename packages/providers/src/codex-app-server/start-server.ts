import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

import { declineRequest } from './decline-requests.ts';
import { isObject, JsonPeer, PeerGone, RpcRefused } from './json-peer.ts';
import type { Notification } from './json-peer.ts';

export interface ServerOptions {
  /** The Codex program. */
  command: string;
  /** All it sees of the environment: it runs what a model asks for, and our secrets are none of its business. */
  environment: Readonly<Record<string, string>>;
}

/** A running `codex app-server`, past its handshake. */
export interface RunningServer {
  peer: JsonPeer;
  /** An empty folder: what the model works in. */
  folder: string;
  /** Tool servers of the operator's own Codex config: they are not for people in chats. */
  toolServers: readonly string[];
  isGone(): boolean;
  /** End it; resolves when it is gone. */
  stop(): Promise<void>;
}

const clientInfo = { name: 'palimpsest', title: 'Palimpsest', version: '0.1.0' };
/** It ends by itself when its input ends; one that does not is killed after this, ms. */
const endWithinMs = 2_000;

/**
 * Start the program and shake hands. It ends with this process, since its input does.
 * throws PeerGone when it cannot be started or ends at once
 */
export async function startServer(
  { command, environment }: ServerOptions,
  handlers: { onNotification(notification: Notification): void; onGone(gone: PeerGone): void },
): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-codex-'));
  const env = { HOME: homedir(), PATH: '/usr/local/bin:/usr/bin:/bin', ...environment };
  // Its log lines may hold what people wrote: they go nowhere.
  const child = spawn(command, ['app-server'], { cwd: folder, env, stdio: ['pipe', 'pipe', 'ignore'] });
  const peer = new JsonPeer(child.stdout, child.stdin, {
    onNotification: handlers.onNotification,
    onRequest: declineRequest,
  });
  let gone = false;
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const end = (why: string, cause?: unknown): void => {
    if (gone) return;
    gone = true;
    const error = new PeerGone(why, cause);
    peer.end(error);
    handlers.onGone(error);
    // What cannot be cleared away is the system's to clear: the folder is a temporary one.
    void rm(folder, { recursive: true, force: true }).then(resolve, resolve);
  };
  child.on('error', (cause) => end(`${command} cannot be started${codeOf(cause)}`, cause));
  child.on('exit', (code, signal) => end(`the Codex app-server ended (${signal ?? code ?? 'unknown'})`));
  // Writing to a program that has just ended is reported here and by `exit`.
  child.stdin.on('error', () => undefined);
  // Between turns nothing of it keeps this process from ending.
  child.unref();
  for (const stream of [child.stdin, child.stdout]) if (stream instanceof Socket) stream.unref();
  await peer.request('initialize', { clientInfo });
  peer.notify('initialized');
  const toolServers = await readToolServers(peer);
  const stop = async (): Promise<void> => {
    child.stdin.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), endWithinMs);
    await ended;
    clearTimeout(timer);
  };
  return { peer, folder, toolServers, isGone: () => gone, stop };
}

/** Their names; a program too old to be asked has none that we could name. */
async function readToolServers(peer: JsonPeer): Promise<string[]> {
  try {
    const { config } = await peer.request('config/read', { includeLayers: false });
    const servers = isObject(config) ? config['mcp_servers'] : undefined;
    return isObject(servers) ? Object.keys(servers) : [];
  } catch (thrown) {
    if (thrown instanceof RpcRefused) return [];
    throw thrown;
  }
}

function codeOf(error: Error): string {
  return 'code' in error ? ` (${String(error.code)})` : '';
}
