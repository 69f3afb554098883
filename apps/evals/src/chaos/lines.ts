/** One door for each program and server, so that a cut can hit one of them or all. */
import { openChaosDoor, type ChaosDoor, type DoorState } from './chaos-door.ts';
import { programs, servers, type ProgramName, type ServerName } from './faults.ts';

export interface Lines extends AsyncDisposable {
  /** Where the program finds the server. */
  port(server: ServerName, program: ProgramName): number;
  set(server: ServerName, program: ProgramName | 'all', state: DoorState): void;
  /** All doors are open. */
  heal(): void;
}

/** ports  of the servers themselves, on 127.0.0.1 */
export async function openLines(ports: Readonly<Record<ServerName, number>>): Promise<Lines> {
  const stack = new AsyncDisposableStack();
  const doors = new Map<string, ChaosDoor>();
  for (const server of servers) {
    for (const program of programs) {
      doors.set(`${server} ${program}`, stack.use(await openChaosDoor(() => ports[server])));
    }
  }
  const set: Lines['set'] = (server, program, state) => {
    for (const name of program === 'all' ? programs : [program]) doors.get(`${server} ${name}`)!.set(state);
  };
  return {
    port: (server, program) => doors.get(`${server} ${program}`)!.port,
    set,
    heal() {
      for (const server of servers) set(server, 'all', { kind: 'open' });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
