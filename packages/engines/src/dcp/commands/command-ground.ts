import type { ModelInfo, TranscriptView } from '@palimpsest/core';
import type { Say } from '../../words/say.ts';
import type { DcpDesk } from '../state/desk.ts';

/** What every part of /dcp works on. */
export interface CommandGround {
  desk: DcpDesk;
  view: TranscriptView;
  model: ModelInfo;
  say: Say;
}
