import type { Recent } from '../recent.ts';
import type { ClientHelp, Route } from '../route.ts';
import type { AppServer } from './app-server.ts';
import type { ServerOptions } from './start-server.ts';
import type { ThreadBook } from './thread-book.ts';

export interface AppServerOptions extends ServerOptions {
  /** Who condenses threads: the server by itself, the server at our trigger, nobody on our behalf. */
  auto: 'native' | 'hermes' | 'off';
}

export interface AppServerHelp {
  route: Route;
  help: ClientHelp;
  server: AppServer;
  threads: ThreadBook;
  auto: AppServerOptions['auto'];
  /** No compaction of our own accord before this, ms since the epoch; by thread that failed. */
  restUntil: Recent<number>;
}
