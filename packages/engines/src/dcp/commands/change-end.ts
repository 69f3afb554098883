import type { DcpChange, EngineCommandEnd } from '@palimpsest/core';
import type { DcpDesk } from '../state/desk.ts';

/** An answer with a change made on the state as it is. */
export function changeEnd(
  { state }: DcpDesk,
  text: string,
  change: Omit<DcpChange, 'baseVersion'>,
): EngineCommandEnd {
  const json: DcpChange = { baseVersion: state.version, ...change };
  return { text, stateChange: { engine: 'dcp', json } };
}
