export {
  decideHygiene,
  hygieneThreshold,
  hygieneWarnTokens,
  type HygieneDecision,
  type HygieneInput,
} from './decide-hygiene.ts';
export { promptSize, type PromptSize, type PromptSizeInput } from './size-of-prompt.ts';
