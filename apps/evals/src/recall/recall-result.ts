import type { MatrixEngine } from '../replay-all/matrix.ts';
import type { AnswerFigures } from './answer-questions.ts';
import type { RecallFigures } from './measure.ts';

export const tailModes = ['lean', 'legacy'] as const;
export type TailMode = (typeof tailModes)[number];

/** One conversation under one tail mode. */
export interface RecallResult extends RecallFigures {
  transcript: string;
  engine: MatrixEngine;
  tail_mode: TailMode;
  window: number;
  /** Left out: no model was asked. */
  answers?: AnswerFigures;
}
