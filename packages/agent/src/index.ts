export { PromptImages } from './prompt-images.ts';
export * from './render-person.ts';
export * from './run-agent.ts';
export { interruptedText, type ToolBox } from './run-tools.ts';
export * from './system-prompt.ts';
export { readPayload } from './tools/read-payload.ts';
export { sessionSearch } from './tools/session-search.ts';
export { sessionTools, type SessionTools } from './tools/session-tools.ts';
export { isOffered, mayUse, tierOfTurn, type Tier } from './tools/tool-rights.ts';
