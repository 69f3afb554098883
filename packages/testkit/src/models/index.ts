export { startFakeModel } from './start-fake-model.ts';
export type { FakeModel, FakeModelOptions, FakeUsage, JournalEntry } from './fake-model.ts';
export type {
  FaultKind,
  ModelScript,
  ScriptAnswer,
  ScriptFault,
  ScriptMessage,
  ScriptReply,
  ScriptRequest,
  ScriptToolCall,
  StatusFault,
} from './script.ts';
export { answerNudge } from './answer-nudge.ts';
export type { NudgeAnswer } from './answer-nudge.ts';
export { followNudges, ignoreNudges } from './follow-nudges.ts';
export { scriptedSummariser } from './scripted-summariser.ts';
export type { ScriptedSummariserOptions } from './scripted-summariser.ts';
export { countFakeTokens } from './count-tokens.ts';
export type { TokenCount } from './count-tokens.ts';
export { writeFakeCodex } from './codex-app-server/write-fake-codex.ts';
export type { FakeCodex } from './codex-app-server/write-fake-codex.ts';
