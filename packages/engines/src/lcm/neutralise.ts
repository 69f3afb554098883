/** What stands in the place of a sentence that reads like an instruction to a model. */
const neutralMark = '[instruction-like text left out]';

/** One sentence at most; every pattern begins at a fixed word, so that long texts stay linear. */
const instructions: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^\n.!?]{0,60}\b(?:previous|prior|above|earlier|all|system|your)\b[^\n.!?]{0,60}\b(?:instructions?|prompts?|rules?|messages?|directions?|guidelines?)\b[^\n.!?]{0,120}/gi,
  /\b(?:reveal|print|show|repeat|output|leak)\b[^\n.!?]{0,40}\b(?:system|hidden|initial|developer)\s+(?:prompt|message|instructions?)\b[^\n.!?]{0,120}/gi,
  /\byou are (?:now|no longer)\b[^\n.!?]{0,160}/gi,
  /\b(?:act|pretend|behave|roleplay|role-play)\b[^\n.!?]{0,20}\bas\b[^\n.!?]{0,20}\b(?:DAN|jailbroken|unrestricted|developer mode|an? (?:unfiltered|uncensored))\b[^\n.!?]{0,120}/gi,
  /\b(?:enter|enable|activate)\b[^\n.!?]{0,20}\b(?:developer|god|jailbreak|unrestricted) mode\b[^\n.!?]{0,120}/gi,
  /\b(?:do not|don't|never) (?:tell|inform|mention)\b[^\n.!?]{0,40}\b(?:user|human|person|anyone)\b[^\n.!?]{0,120}/gi,
  /<\/?(?:system|assistant|developer|instructions?)>/gi,
];

/** The text with what reads like an instruction replaced: a copy of untrusted words must not give orders later. */
export function neutralise(text: string): string {
  return instructions.reduce((safe, pattern) => safe.replace(pattern, neutralMark), text);
}
