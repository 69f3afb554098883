export {
  decideHygiene,
  hygieneThreshold,
  hygieneWarnTokens,
  type HygieneDecision,
  type HygieneInput,
} from './decide-hygiene.ts';
export { condensedText, localSummaryText, mainTookOverText, summaryFailedText } from './notice-texts.ts';
export { promptSize, type PromptSize, type PromptSizeInput } from './size-of-prompt.ts';
